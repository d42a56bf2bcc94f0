// SPDX-License-Identifier: Apache-2.0
package wirecost.bench.notification;

import java.util.List;
import java.util.OptionalLong;

/** The content of a notification, as no contender keeps it; times in microseconds since 1970. */
public record NotificationValue(
        EventId eventId,
        byte[] scope,
        byte[] wireSchema,
        byte[] data,
        byte[] method, // null: absent
        List<EventId> causes,
        long createTime,
        long sendTime,
        OptionalLong receiveTime,
        OptionalLong deliverTime,
        List<UserTime> userTimes,
        List<UserInfo> userInfos) {

    public record EventId(byte[] senderId, int sequenceNumber) {}

    public record UserTime(byte[] key, long timestamp) {}

    public record UserInfo(byte[] key, byte[] value) {}

    /** What reading everything must find. */
    public long sum() {
        Sink sink = new Sink();
        sink.bytes(eventId.senderId);
        sink.number(eventId.sequenceNumber);
        sink.bytes(scope);
        sink.bytes(wireSchema);
        sink.bytes(data);
        if (method != null) {
            sink.bytes(method);
        }
        for (EventId cause : causes) {
            sink.bytes(cause.senderId);
            sink.number(cause.sequenceNumber);
        }
        sink.number(createTime);
        sink.number(sendTime);
        receiveTime.ifPresent(sink::number);
        deliverTime.ifPresent(sink::number);
        for (UserTime time : userTimes) {
            sink.bytes(time.key);
            sink.number(time.timestamp);
        }
        for (UserInfo info : userInfos) {
            sink.bytes(info.key);
            sink.bytes(info.value);
        }
        return sink.sum();
    }
}
