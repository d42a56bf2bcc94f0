// SPDX-License-Identifier: Apache-2.0
// The one heap of the process.
#pragma once

#include <atomic>
#include <cstdint>

#include "wirecost/heap/central.hpp"
#include "wirecost/heap/config.hpp"
#include "wirecost/heap/pool.hpp"
#include "wirecost/heap/threads.hpp"

namespace wirecost::heap {

struct State {
  Pool pool;
  Central central;
  Threads threads{central, pool};
  Config config;
  /// Serves threads without a cache: those past their last destructor.
  ThreadCache shared;
  Lock shared_lock;
};

extern constinit State state;

/// Opens the pool at the first allocation, then, once libc has its environment, reads the
/// configuration and grows the pool to its size. Cheap when done.
void start_up();

/// Starts the background thread once the process has a second thread: some system calls are for
/// processes of one thread only. Of those it notes faults for the end of the warm-up.
void keep_filled();

/// Ends a warm-up that is over, in a process without the background thread.
void end_warmup_if_over();

/// A page that the kernel clears in children, whichever system call makes them; null where it
/// cannot.
extern std::atomic<std::uint32_t>* process_mark;

/// Makes a process its own that a system call made without fork's handlers.
void take_over();

/// Before anything that takes a lock: its holder may be a thread of the parent.
inline void notice_new_process() {
  if (process_mark != nullptr && process_mark->load(std::memory_order_acquire) != 1) [[unlikely]] {
    take_over();
  }
}

}  // namespace wirecost::heap
