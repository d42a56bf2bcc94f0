// SPDX-License-Identifier: Apache-2.0
package wirecost.bench.notification.contenders;

import wire.rsb.protocol.Notification;
import wire.runtime.WireException;

/** The generated codec of the wire {@code protobuf}. */
public final class WirecostProtobuf extends WirecostHolder {
    @Override
    public int size(Notification message) {
        return message.sizeProtobuf();
    }

    @Override
    public int encode(Notification message, byte[] out) {
        return message.encodeProtobuf(out, 0, out.length);
    }

    @Override
    public Notification decode(byte[] in, int size, Notification used) throws WireException {
        if (used == null) {
            return Notification.fromProtobuf(in, 0, size);
        }
        used.decodeProtobuf(in, 0, size);
        return used;
    }
}
