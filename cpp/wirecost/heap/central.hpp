// SPDX-License-Identifier: Apache-2.0
// What threads exchange small blocks through: a stack of batches a class.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "wirecost/heap/lock.hpp"
#include "wirecost/heap/pool.hpp"
#include "wirecost/heap/size_classes.hpp"

namespace wirecost::heap {

/// A free small block. `mark` holds `free_mark` while a thread's list holds the block, and the next
/// batch while the block heads a batch of the central list.
struct Block {
  Block* next;
  std::uint64_t mark;
};

/// A random word that marks free blocks: it distinguishes a block freed twice from chance.
extern std::uint64_t free_mark;

/// Blocks of one class, linked through `next`.
struct Batch {
  Block* head = nullptr;
  std::uint32_t count = 0;
};

class Central {
 public:
  /// At least one block, unless memory is exhausted.
  Batch take(std::size_t size_class, Pool& pool);
  void give(std::size_t size_class, Batch batch);
  /// Takes a single block, for nobody until there are enough of them for a batch.
  void give_one(std::size_t size_class, Block* block);

  void lock_all();
  void unlock_all();
  void reset_locks();
  /// In a process that was made while other threads may have been in here: lists that they were
  /// about to change are given up.
  void take_over();

 private:
  struct alignas(64) List {
    Lock lock;
    std::uint64_t batches = 0;  ///< address of the first batch and its count, see central.cpp
    Batch single;               ///< gathered one by one
    char* fresh = nullptr;      ///< blocks never handed out yet, up to `fresh_end`
    char* fresh_end = nullptr;
  };
  static void push(List& list, Batch batch);
  static Batch carve(List& list, std::size_t size_class, Pool& pool);

  std::array<List, class_count> lists_{};
};

}  // namespace wirecost::heap
