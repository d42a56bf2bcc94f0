// SPDX-License-Identifier: Apache-2.0
package wirecost.bench.notification.contenders;

import com.google.protobuf.CodedInputStream;
import java.io.IOException;
import rsb.protocol.NotificationOuterClass.EventId;
import rsb.protocol.NotificationOuterClass.EventMetaData;
import rsb.protocol.NotificationOuterClass.Notification;

/** Besides, one builder of each type for all messages, to fill and to decode. */
public final class ProtobufJavaReused extends ProtobufJavaView {
    private final Notification.Builder notification = Notification.newBuilder();
    private final Notification.Builder received = Notification.newBuilder();
    private final EventMetaData.Builder metaData = EventMetaData.newBuilder();
    private final EventMetaData.UserTime.Builder userTime = EventMetaData.UserTime.newBuilder();
    private final EventMetaData.UserInfo.Builder userInfo = EventMetaData.UserInfo.newBuilder();
    private final EventId.Builder eventId = EventId.newBuilder();

    @Override
    protected Notification.Builder notification() {
        return notification.clear();
    }

    @Override
    protected EventMetaData.Builder metaData() {
        return metaData.clear();
    }

    @Override
    protected EventMetaData.UserTime.Builder userTime() {
        return userTime.clear();
    }

    @Override
    protected EventMetaData.UserInfo.Builder userInfo() {
        return userInfo.clear();
    }

    @Override
    protected EventId.Builder eventId() {
        return eventId.clear();
    }

    @Override
    protected Notification parse(CodedInputStream input) throws IOException {
        return received.clear().mergeFrom(input).build();
    }
}
