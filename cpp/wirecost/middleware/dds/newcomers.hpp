// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>

namespace wirecost::middleware {

/// Participants that appeared less than `wait` ago. Those that answer at our start are none.
class Newcomers {
 public:
  explicit Newcomers(std::chrono::nanoseconds wait) : wait_(wait) {}

  /// Whether a datagram from the network is a newcomer's.
  bool sent(std::span<const std::uint8_t> datagram);

 private:
  using Prefix = std::array<std::uint8_t, 12>;
  using Clock = std::chrono::steady_clock;

  const std::chrono::nanoseconds wait_;
  const Clock::time_point start_ = Clock::now();
  std::mutex mutex_;
  std::map<Prefix, Clock::time_point> first_seen_;
};

}  // namespace wirecost::middleware
