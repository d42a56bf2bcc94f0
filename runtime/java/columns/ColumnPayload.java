// SPDX-License-Identifier: Apache-2.0
package wire.runtime;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** The payload of a field, where it lies or, if it came in pieces, joined in memory of its own. */
final class ColumnPayload {
    /** Little-endian. */
    ByteBuffer data;

    /** Index of its first byte in {@link #data}. */
    int at;

    int length;
    private int[] pieces = {};
    private int count;

    /** Its first piece, or another one. */
    void add(ByteBuffer from, int begin, int end) {
        if (pieces.length < 2 * count + 2) {
            pieces = Arrays.copyOf(pieces, Math.max(2, 4 * count));
        }
        pieces[2 * count] = begin;
        pieces[2 * count + 1] = end;
        count++;
        data = from;
        at = pieces[0];
        length += end - begin;
    }

    boolean isOne() {
        return count == 1;
    }

    /** Whether each piece holds whole values of {@code width} bytes. */
    boolean isWhole(int width) {
        for (int i = 0; i < count; i++) {
            if ((pieces[2 * i + 1] - pieces[2 * i]) % width != 0) {
                return false;
            }
        }
        return true;
    }

    void join() {
        if (count > 1) {
            ByteBuffer joined = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
            for (int i = 0; i < count; i++) {
                joined.put(data.slice(pieces[2 * i], pieces[2 * i + 1] - pieces[2 * i]));
            }
            data = joined;
            at = 0;
        }
        pieces = null;
    }

    int u32(int index) {
        return data.getInt(at + 4 * index);
    }

    boolean bit(int index) {
        return (data.get(at + (index >> 3)) >> (index & 7) & 1) != 0;
    }

    /** The unsigned number of {@code width} bytes, 1 to 4 or 8, with that index. */
    long number(int index, int width) {
        int p = at + index * width;
        return switch (width) {
            case 1 -> data.get(p) & 0xFF;
            case 2 -> data.getShort(p) & 0xFFFF;
            case 3 -> data.getShort(p) & 0xFFFF | (data.get(p + 2) & 0xFF) << 16;
            case 4 -> data.getInt(p) & 0xFFFFFFFFL;
            default -> data.getLong(p);
        };
    }

    /** The first {@code count} of those numbers. */
    void numbers(long[] out, int count, int width) {
        switch (width) {
            case 1 -> {
                for (int i = 0; i < count; i++) {
                    out[i] = number(i, 1);
                }
            }
            case 2 -> {
                for (int i = 0; i < count; i++) {
                    out[i] = number(i, 2);
                }
            }
            case 3 -> {
                for (int i = 0; i < count; i++) {
                    out[i] = number(i, 3);
                }
            }
            case 4 -> {
                for (int i = 0; i < count; i++) {
                    out[i] = number(i, 4);
                }
            }
            default -> {
                for (int i = 0; i < count; i++) {
                    out[i] = number(i, 8);
                }
            }
        }
    }
}
