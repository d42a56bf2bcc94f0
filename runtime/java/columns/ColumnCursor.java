// SPDX-License-Identifier: Apache-2.0
package wire.runtime;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Protobuf's wire format in a buffer of any kind; every read is given the end it may not pass. */
final class ColumnCursor {
    final ByteBuffer data;
    final int begin;
    int p;

    /** Over what remains of a buffer, which keeps its position. */
    ColumnCursor(ByteBuffer from) {
        data = from.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        begin = from.position();
        p = begin;
    }

    WireException error(int at, String reason) {
        return new WireException(at - begin, reason);
    }

    long varint(int end) throws WireException {
        long value = 0;
        int at = p;
        for (int i = 0; i < 10 && at + i < end; i++) {
            byte next = data.get(at + i);
            value |= (next & 0x7FL) << 7 * i;
            if (next >= 0) {
                p = at + i + 1;
                return value;
            }
        }
        throw error(at, end - at < 10 ? "a number that does not end" : "a number of over 10 bytes");
    }

    /** The next field's number and wire type. */
    int tag(int end) throws WireException {
        int at = p;
        long tag = varint(end);
        if (tag >>> 32 != 0 || tag >>> 3 == 0 || p - at > ProtobufInput.LONGEST_TAG) {
            throw error(at, "no field number");
        }
        return (int) tag;
    }

    /** Moves over {@code n} bytes; returns where they begin. */
    int take(long n, int end) throws WireException {
        int at = p;
        if (n < 0 || n > end - at) {
            String needed = Long.toUnsignedString(n);
            throw error(at, needed + " bytes needed, " + (end - at) + " left");
        }
        p = at + (int) n;
        return at;
    }

    /** Moves over a length and as many bytes; returns where the bytes begin, they end at {@link #p}. */
    int bytes(int end) throws WireException {
        int at = p;
        long n = varint(end);
        if (p - at > ProtobufInput.LONGEST_TAG) {
            throw error(at, "a length of " + (p - at) + " bytes");
        }
        return take(n, end);
    }

    long fixed64(int end) throws WireException {
        return data.getLong(take(8, end));
    }

    int fixed32(int end) throws WireException {
        return data.getInt(take(4, end));
    }

    /** Moves over the field whose tag has been read; groups nest {@code depth} deep. */
    void skip(int tag, int end, int depth) throws WireException {
        switch (tag & 7) {
            case ProtobufInput.VARINT -> varint(end);
            case ProtobufInput.FIXED64 -> take(8, end);
            case ProtobufInput.LENGTH -> bytes(end);
            case ProtobufInput.FIXED32 -> take(4, end);
            case ProtobufInput.GROUP -> skipGroup(tag, end, depth + 1);
            default -> throw error(p, "unknown wire type or the end of a group that did not begin");
        }
    }

    private void skipGroup(int tag, int end, int depth) throws WireException {
        if (depth > Wire.MAX_DEPTH) {
            throw error(p, "groups nest more than " + Wire.MAX_DEPTH + " deep");
        }
        int stop = tag + ProtobufInput.GROUP_END - ProtobufInput.GROUP;
        for (int inner = tag(end); inner != stop; inner = tag(end)) {
            skip(inner, end, depth);
        }
    }
}
