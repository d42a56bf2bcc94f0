// SPDX-License-Identifier: Apache-2.0
// Proof that every reflection was read: a sum that holds each bit of each of their fields.
#pragma once

#include <bit>
#include <cstdint>

#include "wirecost/message/scene.hpp"

namespace wirecost {

/// The sums, modulo 2^64, of the bit patterns of a field: two additions a reflection, so that
/// little but the reading is measured.
class ReadSum {
 public:
  void add(const Reflection& reflection) {
    time_of_flight_ += std::bit_cast<std::uint64_t>(reflection.time_of_flight);
    signal_strength_ += std::bit_cast<std::uint64_t>(reflection.signal_strength);
  }

  /// Both sums as an FMI integer; 0 if nothing was added.
  std::int32_t folded() const {
    const std::uint64_t both = time_of_flight_ ^ std::rotl(signal_strength_, 16);
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(both ^ (both >> 32U)));
  }

 private:
  std::uint64_t time_of_flight_ = 0, signal_strength_ = 0;
};

}  // namespace wirecost
