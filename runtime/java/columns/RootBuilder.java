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
        ColumnLayout layout = ColumnWriter.lay(node, inputs, count);
        ByteBuffer out = room(layout.size(0));
        layout.write(out, 0);
        return out.array();
    }

    /** A message with the columns behind it, as its field {@code number}. */
    public final byte[] appendTo(byte[] message, int number) {
        ColumnLayout layout = ColumnWriter.lay(node, inputs, count);
        ColumnLayout tag = new ColumnLayout();
        tag.open(number);
        tag.close();
        int begin = Wire.size(tag.size(0) + message.length);
        ByteBuffer out = room(begin + layout.size(begin));
        out.put(message);
        tag.write(out, 0);
        layout.write(out, 0);
        ColumnLayout.putLength(out, begin - ColumnLayout.LENGTH_BYTES, out.position() - begin);
        return out.array();
    }

    /**
     * Writes the columns from a buffer's position on, without a tag. {@code begin}: index where the
     * whole message around them begins, which is what they are aligned to. Throws
     * BufferOverflowException if the buffer is too small.
     */
    public final void write(ByteBuffer out, int begin) {
        ByteBuffer little = out.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        ColumnLayout layout = ColumnWriter.lay(node, inputs, count);
        if (layout.size(out.position() - begin) > out.remaining()) {
            throw new BufferOverflowException();
        }
        layout.write(little, begin);
        out.position(little.position());
    }

    /** Bytes that {@link #write} takes at {@code position} of the whole message. */
    public final int size(int position) {
        return Wire.size(ColumnWriter.lay(node, inputs, count).size(position));
    }

    private static ByteBuffer room(long size) {
        return ByteBuffer.allocate(Wire.size(size)).order(ByteOrder.LITTLE_ENDIAN);
    }
}
