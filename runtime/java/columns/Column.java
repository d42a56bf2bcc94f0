// SPDX-License-Identifier: Apache-2.0
package wire.runtime;

import java.util.Objects;

/**
 * A field of all elements of a list. {@code i} counts the messages around it; of a repeated field
 * the values with the indices from {@link #begin} up to {@link #end} belong to one of them. Methods
 * throw IndexOutOfBoundsException for what is not there.
 */
public class Column {
    final ColumnData data;

    Column(ColumnData data) {
        this.data = data;
    }

    /** How many messages are around it. */
    public final int elements() {
        return data.elements;
    }

    /** How many values it has: {@link #elements}, or of a repeated field all of them together. */
    public final int size() {
        return data.size;
    }

    /** Whether columns hold it: otherwise no element has it, or all have its default. */
    public final boolean isStored() {
        return data.isStored();
    }

    /** Whether every element has the field. */
    public final boolean hasAll() {
        return data.hasAll();
    }

    /** Whether element i has the field. What is read of one that has not means nothing. */
    public final boolean has(int i) {
        return data.has(Objects.checkIndex(i, data.elements));
    }

    /** Index of the first value of element i. */
    public final int begin(int i) {
        Objects.checkIndex(i, data.elements);
        return data.node.repeated ? data.begin(i) : i;
    }

    /** Index behind the last value of element i. */
    public final int end(int i) {
        Objects.checkIndex(i, data.elements);
        return data.node.repeated ? data.begin(i + 1) : i + 1;
    }
}
