// SPDX-License-Identifier: Apache-2.0
package users;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;
import wire.rsb_msgs.EventId;
import wire.rsb_msgs.EventMetaData;
import wire.rsb_msgs.Notification;
import wire.rsb_msgs.UserInfo;
import wire.rsb_msgs.UserTime;

/** The floor of the ros1 wire: what a person writes who knows this one message. */
public final class HandWritten {
    private static final int FEW = 32;
    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private HandWritten() {}

    public static int encode(Notification m, byte[] b) {
        int p = put(b, 0, m.eventId.senderId);
        INT.set(b, p, m.eventId.sequenceNumber);
        p = put(b, p + 4, m.scope);
        p = put(b, p, m.wireSchema);
        p = put(b, p, m.data);
        p = put(b, p, m.method);
        INT.set(b, p, m.causes.length);
        p += 4;
        for (EventId cause : m.causes) {
            p = put(b, p, cause.senderId);
            INT.set(b, p, cause.sequenceNumber);
            p += 4;
        }
        EventMetaData meta = m.metaData;
        LONG.set(b, p, meta.createTime);
        LONG.set(b, p + 8, meta.sendTime);
        LONG.set(b, p + 16, meta.receiveTime);
        LONG.set(b, p + 24, meta.deliverTime);
        INT.set(b, p + 32, meta.userTimes.length);
        p += 36;
        for (UserTime time : meta.userTimes) {
            p = put(b, p, time.key);
            LONG.set(b, p, time.timestamp);
            p += 8;
        }
        INT.set(b, p, meta.userInfos.length);
        p += 4;
        for (UserInfo info : meta.userInfos) {
            p = put(b, p, info.key);
            p = put(b, p, info.value);
        }
        return p;
    }

    public static Notification decode(byte[] b, int end) {
        Objects.checkFromToIndex(0, end, b.length);
        Notification m = new Notification();
        EventMetaData meta = m.metaData;
        byte[] text = m.eventId.senderId = get(b, 0, end);
        int p = 4 + text.length;
        m.eventId.sequenceNumber = (int) INT.get(b, p);
        m.scope = text = get(b, p += 4, end);
        m.wireSchema = text = get(b, p += 4 + text.length, end);
        m.data = text = get(b, p += 4 + text.length, end);
        m.method = text = get(b, p += 4 + text.length, end);
        int count = count(b, p += 4 + text.length, end, 8);
        p += 4;
        if (count != 0) {
            m.causes = new EventId[count];
            for (int i = 0; i < count; i++) {
                EventId id = m.causes[i] = new EventId();
                id.senderId = get(b, p, end);
                p += 8 + id.senderId.length;
                id.sequenceNumber = (int) INT.get(b, p - 4);
            }
        }
        meta.createTime = (long) LONG.get(b, p);
        meta.sendTime = (long) LONG.get(b, p + 8);
        meta.receiveTime = (long) LONG.get(b, p + 16);
        meta.deliverTime = (long) LONG.get(b, p + 24);
        count = count(b, p += 32, end, 12);
        p += 4;
        if (count != 0) {
            meta.userTimes = new UserTime[count];
            for (int i = 0; i < count; i++) {
                UserTime time = meta.userTimes[i] = new UserTime();
                time.key = get(b, p, end);
                p += 12 + time.key.length;
                time.timestamp = (long) LONG.get(b, p - 8);
            }
        }
        count = count(b, p, end, 8);
        p += 4;
        if (count != 0) {
            meta.userInfos = new UserInfo[count];
            for (int i = 0; i < count; i++) {
                UserInfo info = meta.userInfos[i] = new UserInfo();
                info.key = get(b, p, end);
                info.value = get(b, p += 4 + info.key.length, end);
                p += 4 + info.value.length;
            }
        }
        if (p != end) {
            throw new IllegalArgumentException((end - p) + " bytes too many");
        }
        return m;
    }

    private static int put(byte[] b, int p, byte[] value) {
        int n = value.length;
        INT.set(b, p, n);
        copy(value, 0, b, p + 4, n);
        return p + 4 + n;
    }

    private static byte[] get(byte[] b, int p, int end) {
        int n = count(b, p, end, 1);
        if (n > FEW) {
            return Arrays.copyOfRange(b, p + 4, p + 4 + n);
        }
        byte[] v = new byte[n];
        copy(b, p + 4, v, 0, n);
        return v;
    }

    /** Few bytes are copied here, without the call that many are worth. */
    private static void copy(byte[] from, int i, byte[] to, int j, int n) {
        if (n > FEW || n < 4) {
            System.arraycopy(from, i, to, j, n);
        } else if (n < 8) {
            INT.set(to, j, (int) INT.get(from, i));
            INT.set(to, j + n - 4, (int) INT.get(from, i + n - 4));
        } else {
            if (n > 16) {
                LONG.set(to, j + 8, (long) LONG.get(from, i + 8));
                LONG.set(to, j + n - 16, (long) LONG.get(from, i + n - 16));
            }
            LONG.set(to, j, (long) LONG.get(from, i));
            LONG.set(to, j + n - 8, (long) LONG.get(from, i + n - 8));
        }
    }

    /** A number of elements of at least {@code least} bytes each, which must be there. */
    private static int count(byte[] b, int p, int end, int least) {
        int count = (int) INT.get(b, p);
        if (count < 0 || count > (end - p - 4) / least) {
            throw new IllegalArgumentException(count + " elements do not fit");
        }
        return count;
    }
}
