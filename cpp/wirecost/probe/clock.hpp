// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>

#include <cstdint>

namespace wirecost {

/// Nanoseconds on the clock that Python reads as time.perf_counter_ns().
inline std::int64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// Nanoseconds since 1970, to date a log.
inline std::int64_t wall_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace wirecost
