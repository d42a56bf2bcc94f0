// SPDX-License-Identifier: Apache-2.0
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.HexFormat;

/**
 * {@code Again WIRE CLASS…}: reads lines of a class's number and a message in hexadecimal, prints
 * each message as generated Java writes it.
 */
public final class Again {
    private Again() {}

    public static void main(String[] words) throws IOException, ReflectiveOperationException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        HexFormat hex = HexFormat.of();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            int space = line.indexOf(' ');
            Class<?> type = Class.forName(words[1 + Integer.parseInt(line.substring(0, space))]);
            Method read = type.getMethod("from" + words[0], ByteBuffer.class);
            byte[] data = hex.parseHex(line.substring(space + 1));
            Object message = read.invoke(null, ByteBuffer.wrap(data));
            Object again = type.getMethod("to" + words[0]).invoke(message);
            System.out.println(hex.formatHex((byte[]) again));
        }
    }
}
