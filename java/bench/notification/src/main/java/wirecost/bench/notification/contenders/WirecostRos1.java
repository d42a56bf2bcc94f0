// SPDX-License-Identifier: Apache-2.0
package wirecost.bench.notification.contenders;

import wire.rsb.protocol.Notification;
import wire.runtime.WireException;

/** The generated codec of the wire {@code ros1}. */
public final class WirecostRos1 extends WirecostHolder {
    @Override
    public int size(Notification message) {
        return message.sizeRos1();
    }

    @Override
    public int encode(Notification message, byte[] out) {
        return message.encodeRos1(out, 0, out.length);
    }

    @Override
    public Notification decode(byte[] in, int size, Notification used) throws WireException {
        if (used == null) {
            return Notification.fromRos1(in, 0, size);
        }
        used.decodeRos1(in, 0, size);
        return used;
    }
}
