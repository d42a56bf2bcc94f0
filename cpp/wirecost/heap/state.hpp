// SPDX-License-Identifier: Apache-2.0
// The one heap of the process.
#pragma once

#include <atomic>

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
/// configuration, grows the pool to its size and starts the background thread. Cheap when done.
void start_up();

/// Starts the background thread if a fork left the process without one and the pool runs low.
void keep_filled();

}  // namespace wirecost::heap
