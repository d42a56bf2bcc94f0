// SPDX-License-Identifier: Apache-2.0
import java.lang.reflect.InvocationTargetException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * Converts the vectors of files between columns and rows by generated classes: {@code java
 * ColumnsConformance [--refuse | --damaged] FILE...}. Lines are {@code <message> <reduction> <columns
 * hex> <rows hex>}; where the reduction is {@code read}, columns are only read. Otherwise they are
 * {@code <message> <columns hex>}: each must be refused, or read or refused. Exits with 1 if one fails.
 */
public final class ColumnsConformance {
    /** The generated class of the messages; of their columns below. */
    private final Class<?> row;

    private final Class<?> columns;

    private ColumnsConformance(String name) throws ClassNotFoundException {
        row = Conformance.type("wire." + name);
        String local = row.getName().substring(row.getPackageName().length()).replace("$", "");
        columns = Class.forName(row.getPackageName() + local + "Columns");
    }

    public static void main(String[] arguments) throws Exception {
        boolean refuse = arguments[0].equals("--refuse");
        boolean damaged = arguments[0].equals("--damaged");
        int failed = 0;
        int done = 0;
        for (String file : Arrays.asList(arguments).subList(refuse || damaged ? 1 : 0, arguments.length)) {
            List<String> lines = Files.readAllLines(Path.of(file));
            for (int i = 0; i < lines.size(); i++) {
                String[] words = lines.get(i).strip().split("\\s+");
                if (words[0].isEmpty() || words[0].startsWith("#")) {
                    continue;
                }
                done++;
                String fault = fault(words, refuse || damaged);
                boolean refused = fault != null && fault.contains("WireException");
                boolean right = refuse ? refused : fault == null || damaged && refused;
                if (!right) {
                    failed++;
                    System.out.println(file + ":" + (i + 1) + ": " + words[0] + ": " + fault);
                }
            }
        }
        System.out.println(done + " vectors, " + failed + " failed");
        System.exit(failed == 0 && done > 0 ? 0 : 1);
    }

    /** What is wrong; null: nothing. */
    private static String fault(String[] words, boolean only) throws Exception {
        ColumnsConformance runner = new ColumnsConformance(words[0]);
        try {
            if (!only) {
                return runner.check(Arrays.copyOf(words, 4));
            }
            runner.rows(ByteBuffer.wrap(HexFormat.of().parseHex(words.length > 1 ? words[1] : "")));
            return null;
        } catch (InvocationTargetException thrown) {
            return thrown.getCause().toString();
        }
    }

    private String check(String[] words) throws Exception {
        byte[] expected = HexFormat.of().parseHex(words[2]);
        List<Object> given = new ArrayList<>();
        ByteBuffer in = ByteBuffer.wrap(HexFormat.of().parseHex(words[3] == null ? "" : words[3]));
        while (in.hasRemaining()) {
            in.get();
            int size = 0;
            int shift = 0;
            for (byte more = -1; more < 0; shift += 7) {
                more = in.get();
                size |= (more & 0x7F) << shift;
            }
            given.add(row.getMethod("fromProtobuf", ByteBuffer.class).invoke(null, in.slice().limit(size)));
            in.position(in.position() + size);
        }
        boolean read = words[1].equals("read");
        byte[] made = read ? expected : write(given, words[1]);
        if (!Arrays.equals(made, expected)) {
            return "columns differ at byte " + Arrays.mismatch(made, expected) + ": " + HexFormat.of().formatHex(made);
        }
        boolean lossless = read || words[1].equals("exact") || words[1].equals("auto");
        ByteBuffer direct = ByteBuffer.allocateDirect(expected.length + 3).position(3).put(expected).position(3);
        Object[] again = rows(direct);
        if (lossless) {
            return Arrays.equals(again, given.toArray()) ? null : "rows differ: " + Arrays.toString(again);
        }
        // What has been rounded once stays as it is.
        Object[] twice = rows(ByteBuffer.wrap(write(Arrays.asList(again), "exact")));
        return Arrays.equals(again, twice) ? null : "rows differ: " + Arrays.toString(twice);
    }

    private byte[] write(List<Object> rows, String how) throws Exception {
        Class<?> reduction = Class.forName("wire.runtime.Reduction");
        Object chosen = how.startsWith("error:")
                ? reduction.getMethod("error", double.class).invoke(null, Double.parseDouble(how.substring(6)))
                : reduction.getField(how.toUpperCase()).get(null);
        Object builder = columns.getMethod("fromRows", List.class).invoke(null, rows);
        builder = builder.getClass().getMethod("reduce", reduction).invoke(builder, chosen);
        return (byte[]) builder.getClass().getMethod("toBytes").invoke(builder);
    }

    private Object[] rows(ByteBuffer in) throws Exception {
        Object view = columns.getMethod("read", ByteBuffer.class).invoke(null, in);
        return (Object[]) columns.getMethod("toRows").invoke(view);
    }
}
