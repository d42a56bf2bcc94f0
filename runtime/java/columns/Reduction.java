// SPDX-License-Identifier: Apache-2.0
package wire.runtime;

/**
 * What a writer may do to a column.
 *
 * @param form how values are stored
 * @param error of {@link Form#ERROR}: the largest difference between a value and what is read
 */
public record Reduction(Form form, double error) {
    /** Kinds of reduction. */
    public enum Form {
        /** The type's own array. */
        EXACT,
        /** The smallest of all forms that keep every bit. */
        AUTO,
        /** double as float. */
        FLOAT32,
        /** The smallest form within an error. */
        ERROR
    }

    public static final Reduction EXACT = new Reduction(Form.EXACT, 0);
    public static final Reduction AUTO = new Reduction(Form.AUTO, 0);
    public static final Reduction FLOAT32 = new Reduction(Form.FLOAT32, 0);

    /** Throws IllegalArgumentException if an error is not a positive number, or needless. */
    public Reduction {
        if (form == Form.ERROR ? !(error > 0 && error <= Double.MAX_VALUE) : error != 0) {
            throw new IllegalArgumentException(error + " is no largest error; give a positive number");
        }
    }

    /** Values that differ by {@code largest} at most, in the field's unit. */
    public static Reduction error(double largest) {
        return new Reduction(Form.ERROR, largest);
    }

    /** The same where it makes sense for a type, else exact. */
    Reduction of(ColumnType type) {
        boolean takes = switch (form) {
            case EXACT -> true;
            case AUTO -> type != ColumnType.MESSAGE;
            case FLOAT32 -> type == ColumnType.DOUBLE;
            case ERROR -> type.isReal();
        };
        return takes ? this : EXACT;
    }
}
