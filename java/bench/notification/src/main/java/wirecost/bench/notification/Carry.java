// SPDX-License-Identifier: Apache-2.0
package wirecost.bench.notification;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * Carries the messages of a file, a canonical line each, through contenders named {@code name/mode},
 * twice over a poisoned buffer, and prints contender, index, the bytes and what was decoded.
 */
public final class Carry {
    private Carry() {}

    public static void main(String[] arguments) throws Exception {
        List<NotificationValue> values = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of(arguments[0]))) {
            values.add(Canonical.parse(line));
        }
        for (String key : Arrays.asList(arguments).subList(1, arguments.length)) {
            String[] parts = key.split("/");
            Contender<?> contender = Contenders.named(parts[0], parts[1]);
            carry(key, contender, parts[1].equals("reused"), values);
        }
    }

    private static <M> void carry(
            String key, Contender<M> contender, boolean reuse, List<NotificationValue> values)
            throws Exception {
        M sent = null;
        M received = null;
        for (byte poison : new byte[] {(byte) 0xA5, 0x5A}) {
            for (int i = 0; i < values.size(); i++) {
                sent = contender.fill(values.get(i), reuse ? sent : null);
                byte[] buffer = new byte[contender.size(sent)];
                Arrays.fill(buffer, poison);
                int size = contender.encode(sent, buffer);
                received = contender.decode(buffer, size, reuse ? received : null);
                String bytes = HexFormat.of().formatHex(buffer, 0, size);
                String decoded = Canonical.line(contender.value(received));
                System.out.println(key + "\t" + i + "\t" + bytes + "\t" + decoded);
            }
        }
    }
}
