// SPDX-License-Identifier: Apache-2.0
package wirecost.bench.notification.contenders;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
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
    public int encode(Notification m, byte[] to) {
        ByteBuffer out = ByteBuffer.wrap(to).order(ByteOrder.LITTLE_ENDIAN);
        put(out, m.senderId);
        out.putInt(m.sequenceNumber);
        put(out, m.scope);
        put(out, m.wireSchema);
        put(out, m.data);
        put(out, m.method);
        out.putInt(m.causes.length);
        for (EventId cause : m.causes) {
            put(out, cause.senderId);
            out.putInt(cause.sequenceNumber);
        }
        out.putLong(m.createTime).putLong(m.sendTime).putLong(m.receiveTime).putLong(m.deliverTime);
        out.putInt(m.userTimes.length);
        for (UserTime time : m.userTimes) {
            put(out, time.key);
            out.putLong(time.timestamp);
        }
        out.putInt(m.userInfos.length);
        for (UserInfo info : m.userInfos) {
            put(out, info.key);
            put(out, info.value);
        }
        return out.position();
    }

    @Override
    public Notification decode(byte[] from, int size, Notification used) {
        ByteBuffer in = ByteBuffer.wrap(from, 0, size).order(ByteOrder.LITTLE_ENDIAN);
        Notification m = new Notification();
        m.senderId = get(in);
        m.sequenceNumber = in.getInt();
        m.scope = get(in);
        m.wireSchema = get(in);
        m.data = get(in);
        m.method = get(in);
        int count = count(in, 8);
        m.causes = count == 0 ? NO_IDS : new EventId[count];
        for (int i = 0; i < count; i++) {
            m.causes[i] = new EventId();
            m.causes[i].senderId = get(in);
            m.causes[i].sequenceNumber = in.getInt();
        }
        m.createTime = in.getLong();
        m.sendTime = in.getLong();
        m.receiveTime = in.getLong();
        m.deliverTime = in.getLong();
        count = count(in, 12);
        m.userTimes = count == 0 ? NO_TIMES : new UserTime[count];
        for (int i = 0; i < count; i++) {
            m.userTimes[i] = new UserTime();
            m.userTimes[i].key = get(in);
            m.userTimes[i].timestamp = in.getLong();
        }
        count = count(in, 8);
        m.userInfos = count == 0 ? NO_INFOS : new UserInfo[count];
        for (int i = 0; i < count; i++) {
            m.userInfos[i] = new UserInfo();
            m.userInfos[i].key = get(in);
            m.userInfos[i].value = get(in);
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

    private static void put(ByteBuffer out, byte[] value) {
        out.putInt(value.length).put(value);
    }

    private static byte[] get(ByteBuffer in) {
        byte[] value = new byte[count(in, 1)];
        in.get(value);
        return value;
    }

    /** A number of elements of at least {@code least} bytes each, which must be there. */
    private static int count(ByteBuffer in, int least) {
        int count = in.getInt();
        if (count < 0 || count > in.remaining() / least) {
            throw new IllegalArgumentException(count + " elements do not fit");
        }
        return count;
    }
}
