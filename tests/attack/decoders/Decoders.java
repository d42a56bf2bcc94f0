// SPDX-License-Identifier: Apache-2.0
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * Decodes the messages of a file by generated classes: {@code java Decoders CASES RESULTS MESSAGE…} writes
 * the results of new messages, and beside them those of messages that are used again. The files are those
 * of cases.py.
 */
public final class Decoders {
    private static final String[] WIRES = {"Protobuf", "Ros1", "Cdr"};
    private static final int REFUSED = 0;
    private static final int ACCEPTED = 1;
    private static final int NOT_FOR_IT = 3;
    private static final int BROKEN = 5;

    /** A message on a wire: its methods, and the message that is used again. */
    private static final class Codec {
        final Class<?> type;
        final Method from;
        final Method decode;
        final Method to;
        Object kept;

        Codec(String message, String wire) throws ReflectiveOperationException {
            type = Class.forName("wire." + message);
            from = type.getMethod("from" + wire, byte[].class, int.class, int.class);
            decode = type.getMethod("decode" + wire, byte[].class, int.class, int.class);
            to = type.getMethod("to" + wire);
            kept = type.getConstructor().newInstance();
        }

        byte[] fresh(byte[] data) throws ReflectiveOperationException {
            Object made = data == null ? type.getConstructor().newInstance() : from.invoke(null, data, 0, data.length);
            return (byte[]) to.invoke(made);
        }

        byte[] again(byte[] data) throws ReflectiveOperationException {
            decode.invoke(kept, data, 0, data.length);
            return (byte[]) to.invoke(kept);
        }
    }

    private interface Decoder {
        byte[] decode(byte[] data) throws ReflectiveOperationException;
    }

    public static void main(String[] words) throws Exception {
        Map<Integer, Codec> codecs = new HashMap<>();
        ByteBuffer cases = ByteBuffer.wrap(Files.readAllBytes(Path.of(words[0]))).order(ByteOrder.LITTLE_ENDIAN);
        try (DataOutputStream fresh = open(words[1]); DataOutputStream again = open(words[1] + "-reused")) {
            while (cases.hasRemaining()) {
                int message = cases.get();
                int wire = cases.get();
                byte[] data = new byte[cases.getInt()];
                cases.get(data);
                boolean made = (wire & 0x80) != 0;
                int key = 4 * message + (wire & 0x7F);
                if (!codecs.containsKey(key)) {
                    codecs.put(key, codec(words[2 + message], WIRES[wire & 0x7F]));
                }
                Codec codec = codecs.get(key);
                write(fresh, codec == null ? null : codec::fresh, made ? null : data);
                write(again, codec == null || made ? null : codec::again, data);
            }
        }
    }

    /** Null: the message is not for that wire. */
    private static Codec codec(String message, String wire) throws ReflectiveOperationException {
        try {
            return new Codec(message, wire);
        } catch (NoSuchMethodException missing) {
            return null;
        }
    }

    private static DataOutputStream open(String path) throws IOException {
        return new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(Path.of(path))));
    }

    private static void write(DataOutputStream out, Decoder decoder, byte[] data) throws Exception {
        int status = NOT_FOR_IT;
        byte[] content = {};
        try {
            if (decoder != null) {
                content = decoder.decode(data);
                status = ACCEPTED;
            }
        } catch (InvocationTargetException thrown) {
            Throwable cause = thrown.getCause();
            boolean refused = cause.getClass().getSimpleName().equals("WireException");
            status = refused ? REFUSED : BROKEN;
            content = refused ? content : String.valueOf(cause).getBytes(StandardCharsets.UTF_8);
        }
        out.write(status);
        out.writeInt(Integer.reverseBytes(content.length));
        out.write(content);
    }
}
