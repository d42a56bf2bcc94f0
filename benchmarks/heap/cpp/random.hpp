// SPDX-License-Identifier: Apache-2.0
// Random numbers that cost little beside an allocation.
#pragma once

#include <cstdint>

namespace wirecost::bench::heap {

/// xorshift64* (Vigna, ACM Transactions on Mathematical Software 42, 2016).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e37'79b9'7f4a'7c15 + 1) {}

  /// A number less than `bound`, which is far below 2^32.
  std::uint32_t below(std::uint32_t bound) {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    const std::uint64_t high = (state_ * 0x2545'f491'4f6c'dd1d) >> 32;
    return static_cast<std::uint32_t>((high * bound) >> 32);
  }

 private:
  std::uint64_t state_;
};

}  // namespace wirecost::bench::heap
