// SPDX-License-Identifier: Apache-2.0
// Sends two fields in each other's place: what it decodes is right, what it sends is wrong.
#include <utility>

#include "honest.hpp"

namespace wirecost::bench {
namespace {

struct SwapsFields : Honest {
  static void encode(const Sent& sent, std::span<std::byte> out) {
    NotificationValue other = sent;
    std::swap(other.scope, other.wire_schema);
    Honest::encode(other, out);
  }
  static bool decode(std::span<const std::byte> in, Received& received) {
    Honest::decode(in, received);
    std::swap(received.scope, received.wire_schema);
    return true;
  }
};

}  // namespace

void add_swaps_fields(Contenders& all) { add<SwapsFields>(all, "swaps-fields"); }

}  // namespace wirecost::bench
