// SPDX-License-Identifier: Apache-2.0
package wirecost.bench.notification;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/** Prints the contenders, a line each: name, mode, wire, library, guarantees. */
public final class Listing {
    private Listing() {}

    public static void main(String[] arguments) throws IOException {
        Properties versions = new Properties();
        try (InputStream in = Listing.class.getResourceAsStream("/versions.properties")) {
            versions.load(in);
        }
        String owning = "owning, validating, by reference";
        String copying = "owning, validating";
        String aliasing = "view of the buffer, validating, by reference";
        String google = versions.getProperty("protobuf-java");
        print("protobuf", "new", "protobuf", google, copying);
        print("protobuf", "reused", "protobuf", google, aliasing + ", builders reused");
        print("protobuf", "view", "protobuf", google, aliasing);
        for (String wire : new String[] {"protobuf", "ros1", "cdr"}) {
            for (String mode : new String[] {"new", "reused"}) {
                print("wirecost", mode, wire, versions.getProperty("wirecost"), owning);
            }
        }
        print("hand-written", "new", "ros1", "none", owning + "; a floor");
    }

    private static void print(String... columns) {
        System.out.println(String.join("\t", columns));
    }
}
