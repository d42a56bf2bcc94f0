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

/** Google's Protobuf for Java as it is mostly used: messages, immutable, are new and hold copies. */
public class ProtobufJava implements Contender<Notification> {
    /** How the bytes of a field become a message's. */
    protected ByteString wrapped(byte[] bytes) {
        return ByteString.copyFrom(bytes);
    }

    protected Notification.Builder notification() {
        return Notification.newBuilder();
    }

    protected EventMetaData.Builder metaData() {
        return EventMetaData.newBuilder();
    }

    protected EventMetaData.UserTime.Builder userTime() {
        return EventMetaData.UserTime.newBuilder();
    }

    protected EventMetaData.UserInfo.Builder userInfo() {
        return EventMetaData.UserInfo.newBuilder();
    }

    protected EventId.Builder eventId() {
        return EventId.newBuilder();
    }

    @Override
    public final Notification fill(NotificationValue value, Notification used) {
        Notification.Builder made =
                notification()
                        .setEventId(id(value.eventId()))
                        .setScope(wrapped(value.scope()))
                        .setWireSchema(wrapped(value.wireSchema()))
                        .setData(wrapped(value.data()));
        if (value.method() != null) {
            made.setMethod(wrapped(value.method()));
        }
        for (NotificationValue.EventId cause : value.causes()) {
            made.addCauses(id(cause));
        }
        EventMetaData.Builder meta =
                metaData().setCreateTime(value.createTime()).setSendTime(value.sendTime());
        if (value.receiveTime().isPresent()) {
            meta.setReceiveTime(value.receiveTime().getAsLong());
        }
        if (value.deliverTime().isPresent()) {
            meta.setDeliverTime(value.deliverTime().getAsLong());
        }
        for (NotificationValue.UserTime time : value.userTimes()) {
            meta.addUserTimes(
                    userTime().setKey(wrapped(time.key())).setTimestamp(time.timestamp()));
        }
        for (NotificationValue.UserInfo info : value.userInfos()) {
            meta.addUserInfos(
                    userInfo().setKey(wrapped(info.key())).setValue(wrapped(info.value())));
        }
        return made.setMetaData(meta).build();
    }

    private EventId.Builder id(NotificationValue.EventId value) {
        return eventId()
                .setSenderId(wrapped(value.senderId()))
                .setSequenceNumber(value.sequenceNumber());
    }

    @Override
    public final int size(Notification message) {
        return message.getSerializedSize();
    }

    @Override
    public final int encode(Notification message, byte[] out) throws IOException {
        CodedOutputStream stream = CodedOutputStream.newInstance(out);
        message.writeTo(stream);
        return stream.getTotalBytesWritten();
    }

    @Override
    public Notification decode(byte[] in, int size, Notification used) throws IOException {
        return Notification.parser().parseFrom(in, 0, size);
    }

    @Override
    public final void readAll(Notification message, Sink sink) {
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

    private void read(EventId id, Sink sink) {
        read(id.getSenderId(), sink);
        sink.number(id.getSequenceNumber());
    }

    protected void read(ByteString value, Sink sink) {
        sink.bytes(value.asReadOnlyByteBuffer());
    }

    @Override
    public final NotificationValue value(Notification m) {
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
