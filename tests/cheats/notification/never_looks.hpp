// SPDX-License-Identifier: Apache-2.0
// Decodes the first message that it gets, and answers with that from then on.
#include "codec.hpp"

struct Contender : Honest {
  std::optional<Message> first;

  void decode(std::span<const std::byte> bytes, Message& m) {
    if (!first) Honest::decode(bytes, first.emplace());
    m = *first;
  }
};
