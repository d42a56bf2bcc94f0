// SPDX-License-Identifier: Apache-2.0
package wire.runtime;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** Strings or bytes of all elements of a list; their indices are those of values. */
public final class TextColumn extends Column {
    private final ColumnData texts;

    /** {@code data}: of the field; of a repeated one, {@code texts} are what it repeats. */
    TextColumn(ColumnData data, ColumnData texts) {
        super(data);
        this.texts = texts;
    }

    /** The text with index i, read-only where it lies. */
    public ByteBuffer slice(int i) {
        Objects.checkIndex(i, size());
        if (texts.constant) {
            return texts.constantText.asReadOnlyBuffer();
        }
        if (texts.column == null) {
            return ByteBuffer.allocate(0).asReadOnlyBuffer();
        }
        int begin = texts.begin(i);
        return texts.column.data.slice(texts.column.at + begin, texts.begin(i + 1) - begin).asReadOnlyBuffer();
    }

    /** A copy of the text with index i. */
    public byte[] bytes(int i) {
        byte[] copy = new byte[length(i)];
        if (texts.constant) {
            texts.constantText.get(texts.constantText.position(), copy);
        } else if (copy.length > 0) {
            texts.column.data.get(texts.column.at + texts.begin(i), copy);
        }
        return copy;
    }

    /** Bytes of the text with index i. */
    public int length(int i) {
        Objects.checkIndex(i, size());
        return texts.constant ? texts.constantText.remaining() : texts.begin(i + 1) - texts.begin(i);
    }

    /** The string with index i; bytes that are no UTF-8 are read as U+FFFD. */
    public String get(int i) {
        if (texts.column == null || !texts.column.data.hasArray()) {
            return new String(bytes(i), StandardCharsets.UTF_8);
        }
        int begin = texts.begin(Objects.checkIndex(i, size()));
        int from = texts.column.data.arrayOffset() + texts.column.at + begin;
        return new String(texts.column.data.array(), from, texts.begin(i + 1) - begin, StandardCharsets.UTF_8);
    }
}
