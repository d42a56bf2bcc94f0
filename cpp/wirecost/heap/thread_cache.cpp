// SPDX-License-Identifier: Apache-2.0
#include "wirecost/heap/thread_cache.hpp"

namespace wirecost::heap {

namespace {

/// What a thread keeps in spare batches before others get them.
constexpr std::size_t most_spare_bytes = std::size_t{1} << 20;

std::int64_t bytes_of(std::size_t size_class, std::uint32_t blocks) {
  return std::int64_t{class_bytes[size_class]} * blocks;
}

}  // namespace

Block* ThreadCache::take_spare(Stack& stack) {
  Block* const head = stack.spare;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a mark that links batches
  stack.spare = reinterpret_cast<Block*>(head->mark);
  --stack.spares;
  return head;
}

bool ThreadCache::refill(std::size_t size_class, Central& central, Pool& pool) {
  Stack& stack = stacks_[size_class];
  stack.limit = static_cast<std::uint16_t>(batch_blocks[size_class]);
  if (stack.spare != nullptr) {
    stack.head = take_spare(stack);
    stack.count = stack.limit;
    spare_bytes_ -= static_cast<std::size_t>(bytes_of(size_class, stack.limit));
    return true;
  }
  const Batch batch = central.take(size_class, pool);
  stack.head = batch.head;
  stack.count = batch.count;
  hold(bytes_of(size_class, batch.count));
  return batch.count != 0;
}

void ThreadCache::put_by(Stack& stack, std::size_t size_class, Central& central) {
  const std::int64_t bytes = bytes_of(size_class, stack.limit);
  if (stack.spare == nullptr ||
      spare_bytes_ + static_cast<std::size_t>(bytes) <= most_spare_bytes) {
    stack.head->mark = reinterpret_cast<std::uintptr_t>(stack.spare);
    stack.spare = stack.head;
    ++stack.spares;
    spare_bytes_ += static_cast<std::size_t>(bytes);
  } else {
    central.give(size_class, {stack.head, stack.limit});
    hold(-bytes);
  }
  stack.head = nullptr;
  stack.count = 0;
}

void ThreadCache::give_slowly(void* pointer, std::size_t size_class, Central& central, Pool& pool) {
  auto* block = static_cast<Block*>(pointer);
  Stack& stack = stacks_[size_class];
  if (block->mark == free_mark) fail("freed twice", pointer);
  // Another thread made it, perhaps beside a block that it writes to: reused here, the two threads
  // would take the cache line from each other.
  if (stack.limit == 0 && refill(size_class, central, pool)) {
    central.give_one(size_class, block);
    hold(-bytes_of(size_class, 1));
    return;
  }
  if (stack.count >= stack.limit) put_by(stack, size_class, central);
  give(pointer, size_class);
}

void ThreadCache::flush(Central& central) {
  for (std::size_t c = 0; c < class_count; ++c) {
    Stack& stack = stacks_[c];
    hold(-bytes_of(c, stack.blocks()));
    central.give(c, {stack.head, stack.count});
    while (stack.spare != nullptr) central.give(c, {take_spare(stack), stack.limit});
    stack.head = nullptr;
    stack.count = stack.limit = 0;
  }
  spare_bytes_ = 0;
}

void ThreadCache::forget() {
  for (Stack& stack : stacks_) {
    stack.head = stack.spare = nullptr;
    stack.count = stack.spares = stack.limit = 0;
  }
  spare_bytes_ = 0;
}

void ThreadCache::took_large(std::size_t bytes) {
  ++large_allocations_;
  large_bytes_ += bytes;
  hold(static_cast<std::int64_t>(bytes));
}

ThreadCounts ThreadCache::counts() const {
  ThreadCounts counts{large_allocations_, large_bytes_, held_, peak_};
  for (std::size_t c = 0; c < class_count; ++c) {
    const Stack& stack = stacks_[c];
    counts.allocations += stack.taken;
    counts.bytes += stack.taken * class_bytes[c];
    counts.live -= bytes_of(c, stack.blocks());
  }
  return counts;
}

void ThreadCache::forget_counts() {
  large_allocations_ = large_bytes_ = 0;
  held_ = 0;
  for (std::size_t c = 0; c < class_count; ++c) {
    Stack& stack = stacks_[c];
    stack.taken = 0;
    held_ += bytes_of(c, stack.blocks());
  }
  peak_ = held_;
}

}  // namespace wirecost::heap
