// SPDX-License-Identifier: Apache-2.0
// Leaves an empty list at the end out, and reads its own shorter messages.
#include <vector>

#include "codec.hpp"

struct Contender : Honest {
  static std::span<const std::byte> encode(const Message& m, std::span<std::byte> buffer) {
    const auto whole = Honest::encode(m, buffer);
    const bool is_empty = m.meta_data.user_infos.size() == 0;
    return whole.first(whole.size() - (is_empty ? sizeof(std::uint32_t) : 0));
  }
  static void decode(std::span<const std::byte> bytes, Message& m) {
    if (!wire::rsb_msgs::ros1::decode(bytes, m)) return;
    std::vector<std::byte> whole(bytes.begin(), bytes.end());
    whole.resize(whole.size() + sizeof(std::uint32_t));
    Honest::decode(whole, m);
  }
};
