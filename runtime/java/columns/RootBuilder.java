// SPDX-License-Identifier: Apache-2.0
package wire.runtime;

import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Takes a list of messages as columns and writes them. Columns refer to the arrays they were given
 * until they are written. What does not fit together is refused with IllegalArgumentException.
 */
public class RootBuilder extends MessageBuilder {
    private final int count;

    /** For {@code count} messages. */
    protected RootBuilder(ColumnNode root, int count) {
        super(root);
        if (count < 0) {
            throw new IllegalArgumentException(count + " elements; give 0 or more");
        }
        this.count = count;
    }

    /** For rows that have been read. */
    protected RootBuilder(ColumnNode root, RowReader rows) {
        this(root, rows.count());
        rows.give(inputs);
    }

    /** The columns as a message of its own: the content of a columns field at position 0. */
    public final byte[] toBytes() {
        ColumnLayout layout = content();
        ByteBuffer out = room(layout.size(0));
        layout.write(out, 0);
        return out.array();
    }

    /** A message with the columns behind it, as its field {@code number}. */
    public final byte[] appendTo(byte[] message, int number) {
        ColumnLayout field = field(number);
        ByteBuffer out = room(message.length + field.size(message.length)).put(message);
        field.write(out, 0);
        return out.array();
    }

    /**
     * Writes the columns behind a message that lies in a buffer from {@code begin} up to its
     * position, as the field {@code number}. Throws BufferOverflowException if the buffer is too small.
     */
    public final void appendTo(ByteBuffer message, int begin, int number) {
        put(field(number), message, begin);
    }

    private ColumnLayout content() {
        ColumnLayout content = new ColumnLayout();
        ColumnWriter.lay(content, node, inputs, count);
        return content;
    }

    private ColumnLayout field(int number) {
        ColumnLayout field = new ColumnLayout();
        field.open(number);
        ColumnWriter.lay(field, node, inputs, count);
        field.close();
        return field;
    }

    /**
     * Writes the columns from a buffer's position on, without a tag. {@code begin}: index where the
     * whole message around them begins, which is what they are aligned to. Throws
     * BufferOverflowException if the buffer is too small.
     */
    public final void write(ByteBuffer out, int begin) {
        put(content(), out, begin);
    }

    private static void put(ColumnLayout layout, ByteBuffer out, int begin) {
        ByteBuffer little = out.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        if (layout.size(out.position() - begin) > out.remaining()) {
            throw new BufferOverflowException();
        }
        layout.write(little, begin);
        out.position(little.position());
    }

    /** Bytes that {@link #write} takes at {@code position} of the whole message. */
    public final int size(int position) {
        return Wire.size(content().size(position));
    }

    private static ByteBuffer room(long size) {
        return ByteBuffer.allocate(Wire.size(size)).order(ByteOrder.LITTLE_ENDIAN);
    }
}
