// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "record.hpp"

namespace wirecost::probe {

/// All counters at one instant. A perf group has one pair of times for all its counters; counters
/// that run always have none, and count as running.
struct Snapshot {
  std::array<std::uint64_t, max_counters> values;
  std::array<std::uint64_t, max_counters> enabled_ns;
  std::array<std::uint64_t, max_counters> running_ns;
  std::uint8_t counting = 0;  ///< bit i: counter i is on the processor or needs not be

  void set(std::size_t i, std::uint64_t value, std::uint64_t enabled, std::uint64_t running) {
    values[i] = value;
    enabled_ns[i] = enabled;
    running_ns[i] = running;
  }
  void set_counting(std::size_t i) { counting |= static_cast<std::uint8_t>(1U << i); }
};

}  // namespace wirecost::probe
