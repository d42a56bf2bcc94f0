// SPDX-License-Identifier: Apache-2.0
package wirecost.bench.notification;

import wirecost.bench.notification.contenders.HandWritten;
import wirecost.bench.notification.contenders.ProtobufJava;
import wirecost.bench.notification.contenders.ProtobufJavaReused;
import wirecost.bench.notification.contenders.ProtobufJavaView;
import wirecost.bench.notification.contenders.WirecostCdr;
import wirecost.bench.notification.contenders.WirecostProtobuf;
import wirecost.bench.notification.contenders.WirecostRos1;

/** All contenders by name and mode. */
final class Contenders {
    private Contenders() {}

    static Contender<?> named(String name, String mode) {
        return switch (name) {
            case "protobuf-java" ->
                    switch (mode) {
                        case "reused" -> new ProtobufJavaReused();
                        case "view" -> new ProtobufJavaView();
                        default -> new ProtobufJava();
                    };
            case "wirecost-protobuf" -> new WirecostProtobuf();
            case "wirecost-ros1" -> new WirecostRos1();
            case "wirecost-cdr" -> new WirecostCdr();
            case "hand-written" -> new HandWritten();
            default -> throw new IllegalArgumentException(name);
        };
    }
}
