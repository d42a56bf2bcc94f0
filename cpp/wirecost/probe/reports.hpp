// SPDX-License-Identifier: Apache-2.0
// How a preloaded library reports what it counts, at the moment when it happens.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wirecost::probe {

enum class Event : unsigned char {
  allocation,
  free,
  lock_wait,
  minor_fault,
  major_fault,
  system_call
};
inline constexpr std::size_t event_kinds = 6;

/// What is known of an event beside where it happens.
struct Detail {
  int number = -1;        ///< of a system call; of a wait: the thread that holds the lock
  bool inherits = false;  ///< that thread has the priority of whoever waits for it
  /// Where it took the lock, the innermost function first; a zero ends them. Null: unknown.
  const std::uintptr_t* holder = nullptr;
};

/// Whoever wants to know of the calling thread's events.
struct Observer {
  /// `at`: the instruction that was interrupted; null where the program called a function.
  void (*see)(Observer&, Event, const void* at, Detail);
};

/// Of one library and one thread.
struct Reports {
  Observer* observer;       ///< null: nobody wants to know
  bool paused;              ///< what wirecost itself does meanwhile is not counted
  void (*arm)(bool armed);  ///< null: events are seen always; else only while armed
  void (*prepare)();        ///< of system calls: to be called before each section
  void (*close)();          ///< of what can be armed: at the end of the thread
};

/// One function on the stack. `slot`: where its return address lies, null where that is unknown.
struct Frame {
  std::uintptr_t address;  ///< inside the instruction that it stands at
  const std::uintptr_t* slot;
};

/// What a preloaded library exports to walk the calling thread's stack without locks and without
/// allocating: the innermost function first, from the instruction `at` on.
using TakeStack = std::size_t (*)(Frame* frames, std::size_t size, const void* at);

}  // namespace wirecost::probe
