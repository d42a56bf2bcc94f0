// SPDX-License-Identifier: Apache-2.0
// Sends two fields in each other's place: what it decodes is right, what it sends is wrong.
#include <utility>

#include "codec.hpp"

struct Contender : Honest {
  static std::span<const std::byte> encode(const Message& m, std::span<std::byte> buffer) {
    Message other = m;
    std::swap(other.scope, other.wire_schema);
    return Honest::encode(other, buffer);
  }
  static void decode(std::span<const std::byte> bytes, Message& m) {
    Honest::decode(bytes, m);
    std::swap(m.scope, m.wire_schema);
  }
};
