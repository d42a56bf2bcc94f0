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
        sum += value.length;
        int i = 0;
        for (; i + 8 <= value.length; i += 8) {
            sum ^= (long) WORD.get(value, i);
        }
        for (; i < value.length; i++) {
            sum += value[i] & 0xFF;
        }
    }

    public void bytes(ByteBuffer value) {
        ByteBuffer words = value.order(ByteOrder.LITTLE_ENDIAN);
        int size = words.remaining();
        sum += size;
        int i = 0;
        for (; i + 8 <= size; i += 8) {
            sum ^= words.getLong(i);
        }
        for (; i < size; i++) {
            sum += words.get(i) & 0xFF;
        }
    }

    public long sum() {
        return sum;
    }
}
