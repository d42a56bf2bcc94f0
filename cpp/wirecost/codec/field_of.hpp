// SPDX-License-Identifier: Apache-2.0
// A field of a Protobuf message, found without decoding the message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "wirecost/support_protobuf.hpp"

namespace wirecost::compiled {

/// The content of the first field of that number, which has a length; empty if there is none, or if
/// the message is malformed before it.
inline std::span<const std::byte> field_of(std::span<const std::byte> message,
                                           std::uint32_t number) {
  const auto* p = reinterpret_cast<const Byte*>(message.data());
  const Byte* const end = p + message.size();
  Reading reading(p, 0, message.size(), no_limits);
  while (p != nullptr && p != end) {
    std::uint32_t tag = 0;
    p = protobuf::read_tag(p, end, reading, tag);
    if (p == nullptr) break;
    if (tag == (number << 3 | 2)) {
      std::size_t size = 0;
      p = protobuf::read_length(p, end, reading, size);
      if (p == nullptr) break;
      return {reinterpret_cast<const std::byte*>(p), size};
    }
    p = protobuf::skip(p, end, reading, tag);
  }
  return {};
}

}  // namespace wirecost::compiled
