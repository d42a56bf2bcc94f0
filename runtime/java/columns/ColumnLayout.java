// SPDX-License-Identifier: Apache-2.0
package wire.runtime;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The fields of a message in columns, in their order. They are placed when they are written: where
 * they come to lie decides how much padding there is.
 */
final class ColumnLayout {
    private static final int ALIGNMENT = 64;
    private static final int PADDING = (7 << 26) + 1;

    /** Bytes of the tag and length of padding. */
    private static final int PADDING_HEAD = 6;

    static final int LENGTH_BYTES = 5;
    private static final int OPEN = 8;
    private static final int CLOSE = 9;

    /** {@code kind}: a wire type, or the begin or end of a message. {@code body}: writes a payload. */
    private record Part(int number, int kind, long bits, Consumer<ByteBuffer> body) {}

    private final List<Part> parts = new ArrayList<>();

    void number(int number, int wireType, long bits) {
        parts.add(new Part(number, wireType, bits, null));
    }

    /** Bytes that are placed where they come to lie. */
    void text(int number, byte[] text, int length) {
        parts.add(new Part(number, ProtobufInput.GROUP, length, out -> out.put(text, 0, length)));
    }

    /** Bytes that begin at a multiple of 64. */
    void payload(int number, long length, Consumer<ByteBuffer> body) {
        parts.add(new Part(number, ProtobufInput.LENGTH, length, body));
    }

    void open(int number) {
        parts.add(new Part(number, OPEN, 0, null));
    }

    void close() {
        parts.add(new Part(0, CLOSE, 0, null));
    }

    /** Bytes it takes from {@code at} on, counted from where the whole message begins. */
    long size(long at) {
        long p = at;
        for (Part part : parts) {
            p = switch (part.kind) {
                case ProtobufInput.VARINT -> p + head(part) + Wire.varintSize(part.bits);
                case ProtobufInput.FIXED64 -> p + head(part) + 8;
                case ProtobufInput.FIXED32 -> p + head(part) + 4;
                case ProtobufInput.GROUP -> p + head(part) + Wire.prefixed(part.bits);
                case ProtobufInput.LENGTH -> p + padding(p, part) + head(part) + Wire.prefixed(part.bits);
                case OPEN -> p + head(part) + LENGTH_BYTES;
                default -> p;
            };
        }
        return p - at;
    }

    /** Writes from the buffer's position on; the whole message begins at {@code begin}. */
    void write(ByteBuffer out, int begin) {
        List<Integer> opened = new ArrayList<>();
        for (Part part : parts) {
            if (part.kind == CLOSE) {
                int start = opened.remove(opened.size() - 1);
                putLength(out, start - LENGTH_BYTES, out.position() - start);
                continue;
            }
            if (part.kind == ProtobufInput.LENGTH) {
                pad(out, padding(out.position() - begin, part));
            }
            int wireType = part.kind == OPEN || part.kind == ProtobufInput.GROUP ? ProtobufInput.LENGTH : part.kind;
            putVarint(out, (long) part.number << 3 | wireType);
            switch (part.kind) {
                case ProtobufInput.VARINT -> putVarint(out, part.bits);
                case ProtobufInput.FIXED64 -> out.putLong(part.bits);
                case ProtobufInput.FIXED32 -> out.putInt((int) part.bits);
                case OPEN -> {
                    out.position(out.position() + LENGTH_BYTES);
                    opened.add(out.position());
                }
                default -> {
                    putVarint(out, part.bits);
                    part.body.accept(out);
                }
            }
        }
    }

    private static int head(Part part) {
        return Wire.varintSize((long) part.number << 3);
    }

    /** Bytes before the part's tag, so that its payload begins at a multiple of 64. */
    private static int padding(long p, Part part) {
        int missing = (int) -(p + head(part) + Wire.varintSize(part.bits)) & ALIGNMENT - 1;
        return missing == 0 || missing >= PADDING_HEAD ? missing : missing + ALIGNMENT;
    }

    private static void pad(ByteBuffer out, int count) {
        if (count > 0) {
            putVarint(out, (long) PADDING << 3 | ProtobufInput.LENGTH);
            putVarint(out, count - PADDING_HEAD);
            out.put(new byte[count - PADDING_HEAD]);
        }
    }

    private static void putVarint(ByteBuffer out, long value) {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            out.put((byte) (rest | 0x80));
            rest >>>= 7;
        }
        out.put((byte) rest);
    }

    /** A length that takes five bytes, whatever it is. */
    static void putLength(ByteBuffer out, int at, int length) {
        for (int i = 0; i < LENGTH_BYTES; i++) {
            int more = i < LENGTH_BYTES - 1 ? 0x80 : 0;
            out.put(at + i, (byte) (length >>> 7 * i & 0x7F | more));
        }
    }
}
