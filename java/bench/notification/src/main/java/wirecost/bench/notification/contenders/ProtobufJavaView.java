// SPDX-License-Identifier: Apache-2.0
package wirecost.bench.notification.contenders;

import com.google.protobuf.ByteOutput;
import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.UnsafeByteOperations;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import rsb.protocol.NotificationOuterClass.Notification;
import wirecost.bench.notification.Sink;

/**
 * The same without a copy of bytes: fields wrap the arrays that are sent, a decoded message refers
 * to the received buffer, and reading visits the bytes where they are.
 */
public class ProtobufJavaView extends ProtobufJava {
    private final Visitor visitor = new Visitor();

    @Override
    protected final ByteString wrapped(byte[] bytes) {
        return UnsafeByteOperations.unsafeWrap(bytes);
    }

    @Override
    public final Notification decode(byte[] in, int size, Notification used) throws IOException {
        CodedInputStream input = UnsafeByteOperations.unsafeWrap(in, 0, size).newCodedInput();
        input.enableAliasing(true);
        Notification message = parse(input);
        input.checkLastTagWas(0); // as where a parser is given the bytes themselves
        return message;
    }

    protected Notification parse(CodedInputStream input) throws IOException {
        return Notification.parser().parseFrom(input);
    }

    @Override
    protected final void read(ByteString value, Sink sink) {
        visitor.sink = sink;
        try {
            UnsafeByteOperations.unsafeWriteTo(value, visitor);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    /** Hands a field's bytes to the sink; without any, their length alone. */
    private static final class Visitor extends ByteOutput {
        private Sink sink;

        @Override
        public void write(byte value) {
            throw new UnsupportedOperationException("byte strings are written whole");
        }

        @Override
        public void write(byte[] value, int offset, int length) {
            sink.bytes(value, offset, length);
        }

        @Override
        public void writeLazy(byte[] value, int offset, int length) {
            sink.bytes(value, offset, length);
        }

        @Override
        public void write(ByteBuffer value) {
            sink.bytes(value);
        }

        @Override
        public void writeLazy(ByteBuffer value) {
            sink.bytes(value);
        }
    }
}
