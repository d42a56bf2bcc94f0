// SPDX-License-Identifier: Apache-2.0
// libFuzzer over JSON of the message that holds all well-known ones. The first byte says whether
// unknown names are skipped, and whether a text follows or Protobuf's bytes. What can be written is
// read again and written the same.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "json.types.hpp"

namespace {

using wire::conformance::known::Known;
using wirecost::json::Reason;

void require(bool holds) {
  if (!holds) std::abort();
}

void run(const Known& message) {
  static Known again;
  static std::string text;
  static std::string second;
  const auto* const types = &wire::json_types();
  if (to_json(message, text, {.types = types})) return;
  if (const auto error = from_json(text, again, {.types = types})) {
    // Bytes in an Any may hold what is too deep for one message.
    require(error.reason == Reason::nested_too_deep || error.reason == Reason::too_much_memory);
    return;
  }
  require(!to_json(again, second, {.types = types}));
  // Any number of a NullValue is null, which is read as 0 and so left out.
  require(text == second || text.find("\"null\":null") != std::string::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size == 0) return 0;
  static Known message;
  const auto in = std::as_bytes(std::span(data, size)).subspan(1);
  if ((data[0] & 2U) != 0) {
    if (!wire::conformance::known::protobuf::decode(in, message)) run(message);
    return 0;
  }
  const std::string_view text(reinterpret_cast<const char*>(in.data()), in.size());
  if (!from_json(text, message, {(data[0] & 1U) != 0, &wire::json_types()})) run(message);
  return 0;
}
