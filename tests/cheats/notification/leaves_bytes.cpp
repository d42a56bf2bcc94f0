// SPDX-License-Identifier: Apache-2.0
// Does not write a time that is absent: in new memory it is zero anyway.
#include "honest.hpp"

namespace wirecost::bench {
namespace {

struct LeavesBytes : Honest {
  static void encode(const Sent& sent, std::span<std::byte> out) {
    const std::string bytes = bytes_of(sent);
    Sent other = sent;
    other.deliver_time = ~sent.deliver_time.value_or(0);
    const std::string others = bytes_of(other);
    for (std::size_t i = 0; i < bytes.size(); ++i)
      if (sent.deliver_time || bytes[i] == others[i]) out[i] = static_cast<std::byte>(bytes[i]);
  }
};

}  // namespace

void add_leaves_bytes(Contenders& all) { add<LeavesBytes>(all, "leaves-bytes"); }

}  // namespace wirecost::bench
