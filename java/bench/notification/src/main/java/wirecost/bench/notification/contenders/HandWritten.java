// SPDX-License-Identifier: Apache-2.0
package wirecost.bench.notification.contenders;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;
import java.util.OptionalLong;
import wirecost.bench.notification.Contender;
import wirecost.bench.notification.NotificationValue;
import wirecost.bench.notification.Sink;

/** The floor of the ros1 wire: what a person writes who knows this one message; always new. */
public final class HandWritten implements Contender<HandWritten.Notification> {
    private static final EventId[] NO_IDS = {};
    private static final UserTime[] NO_TIMES = {};
    private static final UserInfo[] NO_INFOS = {};
    private static final byte[] NO_BYTES = {};
    private static final int FEW = 32;

    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    static final class EventId {
        byte[] senderId;
        int sequenceNumber;
    }

    static final class UserTime {
        byte[] key;
        long timestamp;
    }

    static final class UserInfo {
        byte[] key;
        byte[] value;
    }

    static final class Notification {
        byte[] senderId;
        int sequenceNumber;
        byte[] scope;
        byte[] wireSchema;
        byte[] data;
        byte[] method = NO_BYTES;
        EventId[] causes = NO_IDS;
        long createTime;
        long sendTime;
        long receiveTime;
        long deliverTime;
        UserTime[] userTimes = NO_TIMES;
        UserInfo[] userInfos = NO_INFOS;
    }

    @Override
    public Notification fill(NotificationValue v, Notification used) {
        Notification m = new Notification();
        m.senderId = v.eventId().senderId();
        m.sequenceNumber = v.eventId().sequenceNumber();
        m.scope = v.scope();
        m.wireSchema = v.wireSchema();
        m.data = v.data();
        m.method = v.method() == null ? NO_BYTES : v.method();
        m.causes = v.causes().isEmpty() ? NO_IDS : new EventId[v.causes().size()];
        for (int i = 0; i < m.causes.length; i++) {
            m.causes[i] = new EventId();
            m.causes[i].senderId = v.causes().get(i).senderId();
            m.causes[i].sequenceNumber = v.causes().get(i).sequenceNumber();
        }
        m.createTime = v.createTime();
        m.sendTime = v.sendTime();
        m.receiveTime = v.receiveTime().orElse(0);
        m.deliverTime = v.deliverTime().orElse(0);
        m.userTimes = v.userTimes().isEmpty() ? NO_TIMES : new UserTime[v.userTimes().size()];
        for (int i = 0; i < m.userTimes.length; i++) {
            m.userTimes[i] = new UserTime();
            m.userTimes[i].key = v.userTimes().get(i).key();
            m.userTimes[i].timestamp = v.userTimes().get(i).timestamp();
        }
        m.userInfos = v.userInfos().isEmpty() ? NO_INFOS : new UserInfo[v.userInfos().size()];
        for (int i = 0; i < m.userInfos.length; i++) {
            m.userInfos[i] = new UserInfo();
            m.userInfos[i].key = v.userInfos().get(i).key();
            m.userInfos[i].value = v.userInfos().get(i).value();
        }
        return m;
    }

    @Override
    public int size(Notification m) {
        int n = 5 * 4 + 4 + 3 * 4 + 4 * 8; // strings' lengths, a number, counts, times
        n += m.senderId.length + m.scope.length + m.wireSchema.length + m.data.length;
        n += m.method.length;
        for (EventId cause : m.causes) {
            n += 8 + cause.senderId.length;
        }
        for (UserTime time : m.userTimes) {
            n += 12 + time.key.length;
        }
        for (UserInfo info : m.userInfos) {
            n += 8 + info.key.length + info.value.length;
        }
        return n;
    }

    @Override
    public int encode(Notification m, byte[] b) {
        int p = put(b, 0, m.senderId);
        INT.set(b, p, m.sequenceNumber);
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
        LONG.set(b, p, m.createTime);
        LONG.set(b, p + 8, m.sendTime);
        LONG.set(b, p + 16, m.receiveTime);
        LONG.set(b, p + 24, m.deliverTime);
        INT.set(b, p + 32, m.userTimes.length);
        p += 36;
        for (UserTime time : m.userTimes) {
            p = put(b, p, time.key);
            LONG.set(b, p, time.timestamp);
            p += 8;
        }
        INT.set(b, p, m.userInfos.length);
        p += 4;
        for (UserInfo info : m.userInfos) {
            p = put(b, p, info.key);
            p = put(b, p, info.value);
        }
        return p;
    }

    @Override
    public Notification decode(byte[] b, int end, Notification used) {
        Objects.checkFromToIndex(0, end, b.length);
        Notification m = new Notification();
        byte[] text = m.senderId = get(b, 0, end);
        int p = 4 + text.length;
        m.sequenceNumber = (int) INT.get(b, p);
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
        m.createTime = (long) LONG.get(b, p);
        m.sendTime = (long) LONG.get(b, p + 8);
        m.receiveTime = (long) LONG.get(b, p + 16);
        m.deliverTime = (long) LONG.get(b, p + 24);
        count = count(b, p += 32, end, 12);
        p += 4;
        if (count != 0) {
            m.userTimes = new UserTime[count];
            for (int i = 0; i < count; i++) {
                UserTime time = m.userTimes[i] = new UserTime();
                time.key = get(b, p, end);
                p += 12 + time.key.length;
                time.timestamp = (long) LONG.get(b, p - 8);
            }
        }
        count = count(b, p, end, 8);
        p += 4;
        if (count != 0) {
            m.userInfos = new UserInfo[count];
            for (int i = 0; i < count; i++) {
                UserInfo info = m.userInfos[i] = new UserInfo();
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

    @Override
    public void readAll(Notification m, Sink sink) {
        sink.bytes(m.senderId);
        sink.number(m.sequenceNumber);
        sink.bytes(m.scope);
        sink.bytes(m.wireSchema);
        sink.bytes(m.data);
        sink.bytes(m.method);
        for (EventId cause : m.causes) {
            sink.bytes(cause.senderId);
            sink.number(cause.sequenceNumber);
        }
        sink.number(m.createTime);
        sink.number(m.sendTime);
        sink.number(m.receiveTime);
        sink.number(m.deliverTime);
        for (UserTime time : m.userTimes) {
            sink.bytes(time.key);
            sink.number(time.timestamp);
        }
        for (UserInfo info : m.userInfos) {
            sink.bytes(info.key);
            sink.bytes(info.value);
        }
    }

    @Override
    public NotificationValue value(Notification m) {
        return new NotificationValue(
                new NotificationValue.EventId(m.senderId, m.sequenceNumber),
                m.scope,
                m.wireSchema,
                m.data,
                m.method,
                Arrays.stream(m.causes)
                        .map(c -> new NotificationValue.EventId(c.senderId, c.sequenceNumber))
                        .toList(),
                m.createTime,
                m.sendTime,
                OptionalLong.of(m.receiveTime),
                OptionalLong.of(m.deliverTime),
                Arrays.stream(m.userTimes)
                        .map(t -> new NotificationValue.UserTime(t.key, t.timestamp))
                        .toList(),
                Arrays.stream(m.userInfos)
                        .map(i -> new NotificationValue.UserInfo(i.key, i.value))
                        .toList());
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
