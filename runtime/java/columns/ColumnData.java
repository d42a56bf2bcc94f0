// SPDX-License-Identifier: Apache-2.0
package wire.runtime;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** What a message in columns holds of one field: where it lies and how it is to be understood. */
final class ColumnData {
    final ColumnNode node;

    /** Index of the first of its fields in the message; -1: there is none. */
    int position = -1;

    ColumnPayload presence;

    /** Offsets, or the starts of runs. */
    ColumnPayload offsets;

    ColumnPayload column;
    boolean hasScale;
    boolean hasBase;
    double scale;
    double base;
    boolean constant;

    /** Of a scalar: its constant, as {@link ColumnType#extend} has it. */
    long constantBits;

    /** Of a text: its constant. */
    ByteBuffer constantText;

    /** Of a message: whether it is there. */
    boolean message;

    /** The message around it, where that can be absent. */
    ColumnData around;

    /** How many messages are around it. */
    int elements;

    /** How many values it has: the elements, or the last offset of a repeated field. */
    int size;

    /** Bytes of a stored value. */
    int width;

    /** How many runs there are; -1: none. */
    int runs = -1;

    ColumnData(ColumnNode node) {
        this.node = node;
    }

    /** Whether some element has the field, or it has offsets. */
    boolean isStored() {
        return column != null || constant || message || offsets != null;
    }

    boolean has(int element) {
        if (node.repeated) {
            return begin(element) < begin(element + 1);
        }
        if (around != null && !around.has(element)) {
            return false;
        }
        return isStored() ? presence == null || presence.bit(element) : node.implicit;
    }

    boolean hasAll() {
        for (int i = 0; node.repeated && i < elements; i++) {
            if (!has(i)) {
                return false;
            }
        }
        return node.repeated || around == null && presence == null && (isStored() || node.implicit);
    }

    /** Of a repeated field or a text: its offset with that index. */
    int begin(int index) {
        return offsets == null ? 0 : offsets.u32(index);
    }

    /** Of a text: whether it is empty. */
    boolean isEmpty(int index) {
        return constant ? !constantText.hasRemaining() : begin(index) == begin(index + 1);
    }

    /** Index of the stored value that stands for a value. */
    int slot(int index) {
        if (runs < 0) {
            return index;
        }
        int low = 0;
        int high = runs;
        while (high - low > 1) {
            int middle = low + high >>> 1;
            if (offsets.u32(middle) <= index) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** The bits of a scalar's stored value, as {@link ColumnType#extend} has them. */
    long bits(int slot) {
        return column == null ? constantBits : value(column.number(slot, width));
    }

    private long value(long stored) {
        return switch (node.type) {
            case DOUBLE -> {
                if (hasScale) {
                    yield Double.doubleToRawLongBits(base + scale * stored);
                }
                yield width == 8 ? stored : Double.doubleToRawLongBits(Float.intBitsToFloat((int) stored));
            }
            case FLOAT -> hasScale ? floatBits((float) (base + scale * stored)) : stored;
            default -> node.type.extend(hasScale ? (long) base + stored : stored);
        };
    }

    private static long floatBits(float value) {
        return Float.floatToRawIntBits(value) & 0xFFFFFFFFL;
    }

    /** The bits of all values. */
    long[] allBits() {
        long[] all = new long[size];
        if (column == null) {
            Arrays.fill(all, constantBits);
            return all;
        }
        column.numbers(all, runs < 0 ? size : runs, width);
        for (int i = 0; i < (runs < 0 ? size : runs); i++) {
            all[i] = value(all[i]);
        }
        // From the last run on: none begins before its own value's place.
        for (int r = runs - 1; r >= 0; r--) {
            Arrays.fill(all, offsets.u32(r), offsets.u32(r + 1), all[r]);
        }
        return all;
    }
}
