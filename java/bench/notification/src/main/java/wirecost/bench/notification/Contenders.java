// SPDX-License-Identifier: Apache-2.0
package wirecost.bench.notification;

import wirecost.bench.notification.contenders.HandWritten;
import wirecost.bench.notification.contenders.ProtobufJava;
import wirecost.bench.notification.contenders.WirecostCdr;
import wirecost.bench.notification.contenders.WirecostProtobuf;
import wirecost.bench.notification.contenders.WirecostRos1;

/** All contenders by name. */
final class Contenders {
    private Contenders() {}

    static Contender<?> named(String name) {
        return switch (name) {
            case "protobuf-java" -> new ProtobufJava();
            case "wirecost-protobuf" -> new WirecostProtobuf();
            case "wirecost-ros1" -> new WirecostRos1();
            case "wirecost-cdr" -> new WirecostCdr();
            case "hand-written" -> new HandWritten();
            default -> throw new IllegalArgumentException(name);
        };
    }
}
