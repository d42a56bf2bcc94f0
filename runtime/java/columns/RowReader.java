// SPDX-License-Identifier: Apache-2.0
package wire.runtime;

import java.util.Arrays;
import java.util.BitSet;

/** Takes rows, messages on the Protobuf wire, apart into columns. */
public final class RowReader {
    /** What has been read of one field. */
    private static final class Gathered {
        long[] values = {};

        /** Values, or of a repeated message the messages. */
        int size;

        BitSet present = new BitSet();

        /** Of each element: its values, or the bytes of its text. */
        int[] lengths = {};

        byte[] text = {};
        int textSize;

        void set(int index, long value) {
            if (index >= values.length) {
                values = Arrays.copyOf(values, Math.max(index + 1, grown(values.length)));
            }
            values[index] = value;
            present.set(index);
        }

        void lengthen(int index, int by) {
            if (index >= lengths.length) {
                lengths = Arrays.copyOf(lengths, Math.max(index + 1, grown(lengths.length)));
            }
            lengths[index] = Math.addExact(lengths[index], by);
        }

        void append(byte[] from, int begin, int count) {
            int needed = Math.addExact(textSize, count);
            if (needed > text.length) {
                text = Arrays.copyOf(text, Math.max(needed, grown(text.length)));
            }
            System.arraycopy(from, begin, text, textSize, count);
            textSize = needed;
        }

        private static int grown(int length) {
            return (int) Math.min(Integer.MAX_VALUE - 8, 2L * length + 16);
        }

        /** Offsets of so many elements. */
        int[] offsets(int elements) {
            int[] offsets = new int[elements + 1];
            for (int i = 0; i < elements; i++) {
                offsets[i + 1] = Math.addExact(offsets[i], i < lengths.length ? lengths[i] : 0);
            }
            return offsets;
        }
    }

    private final ColumnNode root;
    private final Gathered[] all;
    private byte[] bytes = new byte[256];
    private int count;

    public RowReader(ColumnNode root) {
        this.root = root;
        all = new Gathered[root.count()];
        Arrays.setAll(all, i -> new Gathered());
    }

    int count() {
        return count;
    }

    /** An array for the next row, of {@code size} bytes or more. */
    public byte[] room(int size) {
        if (bytes.length < size) {
            bytes = new byte[Math.max(size, Gathered.grown(bytes.length))];
        }
        return bytes;
    }

    /** Adds the row whose {@code size} bytes have been written into the array. */
    public void add(int size) {
        try {
            message(new ProtobufInput(bytes, 0, size), size, root, count);
        } catch (WireException wrong) {
            throw new IllegalArgumentException("row " + count + " has no columns: " + wrong.reason, wrong);
        }
        count++;
    }

    private void message(ProtobufInput in, int end, ColumnNode message, int index) throws WireException {
        while (in.p < end) {
            int at = in.p;
            int tag = in.tag(end);
            ColumnNode node = message.child(tag >>> 3);
            boolean packed = node != null && node.repeated && node.type.isScalar()
                    && (tag & 7) == ProtobufInput.LENGTH;
            if (node == null || (tag & 7) != node.wireType() && !packed) {
                throw in.error(at, "columns have no place for its unknown field " + (tag >>> 3));
            }
            if (packed) {
                int stop = in.stop(end);
                while (in.p < stop) {
                    scalar(in, stop, node, index);
                }
            } else if (node.type == ColumnType.TEXT) {
                text(in, end, node, index);
            } else if (node.type == ColumnType.MESSAGE) {
                inner(in, end, node, index, tag);
            } else {
                scalar(in, end, node, index);
            }
        }
    }

    private void scalar(ProtobufInput in, int end, ColumnNode node, int index) throws WireException {
        Gathered gathered = all[node.index];
        long bits = switch (node.wireType()) {
            case ProtobufInput.FIXED64 -> in.fixedLong(end);
            case ProtobufInput.FIXED32 -> in.fixedInt(end);
            default -> in.varint(end);
        };
        if (node.has(ColumnNode.ZIGZAG)) {
            bits = node.type.width == 8 ? Wire.unzigzag(bits) : Wire.unzigzag(bits & 0xFFFFFFFFL);
        }
        bits = node.type.extend(bits);
        if (node.repeated) {
            gathered.lengthen(index, 1);
            gathered.set(gathered.size++, bits);
        } else {
            gathered.set(index, bits);
        }
    }

    private void text(ProtobufInput in, int end, ColumnNode node, int index) throws WireException {
        int stop = in.stop(end);
        first(in, node, index);
        all[node.index].append(in.bytes, in.p, stop - in.p);
        all[node.index].lengthen(index, stop - in.p);
        in.p = stop;
    }

    private void inner(ProtobufInput in, int end, ColumnNode node, int index, int tag)
            throws WireException {
        Gathered gathered = all[node.index];
        int inside = index;
        if (node.repeated) {
            gathered.lengthen(index, 1);
            inside = gathered.size++;
        } else {
            first(in, node, index);
        }
        if (node.wraps) {
            text(in, end, node.children[0], inside);
        } else if (node.has(ColumnNode.GROUP)) {
            int stop = in.groupStop(tag, end);
            int behind = in.behind;
            message(in, stop, node, inside);
            in.p = behind;
        } else {
            message(in, in.stop(end), node, inside);
        }
    }

    private void first(ProtobufInput in, ColumnNode node, int index) throws WireException {
        if (all[node.index].present.get(index)) {
            throw in.error(in.p, node.name + " comes twice");
        }
        all[node.index].present.set(index);
    }

    /** Hands all that has been read to a builder. */
    void give(ColumnInput[] inputs) {
        give(root, count, inputs);
    }

    private void give(ColumnNode message, int elements, ColumnInput[] inputs) {
        for (ColumnNode node : message.children) {
            Gathered gathered = all[node.index];
            ColumnInput input = inputs[node.index];
            input.given = true;
            input.offsets = node.repeated ? gathered.offsets(elements) : null;
            input.present = node.optional ? gathered.present : null;
            if (node.type == ColumnType.MESSAGE) {
                give(node, node.repeated ? gathered.size : elements, inputs);
            } else if (node.type == ColumnType.TEXT) {
                texts(node, gathered, elements, input);
            } else {
                int size = node.repeated ? gathered.size : elements;
                long[] values = Arrays.copyOf(gathered.values, size);
                for (int i = 0; node.byDefault != 0 && i < size && !node.repeated; i++) {
                    values[i] = gathered.present.get(i) ? values[i] : node.byDefault;
                }
                input.values(values, size);
            }
        }
    }

    private static void texts(ColumnNode node, Gathered gathered, int elements, ColumnInput input) {
        int[] offsets = gathered.offsets(elements);
        if (node.textByDefault.length == 0) {
            input.texts(Arrays.copyOf(gathered.text, gathered.textSize), offsets);
            return;
        }
        byte[][] each = new byte[elements][];
        for (int i = 0; i < elements; i++) {
            byte[] there = Arrays.copyOfRange(gathered.text, offsets[i], offsets[i + 1]);
            each[i] = gathered.present.get(i) ? there : node.textByDefault;
        }
        input.texts(each);
    }
}
