// SPDX-License-Identifier: Apache-2.0
package wire.runtime;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;

/** Lays out the fields of a message in columns from what a builder was given. */
final class ColumnWriter {
    private static final int BAND = 1 << 26;

    private final ColumnInput[] inputs;
    private final ColumnLayout out;

    private ColumnWriter(ColumnLayout out, ColumnInput[] inputs) {
        this.out = out;
        this.inputs = inputs;
    }

    /** Lays out {@code count} messages. Throws IllegalArgumentException if inputs do not fit together. */
    static void lay(ColumnLayout out, ColumnNode root, ColumnInput[] inputs, int count) {
        out.number(7 * BAND, ProtobufInput.VARINT, count);
        new ColumnWriter(out, inputs).fields(root, count, null);
    }

    /** {@code around}: which of {@code count} messages are there; null: all. */
    private void fields(ColumnNode message, int count, BitSet around) {
        for (ColumnNode node : message.children) {
            ColumnInput input = inputs[node.index];
            if (node.repeated) {
                if (input.given) {
                    repeated(node, input, count);
                }
                continue;
            }
            BitSet has = node.optional ? both(input, around) : around;
            int having = has == null ? count : has.cardinality();
            boolean skipped = !input.given && (node.optional || node.implicit);
            if (having == 0 || skipped) {
                continue;
            }
            if (!input.given) {
                throw new IllegalArgumentException(node.name + " is required; give its values");
            }
            if (node.optional && having < (around == null ? count : around.cardinality())) {
                out.payload(BAND + node.number, (count + 7L) / 8, b -> putBits(b, has, count));
            }
            single(node, input, count, has);
        }
    }

    /** Which elements have a field: those that have the message around it, and the field. */
    private static BitSet both(ColumnInput input, BitSet around) {
        if (input.present == null || around == null) {
            return input.present == null ? around : input.present;
        }
        BitSet both = (BitSet) around.clone();
        both.and(input.present);
        return both;
    }

    private static void putBits(ByteBuffer to, BitSet bits, int count) {
        byte[] bytes = bits.toByteArray();
        int length = (count + 7) / 8;
        to.put(bytes, 0, Math.min(bytes.length, length));
        to.put(new byte[Math.max(0, length - bytes.length)]);
    }

    private void single(ColumnNode node, ColumnInput input, int count, BitSet has) {
        if (node.type == ColumnType.MESSAGE) {
            out.open(node.number);
            fields(node, count, has);
            out.close();
            return;
        }
        if (input.size != count) {
            throw new IllegalArgumentException(
                    node.name + " has " + input.size + " values for " + count + " elements");
        }
        if (node.type == ColumnType.TEXT) {
            texts(node, input, has);
        } else {
            scalars(node, input, has);
        }
    }

    private void repeated(ColumnNode node, ColumnInput input, int count) {
        int[] offsets = input.offsets;
        boolean fit = offsets.length == count + 1 && offsets[0] == 0;
        for (int i = 0; i < count && fit; i++) {
            fit = offsets[i] <= offsets[i + 1];
        }
        if (!fit || node.type != ColumnType.MESSAGE && offsets[count] != input.size) {
            throw new IllegalArgumentException(node.name + " needs " + (count + 1L)
                    + " offsets from 0 up to the number of its values");
        }
        if (offsets[count] == 0) {
            return;
        }
        offsets(node, offsets);
        if (node.type == ColumnType.MESSAGE) {
            out.open(node.number);
            fields(node, offsets[count], null);
            out.close();
        } else {
            scalars(node, input, null);
        }
    }

    private void offsets(ColumnNode node, int[] numbers) {
        out.payload(2 * BAND + node.number, 4L * numbers.length, b -> {
            b.asIntBuffer().put(numbers);
            b.position(b.position() + 4 * numbers.length);
        });
    }

    private void texts(ColumnNode node, ColumnInput input, BitSet has) {
        int[] ends = input.offsets;
        int first = has == null ? 0 : has.nextSetBit(0);
        boolean same = input.reduction.form() == Reduction.Form.AUTO;
        for (int i = 0; i < input.size && (same || has != null); i++) {
            if (has != null && !has.get(i)) {
                if (ends[i] != ends[i + 1]) {
                    throw new IllegalArgumentException(node.name + " has a text where it is absent");
                }
            } else {
                same = same && Arrays.equals(input.text, ends[first], ends[first + 1],
                        input.text, ends[i], ends[i + 1]);
            }
        }
        int length = ends[input.size];
        if (node.implicit && length == 0) {
            return;
        }
        if (same) {
            byte[] one = Arrays.copyOfRange(input.text, ends[first], ends[first + 1]);
            out.text(5 * BAND + node.number, one, one.length);
            return;
        }
        offsets(node, ends);
        if (length > 0) {
            out.payload(node.number, length, b -> b.put(input.text, 0, length));
        }
    }

    private void scalars(ColumnNode node, ColumnInput input, BitSet has) {
        if (input.reduction.form() == Reduction.Form.EXACT) {
            if (!node.implicit || !input.isZero(has)) {
                int width = input.width(has);
                out.payload(node.number, (long) input.size * width, b -> input.put(b, width, has));
            }
            return;
        }
        ColumnForm form = new ColumnForm(node, input.bits(), has, input.reduction, !node.repeated);
        if (node.implicit && form.zero) {
            return;
        }
        if (form.constant) {
            constant(node, form.constantBits);
            return;
        }
        if (form.starts != null) {
            offsets(node, form.starts);
        }
        if (form.scaled) {
            real(3 * BAND + node.number, form.scale);
            real(4 * BAND + node.number, form.base);
        }
        long length = (long) form.width * form.stored.length;
        out.payload(node.number, length, b -> ColumnInput.put(b, form.stored, form.width));
    }

    private void constant(ColumnNode node, long bits) {
        int wireType = ProtobufInput.FIXED32;
        if (node.type == ColumnType.BOOL) {
            wireType = ProtobufInput.VARINT;
        } else if (node.type.width == 8) {
            wireType = ProtobufInput.FIXED64;
        }
        out.number(5 * BAND + node.number, wireType, bits);
    }

    private void real(int number, double value) {
        out.number(number, ProtobufInput.FIXED64, Double.doubleToRawLongBits(value));
    }
}
