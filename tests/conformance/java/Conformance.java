// SPDX-License-Identifier: Apache-2.0
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/**
 * Decodes and encodes the vectors of a file, or of a folder's {@code .txt} files, by generated
 * classes: {@code java Conformance [--refuse] PATH}. Lines are {@code <message> <wire> <hex>}, and what
 * must come out where that differs; with {@code --refuse} each must be refused. Exits with 1 if one
 * fails.
 */
public final class Conformance {
    public static void main(String[] arguments) throws Exception {
        boolean refuse = arguments[0].equals("--refuse");
        int failed = 0;
        int done = 0;
        try (Stream<Path> found = Files.walk(Path.of(arguments[refuse ? 1 : 0]))) {
            for (Path path : found.filter(p -> p.toString().endsWith(".txt")).sorted().toList()) {
                List<String> lines = Files.readAllLines(path);
                for (int i = 0; i < lines.size(); i++) {
                    String[] words = lines.get(i).strip().split("\\s+");
                    if (words[0].isEmpty() || words[0].startsWith("#")) {
                        continue;
                    }
                    done++;
                    String hex = words.length > 2 ? words[2] : "";
                    String expected = words[words.length - 1];
                    String fault = check(words[0], words[1], hex, words.length > 3 ? expected : hex);
                    if ((fault == null) == refuse || refuse && !fault.contains("WireException")) {
                        failed++;
                        System.out.println(path + ":" + (i + 1) + ": " + words[0] + " " + words[1] + ": " + fault);
                    }
                }
            }
        }
        System.out.println(done + " vectors, " + failed + " failed");
        System.exit(failed == 0 && done > 0 ? 0 : 1);
    }

    /** What is wrong; null: nothing. */
    private static String check(String name, String wire, String hex, String expected) throws Exception {
        byte[] bytes = HexFormat.of().parseHex(hex);
        Class<?> type = type("wire." + name);
        String suffix = wire.substring(0, 1).toUpperCase() + wire.substring(1);
        try {
            ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
            Object message = type.getMethod("from" + suffix, ByteBuffer.class).invoke(null, direct);
            Object first = type.getMethod("from" + suffix, ByteBuffer.class).invoke(null, ByteBuffer.wrap(bytes));
            Method decode = type.getMethod("decode" + suffix, ByteBuffer.class);
            ByteBuffer within = ByteBuffer.allocate(bytes.length + 10).put(3, bytes).position(3);
            decode.invoke(message, within.limit(3 + bytes.length).slice());
            int size = (int) type.getMethod("size" + suffix).invoke(message);
            ByteBuffer out = ByteBuffer.allocate(size + 7).position(7);
            Arrays.fill(out.array(), (byte) 0x55);
            type.getMethod("encode" + suffix, ByteBuffer.class).invoke(message, out.slice());
            String again = HexFormat.of().formatHex(out.array(), 7, out.capacity());
            if (!message.equals(first) || message.hashCode() != first.hashCode()) {
                return "decoded again it differs: " + first + " " + message;
            }
            return again.equals(expected) ? null : again;
        } catch (InvocationTargetException thrown) {
            return thrown.getCause().toString();
        }
    }

    /** The class of that name, of which the last parts may be nested. */
    static Class<?> type(String name) throws ClassNotFoundException {
        for (String tried = name; ; ) {
            try {
                return Class.forName(tried);
            } catch (ClassNotFoundException missing) {
                int dot = tried.lastIndexOf('.');
                if (dot < 0) {
                    throw missing;
                }
                tried = tried.substring(0, dot) + "$" + tried.substring(dot + 1);
            }
        }
    }
}
