// SPDX-License-Identifier: Apache-2.0
package wire.runtime;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;

/** The values of one field that a builder was given. */
public final class ColumnInput {
    private final ColumnNode node;
    boolean given;
    Reduction reduction;

    /** Which elements have the field; null: all that have the message around it. */
    BitSet present;

    /** Of a repeated field and of texts. */
    int[] offsets;

    /** An array of the type's primitives; of longs, they are the bits of values. */
    private Object values;

    int size;
    byte[] text = Wire.NO_BYTES;

    ColumnInput(ColumnNode node) {
        this.node = node;
        reduction = node.reduction;
    }

    /** Which elements have the field; values of the others are not written. */
    public ColumnInput present(BitSet elements) {
        if (!node.optional) {
            throw new IllegalArgumentException(node.name + " cannot be absent; give it no presence");
        }
        present = elements;
        return this;
    }

    /** How its values are stored, instead of as chosen when the schema was compiled. */
    public ColumnInput reduce(Reduction how) {
        if (how.of(node.type) != how) {
            throw new IllegalArgumentException(node.name + " cannot be stored so: " + how);
        }
        reduction = how;
        return this;
    }

    void values(Object array, int count) {
        values = array;
        size = count;
        given = true;
    }

    /** Texts one after the other; each ends where the next one begins. */
    void texts(byte[] joined, int[] ends) {
        text = joined;
        offsets = ends;
        size = ends.length - 1;
        given = true;
    }

    void texts(byte[][] each) {
        int[] ends = new int[each.length + 1];
        for (int i = 0; i < each.length; i++) {
            ends[i + 1] = Math.addExact(ends[i], each[i] == null ? 0 : each[i].length);
        }
        byte[] joined = new byte[ends[each.length]];
        for (int i = 0; i < each.length; i++) {
            System.arraycopy(each[i] == null ? joined : each[i], 0, joined, ends[i], ends[i + 1] - ends[i]);
        }
        texts(joined, ends);
    }

    void texts(String[] each) {
        byte[][] encoded = new byte[each.length][];
        for (int i = 0; i < each.length; i++) {
            encoded[i] = each[i] == null ? Wire.NO_BYTES : each[i].getBytes(StandardCharsets.UTF_8);
        }
        texts(encoded);
    }

    /** The bits of all values as {@link ColumnType#extend} has them, in an array of its own. */
    long[] bits() {
        long[] bits = new long[size];
        if (values instanceof double[] reals) {
            for (int i = 0; i < size; i++) {
                bits[i] = Double.doubleToRawLongBits(reals[i]);
            }
        } else if (values instanceof float[] reals) {
            for (int i = 0; i < size; i++) {
                bits[i] = Float.floatToRawIntBits(reals[i]) & 0xFFFFFFFFL;
            }
        } else if (values instanceof int[] numbers) {
            for (int i = 0; i < size; i++) {
                bits[i] = node.type.extend(numbers[i]);
            }
        } else if (values instanceof boolean[] flags) {
            for (int i = 0; i < size; i++) {
                bits[i] = flags[i] ? 1 : 0;
            }
        } else {
            System.arraycopy((long[]) values, 0, bits, 0, size);
        }
        return bits;
    }

    /** Whether the array holds values as an unreduced column does. */
    boolean isPlain() {
        return values instanceof double[] || values instanceof float[]
                || values instanceof int[] && node.type.width == 4
                || values instanceof long[] && node.type.width == 8;
    }

    void putPlain(ByteBuffer out) {
        if (values instanceof double[] reals) {
            out.asDoubleBuffer().put(reals, 0, size);
        } else if (values instanceof float[] reals) {
            out.asFloatBuffer().put(reals, 0, size);
        } else if (values instanceof int[] numbers) {
            out.asIntBuffer().put(numbers, 0, size);
        } else {
            out.asLongBuffer().put((long[]) values, 0, size);
        }
        out.position(out.position() + size * node.type.width);
    }
}
