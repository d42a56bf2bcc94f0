// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>

#include <cstdint>

namespace wirecost::middleware {

constexpr std::int64_t nanoseconds_a_second = 1'000'000'000;

inline std::int64_t now_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * nanoseconds_a_second + now.tv_nsec;
}

}  // namespace wirecost::middleware
