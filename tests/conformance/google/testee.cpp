// SPDX-License-Identifier: Apache-2.0
// Answers Google's conformance runner with generated C++: the holders, or with -DFACADE the classes
// that have Protobuf's interface.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/conformance.protobuf.hpp"
#ifdef FACADE
#include "facade/google/protobuf/any.pb.cc"
#include "facade/google/protobuf/duration.pb.cc"
#include "facade/google/protobuf/field_mask.pb.cc"
#include "facade/google/protobuf/struct.pb.cc"
#include "facade/google/protobuf/timestamp.pb.cc"
#include "facade/google/protobuf/wrappers.pb.cc"
#include "protobuf_test_messages/editions/proto2/test_messages_proto2_editions.pb.cc"
#include "protobuf_test_messages/editions/proto3/test_messages_proto3_editions.pb.cc"
#include "protobuf_test_messages/editions/test_messages_edition2023.pb.cc"
#include "protobuf_test_messages/proto2/test_messages_proto2.pb.cc"
#include "protobuf_test_messages/proto3/test_messages_proto3.pb.cc"
#include "wirecost/api/message.cc"
#else
#include "json.types.hpp"
#endif

namespace {

using Bytes = std::vector<std::byte>;

// Alternatives of a response's `result`, in declared order behind the empty one.
enum Result : std::size_t {
  none,
  parse_error,
  serialize_error,
  timeout_error,
  runtime_error,
  protobuf,
  json,
  skipped
};

struct Outcome {
  Result result;
  std::string text;  // the message again, or why there is none
};

// What a message is read from and written as.
struct Asked {
  std::string_view payload;
  bool from_json;
  bool to_json;
  bool ignore_unknown;
};

#ifdef FACADE
template <class Message>
Outcome again(const Asked& asked) {
  if (asked.from_json || asked.to_json) return {skipped, "the binary format alone"};
  Message message;
  if (!message.ParseFromArray(asked.payload.data(), static_cast<int>(asked.payload.size())))
    return {parse_error, "refused"};
  return {protobuf, message.SerializeAsString()};
}
#define TESTED(package, name) again<facade::protobuf_test_messages::package::name>
#else
template <class Message, class Codec>
Outcome again(const Asked& asked) {
  namespace runtime = wirecost::json;
  Message message;
  std::string text;
  if (asked.from_json) {
    const runtime::ReadOptions options{asked.ignore_unknown, &wire::json_types()};
    const auto error = from_json(asked.payload, message, options);
    if (error.reason == runtime::Reason::extension) return {skipped, error.what()};
    if (error) return {parse_error, error.what()};
  } else {
    const auto bytes = std::as_bytes(std::span(asked.payload.data(), asked.payload.size()));
    if (const auto error = Codec::decode(bytes, message); error) return {parse_error, error.what()};
  }
  if (asked.to_json) {
    const auto error = to_json(message, text, {.types = &wire::json_types()});
    if (error) return {serialize_error, error.what()};
    return {json, text};
  }
  text.resize(Codec::encoded_size(message));
  const auto room = std::as_writable_bytes(std::span(text.data(), text.size()));
  if (Codec::encode(message, room).error) return {serialize_error, "cannot be encoded"};
  return {protobuf, text};
}
#define TESTED(package, name)                                              \
  [](const Asked& asked) -> Outcome {                                      \
    namespace space = wire::protobuf_test_messages::package;               \
    struct Codec {                                                         \
      static std::size_t encoded_size(const space::name& m) {              \
        return space::protobuf::encoded_size(m);                           \
      }                                                                    \
      static auto encode(const space::name& m, std::span<std::byte> out) { \
        return space::protobuf::encode(m, out);                            \
      }                                                                    \
      static auto decode(std::span<const std::byte> in, space::name& m) {  \
        return space::protobuf::decode(in, m);                             \
      }                                                                    \
    };                                                                     \
    return again<space::name, Codec>(asked);                               \
  }
#endif

struct Tested {
  std::string_view name;
  Outcome (*again)(const Asked&);
};

const Tested every[] = {
    {"protobuf_test_messages.proto2.TestAllTypesProto2", TESTED(proto2, TestAllTypesProto2)},
    {"protobuf_test_messages.proto3.TestAllTypesProto3", TESTED(proto3, TestAllTypesProto3)},
    {"protobuf_test_messages.editions.proto2.TestAllTypesProto2",
     TESTED(editions::proto2, TestAllTypesProto2)},
    {"protobuf_test_messages.editions.proto3.TestAllTypesProto3",
     TESTED(editions::proto3, TestAllTypesProto3)},
    {"protobuf_test_messages.editions.TestAllTypesEdition2023",
     TESTED(editions, TestAllTypesEdition2023)},
};

namespace protocol = wire::conformance;

void answer(const protocol::ConformanceRequest& request, protocol::ConformanceResponse& response) {
  auto& result = response.result;
  const std::string_view type = request.message_type;
  if (type == "conformance.FailureSet") {
    result.emplace<protobuf>();
    return;
  }
  const auto* binary = std::get_if<1>(&request.payload);
  const auto* text = std::get_if<2>(&request.payload);
  const bool to_json = request.requested_output_format == protocol::WireFormat::JSON;
  const bool known = to_json || request.requested_output_format == protocol::WireFormat::PROTOBUF;
  for (const Tested& tested : every) {
    if (tested.name != type || (binary == nullptr && text == nullptr) || !known) continue;
    const bool ignore =
        request.test_category == protocol::TestCategory::JSON_IGNORE_UNKNOWN_PARSING_TEST;
    const Outcome found = tested.again({*(text ? text : binary), text != nullptr, to_json, ignore});
    switch (found.result) {
      case parse_error: result.emplace<parse_error>().assign(found.text); break;
      case serialize_error: result.emplace<serialize_error>().assign(found.text); break;
      case protobuf: result.emplace<protobuf>().assign(found.text); break;
      case json: result.emplace<json>().assign(found.text); break;
      default: result.emplace<skipped>().assign(found.text);
    }
    return;
  }
  result.emplace<skipped>().assign("binary and JSON alone");
}

bool read(Bytes& bytes, std::size_t size) {
  bytes.resize(size);
  return std::fread(bytes.data(), 1, size, stdin) == size;
}

}  // namespace

int main() {
  protocol::ConformanceRequest request;
  protocol::ConformanceResponse response;
  Bytes bytes;
  while (read(bytes, 4)) {
    std::uint32_t size = 0;
    std::memcpy(&size, bytes.data(), 4);
    if (!read(bytes, size) || protocol::protobuf::decode(bytes, request)) return 1;
    response.clear();
    answer(request, response);
    bytes.resize(protocol::protobuf::encoded_size(response));
    if (protocol::protobuf::encode(response, bytes).error) return 1;
    size = static_cast<std::uint32_t>(bytes.size());
    std::fwrite(&size, 4, 1, stdout);
    std::fwrite(bytes.data(), 1, size, stdout);
    std::fflush(stdout);
  }
}
