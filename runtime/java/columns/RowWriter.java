// SPDX-License-Identifier: Apache-2.0
package wire.runtime;

import java.nio.ByteBuffer;

/** Makes rows of columns: messages on the Protobuf wire, their fields in the order of numbers. */
public final class RowWriter {
    /** The bytes that rows may take unless another is given: so many, and so many for each byte of columns. */
    public static final long MEMORY = 64L << 20;

    public static final long MEMORY_PER_BYTE = 256;

    /** What a row, a field of a message and an element of a repeated field count for. */
    private static final double EACH = 16;

    private final ColumnData[] all;
    private final long[][] decoded;
    private byte[] bytes = new byte[256];
    private int p;

    /** Throws WireException if all rows together would take more than {@code memory} bytes. */
    public RowWriter(MessageColumn root, long memory) throws WireException {
        all = root.all;
        decoded = new long[all.length][];
        double needed = EACH * all[0].size;
        for (int i = 1; i < all.length; i++) {
            needed += memory(all[i]);
        }
        if (needed > memory) {
            throw new WireException(0, "rows of about " + (long) needed + " bytes, allowed: " + memory);
        }
    }

    private static double memory(ColumnData data) {
        double needed = EACH * data.elements * (1.0 + data.node.fixed);
        if (data.node.repeated) {
            needed += EACH * data.size;
        }
        if (data.constant && data.node.type == ColumnType.TEXT) {
            needed += (double) data.elements * data.constantText.remaining();
        } else if (data.column != null && data.node.type == ColumnType.TEXT) {
            needed += data.column.length;
        }
        return needed;
    }

    /** Writes row i into {@link #bytes}, from {@link #begin} up to its end. */
    public void write(int i) {
        p = bytes.length;
        message(all[0].node, i);
    }

    public byte[] bytes() {
        return bytes;
    }

    public int begin() {
        return p;
    }

    private void message(ColumnNode message, int index) {
        for (int c = message.children.length - 1; c >= 0; c--) {
            ColumnNode node = message.children[c];
            ColumnData data = all[node.index];
            if (node.repeated) {
                for (int i = data.begin(index + 1) - 1; i >= data.begin(index); i--) {
                    value(data, i);
                }
            } else if (data.has(index)) {
                value(data, index);
            }
        }
    }

    private void value(ColumnData data, int index) {
        ColumnNode node = data.node;
        int tag = node.number << 3 | node.wireType();
        if (node.type == ColumnType.MESSAGE) {
            if (node.wraps) {
                text(all[node.index + 1], index);
            } else if (node.has(ColumnNode.GROUP)) {
                varint(tag + ProtobufInput.GROUP_END - ProtobufInput.GROUP & 0xFFFFFFFFL);
                message(node, index);
            } else {
                int last = bytes.length - p;
                message(node, index);
                varint(bytes.length - p - last);
            }
        } else if (node.type == ColumnType.TEXT) {
            if (node.implicit && node.textByDefault.length == 0 && data.isEmpty(index)) {
                return;
            }
            text(data, index);
        } else {
            long bits = bits(data)[index];
            if (node.implicit && bits == 0 && node.byDefault == 0) {
                return;
            }
            scalar(node, bits);
        }
        varint(tag & 0xFFFFFFFFL);
    }

    private void scalar(ColumnNode node, long bits) {
        switch (node.wireType()) {
            case ProtobufInput.FIXED64 -> {
                room(8);
                Wire.putLong(bytes, p, bits);
            }
            case ProtobufInput.FIXED32 -> {
                room(4);
                Wire.putInt(bytes, p, (int) bits);
            }
            default -> {
                boolean zigzag = node.has(ColumnNode.ZIGZAG);
                varint(!zigzag ? bits : node.type.width == 8 ? Wire.zigzag(bits) : Wire.zigzag((int) bits));
            }
        }
    }

    private void text(ColumnData data, int index) {
        ByteBuffer text = new TextColumn(data, data).slice(index);
        int length = text.remaining();
        room(length);
        text.get(bytes, p, length);
        varint(length);
    }

    private void varint(long value) {
        room(10);
        p = Wire.varintBefore(bytes, p + 10, value);
    }

    /** Makes room before what has been written, in another array if need be. */
    private void room(int count) {
        if (p < count) {
            int written = bytes.length - p;
            byte[] larger = new byte[Math.toIntExact(Math.max(2L * bytes.length, (long) written + count))];
            System.arraycopy(bytes, p, larger, larger.length - written, written);
            bytes = larger;
            p = larger.length - written;
        }
        p -= count;
    }

    private long[] bits(ColumnData data) {
        int index = data.node.index;
        if (decoded[index] == null) {
            decoded[index] = data.allBits();
        }
        return decoded[index];
    }
}
