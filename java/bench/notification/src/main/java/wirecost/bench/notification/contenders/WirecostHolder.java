// SPDX-License-Identifier: Apache-2.0
package wirecost.bench.notification.contenders;

import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import wire.rsb.protocol.EventId;
import wire.rsb.protocol.EventMetaData;
import wire.rsb.protocol.Notification;
import wire.runtime.Wire;
import wirecost.bench.notification.Contender;
import wirecost.bench.notification.NotificationValue;
import wirecost.bench.notification.Sink;

/** The generated holder, which the wires share. */
abstract class WirecostHolder implements Contender<Notification> {
    @Override
    public final Notification fill(NotificationValue value, Notification used) {
        Notification made = used != null ? used : new Notification();
        fill(made.eventId, value.eventId());
        made.scope = value.scope();
        made.wireSchema = value.wireSchema();
        made.data = value.data();
        made.method = value.method();
        fillCauses(made, value.causes());
        if (made.metaData == null) {
            made.metaData = new EventMetaData();
        }
        fill(made.metaData, value);
        return made;
    }

    // In parts, each small enough to be compiled into its caller.

    private static void fillCauses(Notification made, List<NotificationValue.EventId> values) {
        int count = values.size();
        if (made.causes.length != count) {
            made.causes = Wire.moved(made.causes, new EventId[count]);
        }
        for (int i = 0; i < count; i++) {
            if (made.causes[i] == null) {
                made.causes[i] = new EventId();
            }
            fill(made.causes[i], values.get(i));
        }
    }

    private static void fill(EventMetaData meta, NotificationValue value) {
        meta.createTime = value.createTime();
        meta.sendTime = value.sendTime();
        meta.hasReceiveTime = value.receiveTime().isPresent();
        meta.receiveTime = value.receiveTime().orElse(0);
        meta.hasDeliverTime = value.deliverTime().isPresent();
        meta.deliverTime = value.deliverTime().orElse(0);
        fillTimes(meta, value.userTimes());
        fillInfos(meta, value.userInfos());
    }

    private static void fillTimes(EventMetaData meta, List<NotificationValue.UserTime> values) {
        int count = values.size();
        if (meta.userTimes.length != count) {
            meta.userTimes = Wire.moved(meta.userTimes, new EventMetaData.UserTime[count]);
        }
        for (int i = 0; i < count; i++) {
            EventMetaData.UserTime added = meta.userTimes[i];
            if (added == null) {
                meta.userTimes[i] = added = new EventMetaData.UserTime();
            }
            added.key = values.get(i).key();
            added.timestamp = values.get(i).timestamp();
        }
    }

    private static void fillInfos(EventMetaData meta, List<NotificationValue.UserInfo> values) {
        int count = values.size();
        if (meta.userInfos.length != count) {
            meta.userInfos = Wire.moved(meta.userInfos, new EventMetaData.UserInfo[count]);
        }
        for (int i = 0; i < count; i++) {
            EventMetaData.UserInfo added = meta.userInfos[i];
            if (added == null) {
                meta.userInfos[i] = added = new EventMetaData.UserInfo();
            }
            added.key = values.get(i).key();
            added.value = values.get(i).value();
        }
    }

    private static void fill(EventId made, NotificationValue.EventId value) {
        made.senderId = value.senderId();
        made.sequenceNumber = value.sequenceNumber();
    }

    @Override
    public final void readAll(Notification message, Sink sink) {
        sink.bytes(message.eventId.senderId);
        sink.number(message.eventId.sequenceNumber);
        sink.bytes(message.scope);
        sink.bytes(message.wireSchema);
        sink.bytes(message.data);
        if (message.method != null) {
            sink.bytes(message.method);
        }
        for (EventId cause : message.causes) {
            sink.bytes(cause.senderId);
            sink.number(cause.sequenceNumber);
        }
        EventMetaData meta = message.metaData;
        sink.number(meta.createTime);
        sink.number(meta.sendTime);
        sink.number(meta.receiveTime);
        sink.number(meta.deliverTime);
        for (EventMetaData.UserTime time : meta.userTimes) {
            sink.bytes(time.key);
            sink.number(time.timestamp);
        }
        for (EventMetaData.UserInfo info : meta.userInfos) {
            sink.bytes(info.key);
            sink.bytes(info.value);
        }
    }

    @Override
    public final NotificationValue value(Notification message) {
        EventMetaData meta = message.metaData;
        return new NotificationValue(
                id(message.eventId),
                message.scope,
                message.wireSchema,
                message.data,
                message.method,
                Arrays.stream(message.causes).map(WirecostHolder::id).toList(),
                meta.createTime,
                meta.sendTime,
                OptionalLong.of(meta.receiveTime),
                OptionalLong.of(meta.deliverTime),
                Arrays.stream(meta.userTimes)
                        .map(t -> new NotificationValue.UserTime(t.key, t.timestamp))
                        .toList(),
                Arrays.stream(meta.userInfos)
                        .map(i -> new NotificationValue.UserInfo(i.key, i.value))
                        .toList());
    }

    private static NotificationValue.EventId id(EventId id) {
        return new NotificationValue.EventId(id.senderId, id.sequenceNumber);
    }
}
