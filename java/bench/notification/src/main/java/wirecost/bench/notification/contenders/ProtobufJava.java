// SPDX-License-Identifier: Apache-2.0
package wirecost.bench.notification.contenders;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import java.io.IOException;
import java.util.OptionalLong;
import rsb.protocol.NotificationOuterClass.EventId;
import rsb.protocol.NotificationOuterClass.EventMetaData;
import rsb.protocol.NotificationOuterClass.Notification;
import wirecost.bench.notification.Contender;
import wirecost.bench.notification.NotificationValue;
import wirecost.bench.notification.Sink;

/** Google's Protobuf for Java; its messages are immutable, so all are new and hold copies. */
public final class ProtobufJava implements Contender<Notification> {
    @Override
    public Notification fill(NotificationValue value, Notification used) {
        Notification.Builder made =
                Notification.newBuilder()
                        .setEventId(id(value.eventId()))
                        .setScope(ByteString.copyFrom(value.scope()))
                        .setWireSchema(ByteString.copyFrom(value.wireSchema()))
                        .setData(ByteString.copyFrom(value.data()));
        if (value.method() != null) {
            made.setMethod(ByteString.copyFrom(value.method()));
        }
        for (NotificationValue.EventId cause : value.causes()) {
            made.addCauses(id(cause));
        }
        EventMetaData.Builder meta =
                EventMetaData.newBuilder()
                        .setCreateTime(value.createTime())
                        .setSendTime(value.sendTime());
        if (value.receiveTime().isPresent()) {
            meta.setReceiveTime(value.receiveTime().getAsLong());
        }
        if (value.deliverTime().isPresent()) {
            meta.setDeliverTime(value.deliverTime().getAsLong());
        }
        for (NotificationValue.UserTime time : value.userTimes()) {
            meta.addUserTimes(
                    EventMetaData.UserTime.newBuilder()
                            .setKey(ByteString.copyFrom(time.key()))
                            .setTimestamp(time.timestamp()));
        }
        for (NotificationValue.UserInfo info : value.userInfos()) {
            meta.addUserInfos(
                    EventMetaData.UserInfo.newBuilder()
                            .setKey(ByteString.copyFrom(info.key()))
                            .setValue(ByteString.copyFrom(info.value())));
        }
        return made.setMetaData(meta).build();
    }

    private static EventId.Builder id(NotificationValue.EventId value) {
        return EventId.newBuilder()
                .setSenderId(ByteString.copyFrom(value.senderId()))
                .setSequenceNumber(value.sequenceNumber());
    }

    @Override
    public int size(Notification message) {
        return message.getSerializedSize();
    }

    @Override
    public int encode(Notification message, byte[] out) throws IOException {
        CodedOutputStream stream = CodedOutputStream.newInstance(out);
        message.writeTo(stream);
        return stream.getTotalBytesWritten();
    }

    @Override
    public Notification decode(byte[] in, int size, Notification used) throws IOException {
        return Notification.parser().parseFrom(in, 0, size);
    }

    @Override
    public void readAll(Notification message, Sink sink) {
        read(message.getEventId(), sink);
        read(message.getScope(), sink);
        read(message.getWireSchema(), sink);
        read(message.getData(), sink);
        read(message.getMethod(), sink);
        for (EventId cause : message.getCausesList()) {
            read(cause, sink);
        }
        EventMetaData meta = message.getMetaData();
        sink.number(meta.getCreateTime());
        sink.number(meta.getSendTime());
        sink.number(meta.getReceiveTime());
        sink.number(meta.getDeliverTime());
        for (EventMetaData.UserTime time : meta.getUserTimesList()) {
            read(time.getKey(), sink);
            sink.number(time.getTimestamp());
        }
        for (EventMetaData.UserInfo info : meta.getUserInfosList()) {
            read(info.getKey(), sink);
            read(info.getValue(), sink);
        }
    }

    private static void read(EventId id, Sink sink) {
        read(id.getSenderId(), sink);
        sink.number(id.getSequenceNumber());
    }

    private static void read(ByteString value, Sink sink) {
        sink.bytes(value.asReadOnlyByteBuffer());
    }

    @Override
    public NotificationValue value(Notification m) {
        EventMetaData meta = m.getMetaData();
        return new NotificationValue(
                value(m.getEventId()),
                m.getScope().toByteArray(),
                m.getWireSchema().toByteArray(),
                m.getData().toByteArray(),
                m.getMethod().toByteArray(),
                m.getCausesList().stream().map(ProtobufJava::value).toList(),
                meta.getCreateTime(),
                meta.getSendTime(),
                OptionalLong.of(meta.getReceiveTime()),
                OptionalLong.of(meta.getDeliverTime()),
                meta.getUserTimesList().stream()
                        .map(t -> new NotificationValue.UserTime(bytes(t.getKey()), t.getTimestamp()))
                        .toList(),
                meta.getUserInfosList().stream()
                        .map(i -> new NotificationValue.UserInfo(bytes(i.getKey()), bytes(i.getValue())))
                        .toList());
    }

    private static byte[] bytes(ByteString value) {
        return value.toByteArray();
    }

    private static NotificationValue.EventId value(EventId id) {
        return new NotificationValue.EventId(bytes(id.getSenderId()), id.getSequenceNumber());
    }
}
