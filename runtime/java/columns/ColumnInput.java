// SPDX-License-Identifier: Apache-2.0
package wire.runtime;

import java.nio.ByteBuffer;
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
        int[] ends = new int[each.length + 1];
        for (int i = 0; i < each.length; i++) {
            ends[i + 1] = Math.addExact(ends[i], each[i] == null ? 0 : Wire.utf8Size(each[i]));
        }
        byte[] joined = new byte[ends[each.length]];
        for (int i = 0; i < each.length; i++) {
            if (ends[i] != ends[i + 1]) {
                Wire.putUtf8(joined, ends[i], each[i], ends[i + 1] - ends[i]);
            }
        }
        texts(joined, ends);
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

    /** Whether all values are 0, bit for bit, of the elements that {@code has} names; null: of all. */
    boolean isZero(BitSet has) {
        for (int i = 0; i < size; i++) {
            boolean zero;
            if (values instanceof double[] reals) {
                zero = Double.doubleToRawLongBits(reals[i]) == 0;
            } else if (values instanceof float[] reals) {
                zero = Float.floatToRawIntBits(reals[i]) == 0;
            } else if (values instanceof int[] numbers) {
                zero = numbers[i] == 0;
            } else if (values instanceof boolean[] flags) {
                zero = !flags[i];
            } else {
                zero = ((long[]) values)[i] == 0;
            }
            if (!zero && (has == null || has.get(i))) {
                return false;
            }
        }
        return true;
    }

    /** Bytes of an unreduced value: of an enum four where a number of these elements needs them. */
    int width(BitSet has) {
        if (node.type != ColumnType.ENUM) {
            return node.type.width;
        }
        for (int i = 0; i < size; i++) {
            long number = values instanceof int[] numbers ? numbers[i] : ((long[]) values)[i];
            if ((number & ~0xFFL) != 0 && (has == null || has.get(i))) {
                return 4;
            }
        }
        return 1;
    }

    /** Puts all values as an unreduced column has them, 0 for elements that {@code has} lacks. */
    void put(ByteBuffer out, int width, BitSet has) {
        int begin = out.position();
        if (values instanceof double[] reals) {
            out.asDoubleBuffer().put(reals, 0, size);
        } else if (values instanceof float[] reals) {
            out.asFloatBuffer().put(reals, 0, size);
        } else if (values instanceof int[] numbers && width == 4) {
            out.asIntBuffer().put(numbers, 0, size);
        } else if (values instanceof long[] numbers && width == 8) {
            out.asLongBuffer().put(numbers, 0, size);
        } else if (values instanceof boolean[] flags) {
            byte[] bytes = new byte[size];
            for (int i = 0; i < size; i++) {
                bytes[i] = (byte) (flags[i] ? 1 : 0);
            }
            out.put(bytes);
        } else if (values instanceof int[] numbers && width == 1) {
            byte[] bytes = new byte[size];
            for (int i = 0; i < size; i++) {
                bytes[i] = (byte) numbers[i];
            }
            out.put(bytes);
        } else {
            put(out, bits(), width);
        }
        out.position(begin + size * width);
        if (has != null) {
            clear(out, begin, width, has.toLongArray());
        }
    }

    /** Puts 0 for the elements whose bits are not set. */
    private void clear(ByteBuffer out, int begin, int width, long[] bits) {
        for (int first = 0; first < size; first += 64) {
            long absent = first >> 6 < bits.length ? ~bits[first >> 6] : -1;
            absent &= size - first < 64 ? (1L << size - first) - 1 : -1;
            for (; absent != 0; absent &= absent - 1) {
                int at = begin + (first + Long.numberOfTrailingZeros(absent)) * width;
                switch (width) {
                    case 1 -> out.put(at, (byte) 0);
                    case 2 -> out.putShort(at, (short) 0);
                    case 4 -> out.putInt(at, 0);
                    default -> out.putLong(at, 0);
                }
            }
        }
    }

    /** Puts the least {@code width} bytes of each number. */
    static void put(ByteBuffer out, long[] numbers, int width) {
        for (long number : numbers) {
            switch (width) {
                case 1 -> out.put((byte) number);
                case 2 -> out.putShort((short) number);
                case 3 -> out.putShort((short) number).put((byte) (number >> 16));
                case 4 -> out.putInt((int) number);
                default -> out.putLong(number);
            }
        }
    }
}
