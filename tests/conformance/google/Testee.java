// SPDX-License-Identifier: Apache-2.0
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import wire.conformance.ConformanceRequest;
import wire.conformance.ConformanceResponse;
import wire.conformance.WireFormat;
import wire.protobuf_test_messages.editions.TestAllTypesEdition2023;
import wire.runtime.WireException;

/** Answers Google's conformance runner with generated Java. */
public final class Testee {
    private interface Again {
        /** The message that the bytes hold, written again. */
        byte[] again(ByteBuffer payload) throws WireException;
    }

    private static final int PROTOBUF_PAYLOAD = 3, PARSE_ERROR = 1, SKIPPED = 5;
    private static final int REQUESTED = 1;
    private static final Map<String, Again> TESTED = Map.of(
            "protobuf_test_messages.proto2.TestAllTypesProto2",
            in -> wire.protobuf_test_messages.proto2.TestAllTypesProto2.fromProtobuf(in).toProtobuf(),
            "protobuf_test_messages.proto3.TestAllTypesProto3",
            in -> wire.protobuf_test_messages.proto3.TestAllTypesProto3.fromProtobuf(in).toProtobuf(),
            "protobuf_test_messages.editions.proto2.TestAllTypesProto2",
            in -> wire.protobuf_test_messages.editions.proto2.TestAllTypesProto2.fromProtobuf(in)
                    .toProtobuf(),
            "protobuf_test_messages.editions.proto3.TestAllTypesProto3",
            in -> wire.protobuf_test_messages.editions.proto3.TestAllTypesProto3.fromProtobuf(in)
                    .toProtobuf(),
            "protobuf_test_messages.editions.TestAllTypesEdition2023",
            in -> TestAllTypesEdition2023.fromProtobuf(in).toProtobuf());

    private Testee() {}

    public static void main(String[] words) throws IOException, WireException {
        DataInputStream in = new DataInputStream(System.in);
        while (true) {
            byte[] request;
            try {
                request = in.readNBytes(Integer.reverseBytes(in.readInt()));
            } catch (EOFException end) {
                return;
            }
            byte[] response = answer(ConformanceRequest.fromProtobuf(ByteBuffer.wrap(request)))
                    .toProtobuf();
            ByteBuffer size = ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN);
            System.out.write(size.putInt(response.length).array());
            System.out.write(response);
            System.out.flush();
        }
    }

    private static ConformanceResponse answer(ConformanceRequest request) {
        ConformanceResponse response = new ConformanceResponse();
        Again tested = TESTED.get(request.messageType);
        boolean binary = request.payloadCase == REQUESTED
                && request.requestedOutputFormat == WireFormat.PROTOBUF;
        if (request.messageType.equals("conformance.FailureSet")) {
            response.resultCase = PROTOBUF_PAYLOAD;
        } else if (tested == null || !binary) {
            response.resultCase = SKIPPED;
            response.skipped = "the binary format alone";
        } else {
            try {
                response.protobufPayload = tested.again(ByteBuffer.wrap(request.protobufPayload));
                response.resultCase = PROTOBUF_PAYLOAD;
            } catch (WireException refused) {
                response.parseError = refused.getMessage();
                response.resultCase = PARSE_ERROR;
            }
        }
        return response;
    }
}
