// SPDX-License-Identifier: Apache-2.0
package wirecost.bench.notification.contenders;

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
        Wire.resize(made.causes, value.causes().size());
        for (int i = 0; i < value.causes().size(); i++) {
            fill(Wire.element(made.causes, i, EventId::new), value.causes().get(i));
        }
        if (made.metaData == null) {
            made.metaData = new EventMetaData();
        }
        EventMetaData meta = made.metaData;
        meta.createTime = value.createTime();
        meta.sendTime = value.sendTime();
        meta.hasReceiveTime = value.receiveTime().isPresent();
        meta.receiveTime = value.receiveTime().orElse(0);
        meta.hasDeliverTime = value.deliverTime().isPresent();
        meta.deliverTime = value.deliverTime().orElse(0);
        Wire.resize(meta.userTimes, value.userTimes().size());
        for (int i = 0; i < value.userTimes().size(); i++) {
            NotificationValue.UserTime time = value.userTimes().get(i);
            EventMetaData.UserTime added =
                    Wire.element(meta.userTimes, i, EventMetaData.UserTime::new);
            added.key = time.key();
            added.timestamp = time.timestamp();
        }
        Wire.resize(meta.userInfos, value.userInfos().size());
        for (int i = 0; i < value.userInfos().size(); i++) {
            NotificationValue.UserInfo info = value.userInfos().get(i);
            EventMetaData.UserInfo added =
                    Wire.element(meta.userInfos, i, EventMetaData.UserInfo::new);
            added.key = info.key();
            added.value = info.value();
        }
        return made;
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
                message.causes.stream().map(WirecostHolder::id).toList(),
                meta.createTime,
                meta.sendTime,
                OptionalLong.of(meta.receiveTime),
                OptionalLong.of(meta.deliverTime),
                meta.userTimes.stream()
                        .map(t -> new NotificationValue.UserTime(t.key, t.timestamp))
                        .toList(),
                meta.userInfos.stream()
                        .map(i -> new NotificationValue.UserInfo(i.key, i.value))
                        .toList());
    }

    private static NotificationValue.EventId id(EventId id) {
        return new NotificationValue.EventId(id.senderId, id.sequenceNumber);
    }
}
