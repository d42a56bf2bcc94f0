// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace message_bench {

// Time that the thread ran: elapsed, without what it waited for a processor. The thread's own clock
// is read outside the elapsed time, as reading it may take longer than a short pass.
class Stopwatch {
 public:
  double nanoseconds() const {
    const double elapsed = std::chrono::duration<double, std::nano>(Clock::now() - begin_).count();
    return std::min(elapsed, static_cast<double>(thread_ns() - ran_before_));
  }

 private:
  using Clock = std::chrono::steady_clock;

  static std::int64_t thread_ns() {
    timespec ran{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ran);
    return std::int64_t{ran.tv_sec} * 1'000'000'000 + ran.tv_nsec;
  }

  std::int64_t ran_before_ = thread_ns();
  Clock::time_point begin_ = Clock::now();
};

}  // namespace message_bench
