// SPDX-License-Identifier: Apache-2.0
package wirecost.bench.notification;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Nanoseconds a message, stage by stage and in total, over a batch of distinct messages. The serial
 * collector keeps the work of collecting on the thread that is timed.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 6, time = 300, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 20, time = 25, timeUnit = TimeUnit.MILLISECONDS)
@Fork(value = 1, jvmArgsAppend = {"-XX:+UseSerialGC", "-Xms512m", "-Xmx512m", "-Xmn384m"})
public class NotificationBenchmark {
    @Param({"protobuf-java", "wirecost-protobuf", "wirecost-ros1", "wirecost-cdr", "hand-written"})
    public String contender;

    /** new: an object a message; reused: objects, or their builders, are used again; view: no copies. */
    @Param({"new", "reused", "view"})
    public String mode;

    /** File of the messages, a canonical line each; their number a power of two. */
    @Param("messages.txt")
    public String messages;

    private Contender<Object> codec;
    private NotificationValue[] values;
    private Object[] sent;
    private Object[] received;
    private byte[][] encoded;
    private byte[] buffer;
    private Object usedSent;
    private Object usedReceived;
    private int next;

    @Setup
    @SuppressWarnings("unchecked")
    public void prepare() throws Exception {
        codec = (Contender<Object>) Contenders.named(contender, mode);
        boolean reuse = mode.equals("reused");
        if (!mode.equals("new") && contender.equals("hand-written")) {
            throw new IllegalArgumentException(contender + " makes new objects only");
        }
        values =
                Files.readAllLines(Path.of(messages)).stream()
                        .map(Canonical::parse)
                        .toArray(NotificationValue[]::new);
        int count = values.length;
        if (Integer.bitCount(count) != 1) {
            throw new IllegalArgumentException(messages + " does not hold a power of two of messages");
        }
        sent = new Object[count];
        received = new Object[count];
        encoded = new byte[count][];
        int largest = 0;
        for (int i = 0; i < count; i++) {
            sent[i] = codec.fill(values[i], null);
            encoded[i] = new byte[codec.size(sent[i])];
            int size = codec.encode(sent[i], encoded[i]);
            received[i] = codec.decode(encoded[i], size, null);
            Sink sink = new Sink();
            codec.readAll(received[i], sink);
            if (size != encoded[i].length || sink.sum() != values[i].sum()) {
                throw new IllegalStateException(contender + " does not carry message " + i);
            }
            largest = Math.max(largest, size);
        }
        buffer = new byte[largest];
        usedSent = reuse ? codec.fill(values[0], null) : null;
        usedReceived = reuse ? codec.decode(encoded[0], encoded[0].length, null) : null;
    }

    private int next() {
        next = next + 1 & values.length - 1;
        return next;
    }

    @Benchmark
    public Object fill() {
        return codec.fill(values[next()], usedSent);
    }

    @Benchmark
    public int size() {
        return codec.size(sent[next()]);
    }

    @Benchmark
    public int encode() throws Exception {
        return codec.encode(sent[next()], buffer);
    }

    @Benchmark
    public Object decode() throws Exception {
        byte[] in = encoded[next()];
        return codec.decode(in, in.length, usedReceived);
    }

    @Benchmark
    public long readAll() {
        Sink sink = new Sink();
        codec.readAll(received[next()], sink);
        return sink.sum();
    }

    /** The whole path of one message. */
    @Benchmark
    public long total() throws Exception {
        int size = codec.encode(codec.fill(values[next()], usedSent), buffer);
        Sink sink = new Sink();
        codec.readAll(codec.decode(buffer, size, usedReceived), sink);
        return sink.sum();
    }
}
