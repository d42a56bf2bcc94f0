// SPDX-License-Identifier: Apache-2.0
#include "wirecost/heap/lock.hpp"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace wirecost::heap {

__thread bool holds_every_lock = false;

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                std::int64_t nanoseconds) {
  const int saved = errno;
  timespec limit{};
  limit.tv_sec = static_cast<time_t>(nanoseconds / 1'000'000'000);
  limit.tv_nsec = static_cast<long>(nanoseconds % 1'000'000'000);
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nanoseconds < 0 ? nullptr : &limit,
          nullptr, 0);
  errno = saved;
}

void futex_wake(std::atomic<std::uint32_t>& word) {
  const int saved = errno;
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  errno = saved;
}

void Lock::wait() {
  if (holds_every_lock) return;
  constexpr int spins = 100;
  for (int i = 0; i < spins; ++i) {
    std::uint32_t expected = 0;
    if (state_.load(std::memory_order_relaxed) == 0 &&
        state_.compare_exchange_weak(expected, 1, std::memory_order_acquire)) {
      return;
    }
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  while (state_.exchange(contended, std::memory_order_acquire) != 0) {
    futex_wait(state_, contended, -1);
  }
}

void Lock::wake() { futex_wake(state_); }

}  // namespace wirecost::heap
