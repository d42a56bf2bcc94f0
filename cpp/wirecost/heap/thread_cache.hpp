// SPDX-License-Identifier: Apache-2.0
// A thread's own blocks: the common path of malloc and free, without locks or atomics. It counts no
// more than it must; the report's numbers are worked out when blocks come and go in batches.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "wirecost/heap/central.hpp"
#include "wirecost/heap/writer.hpp"

namespace wirecost::heap {

struct Faults {
  std::uint64_t minor = 0;
  std::uint64_t major = 0;
};

/// Bytes are those of the blocks, which are up to a quarter more than what was asked for.
struct ThreadCounts {
  std::uint64_t allocations = 0;
  std::uint64_t bytes = 0;
  std::int64_t live = 0;  ///< allocated less freed by this thread: negative where it frees others'
  std::int64_t peak = 0;  ///< of the blocks it used and those it kept for itself
};

class ThreadCache {
 public:
  /// Null when the class has no block here: `refill` and ask again.
  void* take(std::size_t size_class) {
    Stack& stack = stacks_[size_class];
    Block* block = stack.head;
    if (block == nullptr) [[unlikely]] {
      return nullptr;
    }
    stack.head = block->next;
    --stack.count;
    ++stack.taken;
    block->mark = 0;
    return block;
  }

  /// False when there is no room for it, or it is free already: `give_slowly` then.
  bool give(void* pointer, std::size_t size_class) {
    auto* block = static_cast<Block*>(pointer);
    Stack& stack = stacks_[size_class];
    const std::uint64_t mark = free_mark;
    if (block->mark == mark || stack.count >= stack.limit) [[unlikely]] {
      return false;
    }
    block->next = stack.head;
    block->mark = mark;
    stack.head = block;
    ++stack.count;
    return true;
  }
  void give_slowly(void* pointer, std::size_t size_class, Central& central, Pool& pool);

  /// False when memory is exhausted.
  bool refill(std::size_t size_class, Central& central, Pool& pool);

  /// Hands every block to the central lists.
  void flush(Central& central);

  /// Forgets every block: of a thread that a fork left behind amid any operation.
  void forget();

  void took_large(std::size_t bytes);
  void gave_large(std::size_t bytes) { held_ -= static_cast<std::int64_t>(bytes); }

  ThreadCounts counts() const;
  /// Counts begin anew, without the blocks that the thread has.
  void forget_counts();

  Faults at_start;                   ///< when the thread came, or at the end of the warm-up
  Faults at_end;                     ///< of an ended thread
  ThreadCache* next = nullptr;       ///< of all caches
  ThreadCache* next_free = nullptr;  ///< of those whose thread has ended
  pid_t thread = 0;
  int destructor_rounds = 0;
  bool ended = false;
  char name[16] = {};  ///< of an ended thread

 private:
  /// Beside its list full batches, so that blocks that come back to a thread stay in its core's
  /// caches; at least one, so that a thread at the boundary of a batch does not go to the central
  /// list each time. Spare batches are linked by the marks of their first blocks.
  struct Stack {
    Block* head = nullptr;
    std::uint32_t count = 0;
    std::uint16_t limit = 0;  ///< blocks of a batch; 0 until the thread has had one
    std::uint16_t spares = 0;
    Block* spare = nullptr;
    std::uint64_t taken = 0;

    std::uint32_t blocks() const { return count + std::uint32_t{spares} * limit; }
  };
  void hold(std::int64_t bytes) {
    held_ += bytes;
    if (held_ > peak_) peak_ = held_;
  }

  static Block* take_spare(Stack& stack);
  void put_by(Stack& stack, std::size_t size_class, Central& central);

  std::array<Stack, class_count> stacks_;
  std::size_t spare_bytes_ = 0;  ///< in spare batches of all classes
  std::uint64_t large_allocations_ = 0;
  std::uint64_t large_bytes_ = 0;
  std::int64_t held_ = 0;  ///< bytes that came to this thread less those that left it
  std::int64_t peak_ = 0;
};
static_assert(sizeof(ThreadCache) <= page_bytes);

}  // namespace wirecost::heap
