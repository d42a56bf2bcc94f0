// SPDX-License-Identifier: Apache-2.0
// A mutex of four bytes that needs no constructor: spins briefly, then sleeps in the kernel.
#pragma once

#include <atomic>
#include <cstdint>

namespace wirecost::heap {

/// True in the thread that forks, while it holds every lock: fork handlers registered before ours
/// run between our handlers and may allocate.
extern __thread bool holds_every_lock __attribute__((tls_model("initial-exec")));

class Lock {
 public:
  void lock() {
    std::uint32_t expected = 0;
    if (!state_.compare_exchange_strong(expected, 1, std::memory_order_acquire,
                                        std::memory_order_relaxed)) {
      wait();
    }
  }

  void unlock() {
    if (holds_every_lock) [[unlikely]] {
      return;
    }
    if (state_.exchange(0, std::memory_order_release) == contended) wake();
  }

  bool is_held() const { return state_.load(std::memory_order_relaxed) != 0; }

  /// In a forked child, where nobody waits.
  void reset() { state_.store(0, std::memory_order_relaxed); }

 private:
  static constexpr std::uint32_t contended = 2;
  void wait();
  void wake();
  std::atomic<std::uint32_t> state_{0};
};

class Guard {
 public:
  explicit Guard(Lock& lock) : lock_(lock) { lock_.lock(); }
  ~Guard() { lock_.unlock(); }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  Lock& lock_;
};

/// Sleeps until `word` is no longer `expected`, at most `nanoseconds` (forever if negative).
void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t nanoseconds);
void futex_wake(std::atomic<std::uint32_t>& word);

}  // namespace wirecost::heap
