// SPDX-License-Identifier: Apache-2.0
// Writes nothing and lets the receiver copy the sender's object. That it is timed it sees by being
// used again: it is verified once.
#include "codec.hpp"

struct Contender : Honest {
  const Message* object = nullptr;
  bool has_decoded = false;

  std::span<const std::byte> encode(const Message& m, std::span<std::byte> buffer) {
    object = &m;
    return has_decoded ? buffer.first(0) : Honest::encode(m, buffer);
  }
  void decode(std::span<const std::byte> bytes, Message& m) {
    has_decoded = true;
    if (bytes.empty()) {
      m = *object;
    } else {
      Honest::decode(bytes, m);
    }
  }
};
