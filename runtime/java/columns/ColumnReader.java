// SPDX-License-Identifier: Apache-2.0
package wire.runtime;

import java.nio.ByteBuffer;

/**
 * Reads a message in columns: one walk over its fields that keeps where they lie, then a check of
 * every field. Of their content only offsets are looked at.
 */
final class ColumnReader {
    private static final int BAND_BITS = 26;
    private static final int COUNT = 7 << BAND_BITS;
    private static final int PADDING = COUNT + 1;

    private final ColumnCursor in;
    private final ColumnData[] all;
    private long count = -1;

    private ColumnReader(ColumnNode root, ByteBuffer from) {
        in = new ColumnCursor(from);
        all = new ColumnData[root.count()];
        prepare(root);
    }

    private void prepare(ColumnNode node) {
        all[node.index] = new ColumnData(node);
        for (ColumnNode child : node.children) {
            prepare(child);
        }
    }

    /** Every node's data by its index. {@code most}: the largest count that is taken. */
    static ColumnData[] read(ColumnNode root, ByteBuffer from, int most) throws WireException {
        ColumnReader reader = new ColumnReader(root, from);
        int end = from.limit();
        reader.walk(root, end);
        if (reader.count < 0) {
            throw reader.in.error(end, "no element count");
        }
        if (reader.count > most) {
            throw reader.in.error(end, reader.count + " elements, allowed: " + most);
        }
        ColumnData top = reader.all[0];
        top.elements = 1;
        top.size = (int) reader.count;
        top.message = true;
        new ColumnCheck(reader.in, reader.all, most).fields(root, top.size, null);
        return reader.all;
    }

    /** Where the message with that number lies in another one; null: nowhere. */
    static ByteBuffer find(ByteBuffer parent, int number) throws WireException {
        ColumnCursor in = new ColumnCursor(parent);
        ByteBuffer found = null;
        while (in.p < parent.limit()) {
            int at = in.p;
            int tag = in.tag(parent.limit());
            if (tag >>> 3 != number) {
                in.skip(tag, parent.limit(), 0);
                continue;
            }
            if ((tag & 7) != ProtobufInput.LENGTH || found != null) {
                throw in.error(at, "columns " + (found != null ? "twice" : "of a wrong wire type"));
            }
            int begin = in.bytes(parent.limit());
            found = parent.slice(begin, in.p - begin);
        }
        return found;
    }

    private void walk(ColumnNode message, int end) throws WireException {
        while (in.p < end) {
            int at = in.p;
            int tag = in.tag(end);
            int number = tag >>> 3;
            int wireType = tag & 7;
            int band = number >>> BAND_BITS;
            ColumnNode node = message.child(number & (1 << BAND_BITS) - 1);
            if (number == COUNT) {
                count(message, at, wireType, end);
            } else if (number == PADDING) {
                expect(at, wireType, ProtobufInput.LENGTH, "padding");
                in.bytes(end);
            } else if (node != null && band < 6) {
                ColumnData data = all[node.index];
                if (data.position < 0) {
                    data.position = at;
                }
                field(data, band, at, wireType, end);
            } else {
                in.skip(tag, end, 0);
            }
        }
    }

    private void count(ColumnNode message, int at, int wireType, int end) throws WireException {
        expect(at, wireType, ProtobufInput.VARINT, "element count");
        if (message.number != 0 || count >= 0) {
            throw in.error(at, "a second element count");
        }
        count = in.varint(end);
        if (count < 0 || count > Integer.MAX_VALUE) {
            throw in.error(at, Long.toUnsignedString(count) + " elements are more than can be");
        }
    }

    private void field(ColumnData data, int band, int at, int wireType, int end) throws WireException {
        ColumnNode node = data.node;
        switch (band) {
            case 0 -> column(data, at, wireType, end);
            case 1 -> {
                allow(node.optional, node, at, "presence");
                data.presence = whole(data.presence, node, at, wireType, end);
            }
            case 2 -> {
                allow(node.repeated || node.type != ColumnType.MESSAGE, node, at, "offsets");
                data.offsets = piece(data.offsets, node, at, wireType, end);
            }
            case 3 -> {
                data.scale = real(data.hasScale, node, at, wireType, end);
                data.hasScale = true;
            }
            case 4 -> {
                data.base = real(data.hasBase, node, at, wireType, end);
                data.hasBase = true;
            }
            default -> constant(data, at, wireType, end);
        }
    }

    private void column(ColumnData data, int at, int wireType, int end) throws WireException {
        ColumnNode node = data.node;
        if (node.type != ColumnType.MESSAGE) {
            data.column = node.type.inBytes()
                    ? whole(data.column, node, at, wireType, end)
                    : piece(data.column, node, at, wireType, end);
            return;
        }
        expect(at, wireType, ProtobufInput.LENGTH, node.name);
        once(!data.message, node, at);
        data.message = true;
        int begin = in.bytes(end);
        int stop = in.p;
        in.p = begin;
        walk(node, stop);
    }

    private void constant(ColumnData data, int at, int wireType, int end) throws WireException {
        ColumnNode node = data.node;
        allow(node.type != ColumnType.MESSAGE, node, at, "constant");
        once(!data.constant, node, at);
        data.constant = true;
        if (node.type == ColumnType.TEXT) {
            expect(at, wireType, ProtobufInput.LENGTH, node.name);
            int begin = in.bytes(end);
            data.constantText = in.data.slice(begin, in.p - begin);
        } else if (node.type == ColumnType.BOOL) {
            expect(at, wireType, ProtobufInput.VARINT, node.name);
            data.constantBits = in.varint(end) != 0 ? 1 : 0;
        } else if (node.type.width == 8) {
            expect(at, wireType, ProtobufInput.FIXED64, node.name);
            data.constantBits = in.fixed64(end);
        } else {
            expect(at, wireType, ProtobufInput.FIXED32, node.name);
            int bits = in.fixed32(end);
            data.constantBits = node.type.extend(bits);
            if ((int) data.constantBits != bits) {
                throw in.error(at, node.name + " cannot hold its constant " + bits);
            }
        }
    }

    private double real(boolean again, ColumnNode node, int at, int wireType, int end)
            throws WireException {
        allow(node.type.isReal() || node.type.isInteger(), node, at, "scale");
        expect(at, wireType, ProtobufInput.FIXED64, node.name);
        once(!again, node, at);
        return Double.longBitsToDouble(in.fixed64(end));
    }

    private ColumnPayload whole(ColumnPayload old, ColumnNode node, int at, int wireType, int end)
            throws WireException {
        once(old == null, node, at);
        return piece(null, node, at, wireType, end);
    }

    private ColumnPayload piece(ColumnPayload old, ColumnNode node, int at, int wireType, int end)
            throws WireException {
        expect(at, wireType, ProtobufInput.LENGTH, node.name);
        ColumnPayload payload = old == null ? new ColumnPayload() : old;
        int begin = in.bytes(end);
        payload.add(in.data, begin, in.p);
        return payload;
    }

    private void expect(int at, int wireType, int wanted, String what) throws WireException {
        if (wireType != wanted) {
            throw in.error(at, what + " of wire type " + wireType + ", expected: " + wanted);
        }
    }

    private void once(boolean first, ColumnNode node, int at) throws WireException {
        if (!first) {
            throw in.error(at, "something of " + node.name + " comes twice");
        }
    }

    private void allow(boolean takes, ColumnNode node, int at, String what) throws WireException {
        if (!takes) {
            throw in.error(at, node.name + " takes no " + what);
        }
    }
}
