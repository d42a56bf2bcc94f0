// SPDX-License-Identifier: Apache-2.0
// Numbers that nobody foresees, by SplitMix64: the standard's engines take long to compile.
#pragma once

#include <sys/random.h>

#include <cstdint>

namespace message_bench {

class Random {
 public:
  Random() {
    if (getrandom(&state_, sizeof(state_), 0) != sizeof(state_)) __builtin_trap();
  }
  std::uint64_t operator()() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_ = 0;
};

}  // namespace message_bench
