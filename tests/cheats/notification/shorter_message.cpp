// SPDX-License-Identifier: Apache-2.0
// Leaves empty arrays at the end out, and reads its own shorter messages.
#include "honest.hpp"

namespace wirecost::bench {
namespace {

struct ShorterMessage : Honest {
  static std::size_t size(const Sent& sent) {
    return Honest::size(sent) - (sent.user_infos.empty() ? sizeof(std::uint32_t) : 0);
  }
  static bool decode(std::span<const std::byte> in, Received& received) {
    std::vector<std::byte> whole(in.begin(), in.end());
    whole.resize(whole.size() + sizeof(std::uint32_t));
    return Honest::decode(whole, received);
  }
};

}  // namespace

void add_shorter_message(Contenders& all) { add<ShorterMessage>(all, "shorter-message"); }

}  // namespace wirecost::bench
