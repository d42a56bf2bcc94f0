// SPDX-License-Identifier: Apache-2.0
package wirecost.bench.notification;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** What reading a message touches: every number and every byte, folded so that none is skipped. */
public final class Sink {
    private static final VarHandle WORD =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private long sum;

    public void number(long value) {
        sum += value;
    }

    public void bytes(byte[] value) {
        bytes(value, 0, value.length);
    }

    public void bytes(byte[] value, int offset, int length) {
        long folded = sum + length; // a field would be stored for every word
        int words = offset + (length & -8);
        int end = offset + length;
        for (int i = offset; i < words; i += 8) {
            folded ^= (long) WORD.get(value, i);
        }
        for (int i = words; i < end; i++) {
            folded += value[i] & 0xFF;
        }
        sum = folded;
    }

    public void bytes(ByteBuffer value) {
        value.order(ByteOrder.LITTLE_ENDIAN);
        int size = value.remaining();
        long folded = sum + size;
        int words = size & -8;
        for (int i = 0; i < words; i += 8) {
            folded ^= value.getLong(i);
        }
        for (int i = words; i < size; i++) {
            folded += value.get(i) & 0xFF;
        }
        sum = folded;
    }

    public long sum() {
        return sum;
    }
}
