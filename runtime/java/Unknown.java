// SPDX-License-Identifier: Apache-2.0
package wire.runtime;

import java.util.Arrays;

/** Protobuf fields that the schema does not know, as they were read, tags included. */
public final class Unknown {
    private byte[] bytes = new byte[32];
    private int size;

    /** A copy of the fields' bytes. */
    public byte[] toBytes() {
        return Arrays.copyOf(bytes, size);
    }

    /** How many bytes the fields take. */
    public int size() {
        return size;
    }

    void add(byte[] from, int begin, int end) {
        int count = end - begin;
        if (bytes.length - size < count) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + count));
        }
        System.arraycopy(from, begin, bytes, size, count);
        size += count;
    }

    /** Writes the fields so that they end at {@code p}; returns where they begin. */
    public int writeBefore(byte[] b, int p) {
        System.arraycopy(bytes, 0, b, p - size, size);
        return p - size;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Unknown that
                && Arrays.equals(bytes, 0, size, that.bytes, 0, that.size);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(toBytes());
    }

    @Override
    public String toString() {
        return size + " bytes";
    }
}
