// SPDX-License-Identifier: Apache-2.0
// Which cache belongs to which thread. Caches of ended threads are reused.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "wirecost/heap/thread_cache.hpp"

namespace wirecost::heap {

extern __thread ThreadCache* own_cache __attribute__((tls_model("initial-exec")));

class Threads {
 public:
  explicit constexpr Threads(Central& central, Pool& pool) : central_(central), pool_(pool) {}

  /// The calling thread's cache; null once it has ended or when memory is exhausted.
  ThreadCache* enter();

  /// Whether a second thread has entered.
  bool are_several() const { return several_.load(std::memory_order_relaxed); }

  /// Once libc is ready: caches of threads that end from now on are reused.
  void watch_ends();

  /// From here on faults count, for the threads there are.
  void end_warmup();
  /// The same later, for the first thread: from when it had these.
  void end_warmup(Faults of_first_thread);
  bool warm() const { return warm_.load(std::memory_order_relaxed); }

  /// What threads did whose caches others have taken over since.
  struct Ended {
    std::uint64_t threads = 0;
    ThreadCounts counts;
    Faults faults;
  };

  /// Calls `each(cache, faults since the warm-up)`; a cache stands for a thread, running or ended.
  /// Takes no lock, so that a signal handler may call it: caches are only ever added.
  template <typename Each>
  Ended for_each(Each each) const {
    for (const ThreadCache* cache = all_.load(std::memory_order_acquire); cache != nullptr;
         cache = cache->next) {
      each(*cache, faults_since(*cache));
    }
    return ended_;
  }

  /// In a forked child: only the calling thread is left.
  void keep_only_this_thread();

  void lock_all() { lock_.lock(); }
  void unlock_all() { lock_.unlock(); }
  void reset_locks() { lock_.reset(); }

 private:
  static void on_end(void* cache);
  void leave(ThreadCache* cache);
  static Faults faults_since(const ThreadCache& cache);

  Central& central_;
  Pool& pool_;
  Lock lock_;
  std::atomic<ThreadCache*> all_{nullptr};
  ThreadCache* free_ = nullptr;
  Ended ended_;
  pthread_key_t key_ = 0;
  std::atomic<bool> several_{false};
  std::atomic<bool> watching_{false};
  std::atomic<bool> warm_{false};
};

/// Page faults of a thread of this process so far, zero if it is gone.
Faults faults_of(pid_t thread);
Faults own_faults();

}  // namespace wirecost::heap
