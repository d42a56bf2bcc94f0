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

/// Nanoseconds that the calling thread, or its process, has been on a processor.
inline std::int64_t processor_ns(clockid_t clock) {
  timespec used{};
  clock_gettime(clock, &used);
  return std::int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec;
}
inline std::int64_t thread_processor_ns() { return processor_ns(CLOCK_THREAD_CPUTIME_ID); }
inline std::int64_t process_processor_ns() { return processor_ns(CLOCK_PROCESS_CPUTIME_ID); }

}  // namespace wirecost
