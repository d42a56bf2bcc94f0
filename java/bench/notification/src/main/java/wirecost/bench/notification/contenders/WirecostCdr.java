// SPDX-License-Identifier: Apache-2.0
package wirecost.bench.notification.contenders;

import wire.rsb.protocol.Notification;
import wire.runtime.WireException;

/** The generated codec of the wire {@code cdr}. */
public final class WirecostCdr extends WirecostHolder {
    @Override
    public int size(Notification message) {
        return message.sizeCdr();
    }

    @Override
    public int encode(Notification message, byte[] out) {
        return message.encodeCdr(out, 0, out.length);
    }

    @Override
    public Notification decode(byte[] in, int size, Notification used) throws WireException {
        if (used == null) {
            return Notification.fromCdr(in, 0, size);
        }
        used.decodeCdr(in, 0, size);
        return used;
    }
}
