// SPDX-License-Identifier: Apache-2.0
// A thread's own blocks: the common path of malloc and free, without locks or atomics.
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
  std::int64_t peak = 0;

  void allocated(std::size_t size) {
    ++allocations;
    bytes += size;
    live += static_cast<std::int64_t>(size);
    if (live > peak) peak = live;
  }
  void freed(std::size_t size) { live -= static_cast<std::int64_t>(size); }
};

/// A random word that marks free blocks: a block freed twice is told from chance.
extern std::uint64_t free_mark;

class ThreadCache {
 public:
  /// Null when the class has no block here: `refill` and ask again.
  void* take(std::size_t size_class) {
    Stack& stack = stacks_[size_class];
    Block* block = stack.current.head;
    if (block == nullptr) return nullptr;
    stack.current.head = block->next;
    --stack.current.count;
    block->mark = 0;
    counts.allocated(class_bytes[size_class]);
    return block;
  }

  void give(void* pointer, std::size_t size_class, Central& central) {
    auto* block = static_cast<Block*>(pointer);
    if (block->mark == free_mark) [[unlikely]] {
      fail("freed twice", pointer);
    }
    Stack& stack = stacks_[size_class];
    if (stack.current.count >= batch_blocks[size_class]) [[unlikely]] {
      spill(stack, size_class, central);
    }
    block->next = stack.current.head;
    block->mark = free_mark;
    stack.current.head = block;
    ++stack.current.count;
    counts.freed(class_bytes[size_class]);
  }

  /// False when memory is exhausted.
  bool refill(std::size_t size_class, Central& central, Pool& pool);

  /// Hands every block to the central lists.
  void flush(Central& central);

  /// Forgets every block: of a thread that a fork left behind amid any operation.
  void forget() { stacks_ = {}; }

  ThreadCounts counts;
  Faults at_start;                   ///< when the thread came, or at the end of the warm-up
  Faults at_end;                     ///< of an ended thread
  ThreadCache* next = nullptr;       ///< of all caches
  ThreadCache* next_free = nullptr;  ///< of those whose thread has ended
  pid_t thread = 0;
  int destructor_rounds = 0;
  bool ended = false;
  char name[16] = {};  ///< of an ended thread

 private:
  /// Two batches, so that a thread at the boundary of one does not go to the central list each
  /// time.
  struct Stack {
    Batch current;
    Batch spare;
  };
  static void spill(Stack& stack, std::size_t size_class, Central& central);
  std::array<Stack, class_count> stacks_{};
};
static_assert(sizeof(ThreadCache) <= page_bytes);

}  // namespace wirecost::heap
