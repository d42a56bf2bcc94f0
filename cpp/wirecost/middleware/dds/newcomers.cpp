// SPDX-License-Identifier: Apache-2.0
#include "wirecost/middleware/dds/newcomers.hpp"

#include <algorithm>
#include <cstddef>

namespace wirecost::middleware {

namespace {

// RTPS 9.4: "RTPS", version, vendor, prefix.
constexpr std::size_t prefix_at = 8, header_bytes = 20;
constexpr std::chrono::milliseconds answers_within{300};
// Many more than a system has; whoever makes them up must not fill the memory.
constexpr std::size_t most_participants = 10'000;

}  // namespace

bool Newcomers::sent(std::span<const std::uint8_t> datagram) {
  if (wait_.count() == 0 || datagram.size() < header_bytes) return false;
  Prefix prefix{};
  std::ranges::copy(datagram.subspan(prefix_at, prefix.size()), prefix.begin());
  const auto now = Clock::now();
  const std::lock_guard lock(mutex_);
  if (first_seen_.size() >= most_participants && !first_seen_.contains(prefix)) return true;
  const auto first = first_seen_.emplace(prefix, now).first->second;
  return first > start_ + answers_within && now < first + wait_;
}

}  // namespace wirecost::middleware
