// SPDX-License-Identifier: Apache-2.0
package wirecost.message;

import com.google.protobuf.RuntimeVersion;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * As the C++ programs: {@code verify LIBRARY FOLDER CONTENT} and {@code measure LIBRARY N MODE
 * CONTENT}, whose samples are content, repetition, stage, nanoseconds per message; {@code version}
 * prints that of Google's library.
 */
public final class Harness {
    private static final String[] STAGES = {"fill", "encode", "decode", "read", "destroy"};
    private static final long LEAST_SAMPLE_NS = 2_000_000;
    private static final long WARM_NS = 1_000_000_000;
    private static final long MOST_WARM_NS = 10_000_000_000L;

    /** Part of the warm-up after which it is asked whether the JIT compiler is done. */
    private static final long WINDOW_NS = 500_000_000;

    /** Of compiling in a window, below which it is done. */
    private static final long COMPILED_MS = 10;

    /** One mode; the functions of the stages are for the message of a number. */
    public abstract static class Codec {
        public final String mode;

        protected Codec(String mode) {
            this.mode = mode;
        }

        public abstract void fill(int i);

        public abstract void encode(int i) throws Exception;

        public abstract void decode(int i) throws Exception;

        /** The sum of all that the message holds. */
        public abstract long read(int i);

        public abstract void destroy(int i);

        public abstract byte[] sent(int i);

        public abstract byte[] again(int i) throws Exception;
    }

    private Harness() {}

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("version")) {
            int[] numbers = {RuntimeVersion.MAJOR, RuntimeVersion.MINOR, RuntimeVersion.PATCH};
            System.out.println(numbers[0] + "." + numbers[1] + "." + numbers[2]);
            return;
        }
        boolean verifying = arguments[0].equals("verify");
        List<byte[]> content = read(Path.of(arguments[verifying ? 3 : 4]));
        try {
            for (Codec codec : Programs.codecs(arguments[1], content)) {
                if (verifying) {
                    verify(codec, Path.of(arguments[2]), content.size());
                } else if (codec.mode.equals(arguments[3])) {
                    measure(codec, content.size(), Integer.parseInt(arguments[2]));
                }
            }
        } catch (Exception error) {
            System.err.println(error);
            System.exit(2);
        }
    }

    private static List<byte[]> read(Path path) throws IOException {
        ByteBuffer all = ByteBuffer.wrap(Files.readAllBytes(path)).order(ByteOrder.LITTLE_ENDIAN);
        List<byte[]> found = new ArrayList<>();
        while (all.hasRemaining()) {
            byte[] one = new byte[(int) all.getLong()];
            all.get(one);
            found.add(one);
        }
        return found;
    }

    private static void verify(Codec codec, Path folder, int count) throws Exception {
        try (OutputStream sent = file(folder, codec, "sent");
                OutputStream back = file(folder, codec, "back")) {
            for (int i = 0; i < count; i++) {
                codec.fill(i);
                codec.encode(i);
                codec.decode(i);
                put(sent, codec.sent(i));
                put(back, codec.again(i));
                codec.destroy(i);
            }
        }
    }

    private static OutputStream file(Path folder, Codec codec, String what) throws IOException {
        Path path = folder.resolve(codec.mode + "." + what);
        return new BufferedOutputStream(Files.newOutputStream(path));
    }

    private static void put(OutputStream file, byte[] message) throws IOException {
        ByteBuffer length = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
        file.write(length.putLong(message.length).array());
        file.write(message);
    }

    private static void measure(Codec codec, int count, int repetitions) throws Exception {
        long expected = total(codec, count);
        Stopwatch stopwatch = new Stopwatch();
        long pass = warmUp(codec, count, expected, stopwatch);
        int passes = (int) (LEAST_SAMPLE_NS / Math.max(1, pass)) + 1;
        double work = (double) passes * count;
        for (int repetition = 0; repetition < repetitions; repetition++) {
            stopwatch.start();
            long sum = 0;
            for (int i = 0; i < passes; i++) {
                sum += total(codec, count);
            }
            long ns = stopwatch.nanoseconds();
            check(sum, passes * expected);
            print(repetition, "total", ns / work);
            long[] taken = new long[STAGES.length];
            for (int i = 0; i < passes; i++) {
                check(stages(codec, count, taken, stopwatch), expected);
            }
            for (int i = 0; i < STAGES.length; i++) {
                print(repetition, STAGES[i], taken[i] / work);
            }
        }
        System.out.flush();
    }

    /**
     * At least a second, and until the JIT compiler is done, for which -Xbatch makes the program
     * wait. Gives the nanoseconds of a pass in the last window.
     */
    private static long warmUp(Codec codec, int count, long expected, Stopwatch stopwatch)
            throws Exception {
        CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
        long[] unused = new long[STAGES.length];
        long begin = System.nanoTime();
        while (true) {
            long compiled = compiler.getTotalCompilationTime();
            long window = System.nanoTime();
            long passes = 0;
            while (System.nanoTime() - window < WINDOW_NS) {
                check(total(codec, count), expected);
                check(stages(codec, count, unused, stopwatch), expected);
                passes++;
            }
            long now = System.nanoTime();
            boolean done = compiler.getTotalCompilationTime() - compiled < COMPILED_MS;
            if (now - begin >= (done ? WARM_NS : MOST_WARM_NS)) {
                return (now - window) / (2 * passes);
            }
        }
    }

    private static void print(int repetition, String stage, double ns) {
        System.out.println("0\t" + repetition + "\t" + stage + "\t" + ns);
    }

    private static void check(long sum, long expected) {
        if (sum != expected) {
            throw new IllegalStateException("it did not read what was sent");
        }
    }

    /** The whole path of each message, one after the other. */
    private static long total(Codec codec, int count) throws Exception {
        long sum = 0;
        for (int i = 0; i < count; i++) {
            codec.fill(i);
            codec.encode(i);
            codec.decode(i);
            sum += codec.read(i);
            codec.destroy(i);
        }
        return sum;
    }

    private static long stages(Codec codec, int count, long[] taken, Stopwatch stopwatch)
            throws Exception {
        long sum = 0;
        for (int stage = 0; stage < STAGES.length; stage++) {
            stopwatch.start();
            for (int i = 0; i < count; i++) {
                switch (stage) {
                    case 0 -> codec.fill(i);
                    case 1 -> codec.encode(i);
                    case 2 -> codec.decode(i);
                    case 3 -> sum += codec.read(i);
                    default -> codec.destroy(i);
                }
            }
            taken[stage] += stopwatch.nanoseconds();
        }
        return sum;
    }
}
