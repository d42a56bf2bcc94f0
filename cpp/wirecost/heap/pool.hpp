// SPDX-License-Identifier: Apache-2.0
// The touched memory of the process: a page heap that grows, behind one lock.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "wirecost/heap/lock.hpp"
#include "wirecost/heap/memory.hpp"
#include "wirecost/heap/page_heap.hpp"
#include "wirecost/heap/size_classes.hpp"

namespace wirecost::heap {

struct PoolState {
  std::size_t bytes;       ///< touched so far
  std::size_t used_bytes;  ///< of these, in large blocks and in pages of small blocks
  std::size_t peak_bytes;  ///< the most ever used
  std::uint64_t grown;     ///< growths by the background thread
  std::uint64_t waited;    ///< growths a requesting thread had to wait for
  bool refused_lock;       ///< the kernel did not lock all of it
};

class Pool {
 public:
  /// Finds a place and touches a first little; enough to serve the dynamic loader.
  bool open();
  bool is_open() const { return base_ != nullptr; }

  /// Grows to the size asked for. From here on the pool grows by a quarter of that at least, and
  /// `take` wakes the background thread when less is free.
  void settle(std::size_t bytes, Touch how);

  /// First byte of a run of pages, null when memory is exhausted.
  char* take(std::uint32_t pages, std::uint32_t alignment, std::uint8_t kind);
  void give(char* first);
  bool resize(char* first, std::uint32_t pages);

  bool contains(const void* pointer) const {
    return static_cast<std::size_t>(static_cast<const char*>(pointer) - base_) < most_bytes_;
  }
  std::uint8_t kind_of(const void* pointer) const { return kinds_[page_of(pointer)]; }
  std::size_t large_bytes(const void* first) const {
    return std::size_t{pages_.length(page_of(first))} * page_bytes;
  }

  /// The background thread's work: grow until more than the low-water mark is free.
  void refill();
  /// Waits until `refill` or `touch_again` has something to do, or the time is over.
  void wait_for_work(std::int64_t nanoseconds);
  /// Background thread: true once after `ask_to_touch_again`.
  bool must_touch_again() { return touch_again_.exchange(false); }
  void touch_again();
  /// After a fork the process shares its pages with the child until they are touched again.
  void ask_to_touch_again();

  /// Without the lock, for signal handlers: numbers of a pool in motion may not add up.
  PoolState state() const;
  void lock_all();
  void unlock_all();
  void reset_locks();
  /// In a process that was made while other threads may have been in here: what they were about to
  /// change is given up.
  void take_over();

 private:
  struct Range {
    void* begin;
    std::size_t bytes;
    Touch how;
  };
  /// What pages from one number up to another need: their runs, their kinds, themselves.
  std::array<Range, 3> ranges(Page from, Page end) const;
  bool map(const Range& range);
  Page page_of(const void* pointer) const {
    return static_cast<Page>(static_cast<std::size_t>(static_cast<const char*>(pointer) - base_) /
                             page_bytes);
  }
  bool grow(std::size_t needed, std::size_t wished);
  bool grow_to(Page end);
  void wake_if_low();

  char* base_ = nullptr;
  std::size_t most_bytes_ = 0;
  bool reserved_ = false;
  Run* runs_ = nullptr;
  std::uint8_t* kinds_ = nullptr;
  PageHeap pages_;
  Page mapping_to_ = 0;  ///< what a growth has begun to map
  Touch touch_;
  Lock growing_;  ///< taken before `lock_`
  Lock lock_;
  std::atomic<std::uint32_t> low_pages_{0};
  std::atomic<std::uint32_t> work_{0};
  std::atomic<bool> touch_again_{false};
  std::atomic<bool> refused_lock_{false};
  std::atomic<std::uint64_t> grown_{0};
  std::atomic<std::uint64_t> waited_{0};
};

}  // namespace wirecost::heap
