// SPDX-License-Identifier: Apache-2.0
import java.nio.ByteBuffer;
import wire.consumer.State;

/** Encodes a message and decodes it again. */
public final class Consumer {
  public static void main(String[] arguments) throws Exception {
    State sent = new State();
    sent.stampNs = 7;
    byte[] bytes = sent.toProtobuf();
    System.out.println(bytes.length + " bytes, stamp " + State.fromProtobuf(ByteBuffer.wrap(bytes)).stampNs);
  }
}
