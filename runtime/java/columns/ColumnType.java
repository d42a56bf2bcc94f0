// SPDX-License-Identifier: Apache-2.0
package wire.runtime;

/** Types of fields as columns know them. {@link #width}: bytes of a value that is stored as it is. */
public enum ColumnType {
    DOUBLE(8),
    FLOAT(4),
    INT64(8),
    UINT64(8),
    INT32(4),
    UINT32(4),
    INT16(2),
    UINT16(2),
    INT8(1),
    UINT8(1),
    BOOL(1),
    /** Stored in one byte, or in four. */
    ENUM(1),
    /** A string or bytes. */
    TEXT(0),
    MESSAGE(0);

    final int width;

    ColumnType(int width) {
        this.width = width;
    }

    boolean isReal() {
        return this == DOUBLE || this == FLOAT;
    }

    boolean isInteger() {
        return compareTo(INT64) >= 0 && compareTo(UINT8) <= 0;
    }

    boolean isSigned() {
        return this == INT64 || this == INT32 || this == INT16 || this == INT8 || this == ENUM;
    }

    boolean isScalar() {
        return compareTo(TEXT) < 0;
    }

    /** Whether an unreduced column is one field of bytes instead of a packed field. */
    boolean inBytes() {
        return width < 4;
    }

    /** Whether a column without scale may have stored values of that width. */
    boolean allows(int stored) {
        return stored == width || (this == DOUBLE || this == ENUM) && stored == 4;
    }

    /** A number with the least {@code 8 * width} bits of {@code bits}, as the type has it. */
    long extend(long bits) {
        return switch (this) {
            case INT32, ENUM -> (int) bits;
            case UINT32, FLOAT -> bits & 0xFFFFFFFFL;
            case INT16 -> (short) bits;
            case UINT16 -> bits & 0xFFFF;
            case INT8 -> (byte) bits;
            case UINT8 -> bits & 0xFF;
            case BOOL -> bits != 0 ? 1 : 0;
            default -> bits;
        };
    }
}
