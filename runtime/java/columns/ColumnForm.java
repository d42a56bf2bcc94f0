// SPDX-License-Identifier: Apache-2.0
package wire.runtime;

import java.util.BitSet;

/** How the values of a column are stored that may be reduced: the choice of a writer. */
final class ColumnForm {
    private static final double BELOW = 1 - 0x1p-20;
    private static final long LARGEST_BASE = 1L << 53;

    private final ColumnNode node;

    /** Which values mean something; null: all. */
    private final BitSet present;

    /** Whether all values were 0, bit for bit. */
    final boolean zero;

    boolean constant;
    long constantBits;
    boolean scaled;
    double scale;
    double base;
    int width;

    /** Least {@code width} bytes of each: what is stored. */
    long[] stored;

    /** Starts of runs and the end of the last one; null: no runs. */
    int[] starts;

    /** {@code bits}: of all values; they are changed. {@code mayRun}: whether runs are allowed. */
    ColumnForm(ColumnNode node, long[] bits, BitSet present, Reduction how, boolean mayRun) {
        this.node = node;
        this.present = present;
        stored = bits;
        width = node.type.width;
        for (int i = absent(0); i < bits.length; i = absent(i + 1)) {
            bits[i] = 0;
        }
        zero = isZero();
        if (isConstant()) {
            return;
        }
        switch (how.form()) {
            case FLOAT32 -> {
                if (!narrow(false)) {
                    auto();
                }
            }
            case ERROR -> {
                if (!within(how.error())) {
                    auto();
                }
            }
            default -> auto();
        }
        if (mayRun) {
            findRuns();
        }
    }

    /** The first value from {@code i} on that means nothing. */
    private int absent(int i) {
        return present == null ? stored.length : present.nextClearBit(i);
    }

    /** The first value from {@code i} on that means something; behind all others: their count. */
    private int next(int i) {
        if (present == null || i >= stored.length) {
            return i;
        }
        int found = present.nextSetBit(i);
        return found < 0 ? stored.length : found;
    }

    private boolean isZero() {
        for (long bits : stored) {
            if (bits != 0) {
                return false;
            }
        }
        return true;
    }

    private boolean isConstant() {
        int first = next(0);
        if (first >= stored.length) {
            return false;
        }
        for (int i = first; i < stored.length; i = next(i + 1)) {
            if (stored[i] != stored[first]) {
                return false;
            }
        }
        constant = true;
        constantBits = stored[first];
        return true;
    }

    private void own() {
        if (node.type == ColumnType.ENUM) {
            for (long number : stored) {
                if (number < 0 || number > 255) {
                    width = 4;
                }
            }
        }
    }

    private void auto() {
        boolean done = node.type == ColumnType.DOUBLE && narrow(true)
                || node.type.isInteger() && offsetFromLeast();
        if (!done) {
            own();
        }
    }

    /** Stores doubles as floats: all of them exactly, or as long as none becomes infinite. */
    private boolean narrow(boolean exactly) {
        long[] floats = new long[stored.length];
        for (int i = 0; i < floats.length; i++) {
            double value = Double.longBitsToDouble(stored[i]);
            float rounded = (float) value;
            boolean lost = exactly
                    ? Double.doubleToRawLongBits(rounded) != stored[i]
                    : Float.isInfinite(rounded) && !Double.isInfinite(value);
            if (lost) {
                return false;
            }
            floats[i] = Float.floatToRawIntBits(rounded);
        }
        stored = floats;
        width = 4;
        return true;
    }

    /** Stores integers as their distance from the least one, if that is shorter. */
    private boolean offsetFromLeast() {
        // With the sign bit turned, unsigned numbers have the order of signed ones.
        long turn = node.type == ColumnType.UINT64 ? Long.MIN_VALUE : 0;
        long least = Long.MAX_VALUE;
        long most = Long.MIN_VALUE;
        for (int i = next(0); i < stored.length; i = next(i + 1)) {
            least = Math.min(least, stored[i] ^ turn);
            most = Math.max(most, stored[i] ^ turn);
        }
        int shorter = widthOf(most - least);
        least ^= turn;
        // Beyond all bases is also what a long shows as negative of an unsigned number.
        boolean exact = least <= LARGEST_BASE && least >= (turn == 0 ? -LARGEST_BASE : 0);
        if (shorter == 0 || !exact) {
            return false;
        }
        for (int i = next(0); i < stored.length; i = next(i + 1)) {
            stored[i] -= least;
        }
        scaled = true;
        scale = 1;
        base = least;
        width = shorter;
        return true;
    }

    /** The least width below the type's own that an unsigned number fits; 0: none does. */
    private int widthOf(long largest) {
        for (int bytes = 1; bytes <= 4 && bytes < node.type.width; bytes++) {
            if (largest >>> 8 * bytes == 0) {
                return bytes;
            }
        }
        return 0;
    }

    /** Stores reals as multiples of almost twice the error, if all come back within it. */
    private boolean within(double error) {
        double least = Double.POSITIVE_INFINITY;
        for (int i = next(0); i < stored.length; i = next(i + 1)) {
            double value = real(stored[i]);
            if (!Double.isFinite(value)) {
                return false;
            }
            least = value < least ? value : least;
        }
        double step = 2 * error * BELOW;
        long[] numbers = new long[stored.length];
        long largest = 0;
        for (int i = next(0); i < stored.length; i = next(i + 1)) {
            double value = real(stored[i]);
            double number = Math.floor((value - least) / step + 0.5);
            if (!(number < 0x1p32)) {
                return false;
            }
            numbers[i] = (long) number;
            largest = Math.max(largest, numbers[i]);
            double read = least + step * numbers[i];
            read = node.type == ColumnType.FLOAT ? (float) read : read;
            if (!(Math.abs(read - value) <= error)) {
                return false;
            }
        }
        int shorter = widthOf(largest);
        if (shorter == 0) {
            return false;
        }
        stored = numbers;
        scaled = true;
        scale = step;
        base = least;
        width = shorter;
        return true;
    }

    private double real(long bits) {
        return node.type == ColumnType.FLOAT ? Float.intBitsToFloat((int) bits) : Double.longBitsToDouble(bits);
    }

    private void findRuns() {
        int count = stored.length;
        int runs = 0;
        for (int i = 0; i < count; i++) {
            runs += i == 0 || stored[i] != stored[i - 1] ? 1 : 0;
        }
        if (4 * (runs + 1L) + (long) width * runs >= (long) width * count) {
            return;
        }
        starts = new int[runs + 1];
        long[] kept = new long[runs];
        int run = 0;
        for (int i = 0; i < count; i++) {
            if (i == 0 || stored[i] != stored[i - 1]) {
                starts[run] = i;
                kept[run++] = stored[i];
            }
        }
        starts[runs] = count;
        stored = kept;
    }
}
