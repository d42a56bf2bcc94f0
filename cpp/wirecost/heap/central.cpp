// SPDX-License-Identifier: Apache-2.0
#include "wirecost/heap/central.hpp"

#include <new>

namespace wirecost::heap {

std::uint64_t free_mark = 0x9d5c'63f1'0be7'42a9;

namespace {

/// User space addresses take 48 bits unless a program asks for more; the count takes the rest.
constexpr int address_bits = 48;

std::uint64_t packed(Batch batch) {
  return std::uint64_t{batch.count} << address_bits | reinterpret_cast<std::uint64_t>(batch.head);
}

Batch unpacked(std::uint64_t word) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the word is a packed pointer
  return {reinterpret_cast<Block*>(word & ((std::uint64_t{1} << address_bits) - 1)),
          static_cast<std::uint32_t>(word >> address_bits)};
}

}  // namespace

Batch Central::carve(List& list, std::size_t size_class, Pool& pool) {
  const std::size_t bytes = class_bytes[size_class];
  if (list.fresh == list.fresh_end) {
    const std::uint32_t pages = span_pages(size_class);
    list.fresh = pool.take(pages, 1, static_cast<std::uint8_t>(1 + size_class));
    const std::size_t blocks = list.fresh == nullptr ? 0 : pages * page_bytes / bytes;
    list.fresh_end = list.fresh + blocks * bytes;
  }
  const auto left = static_cast<std::size_t>(list.fresh_end - list.fresh) / bytes;
  Batch batch;
  batch.count =
      left < batch_blocks[size_class] ? static_cast<std::uint32_t>(left) : batch_blocks[size_class];
  char* const end = list.fresh + batch.count * bytes;
  for (char* at = end; at != list.fresh;) {
    at -= bytes;
    batch.head = new (at) Block{batch.head, 0};
  }
  list.fresh = end;
  return batch;
}

Batch Central::take(std::size_t size_class, Pool& pool) {
  List& list = lists_[size_class];
  const Guard guard(list.lock);
  if (list.batches == 0) {
    const Batch made = carve(list, size_class, pool);
    if (made.count != 0 || list.single.count == 0) return made;
    // Without memory those must do that were kept apart.
    const Batch single = list.single;
    list.single = {};
    return single;
  }
  const Batch batch = unpacked(list.batches);
  list.batches = batch.head->mark;
  batch.head->mark = 0;
  return batch;
}

void Central::push(List& list, Batch batch) {
  batch.head->mark = list.batches;
  list.batches = packed(batch);
}

void Central::give(std::size_t size_class, Batch batch) {
  if (batch.count == 0) return;
  List& list = lists_[size_class];
  const Guard guard(list.lock);
  push(list, batch);
}

void Central::give_one(std::size_t size_class, Block* block) {
  List& list = lists_[size_class];
  const Guard guard(list.lock);
  *block = {list.single.head, free_mark};
  list.single = {block, list.single.count + 1};
  if (list.single.count < batch_blocks[size_class]) return;
  push(list, list.single);
  list.single = {};
}

void Central::lock_all() {
  for (List& list : lists_) list.lock.lock();
}

void Central::unlock_all() {
  for (List& list : lists_) list.lock.unlock();
}

void Central::reset_locks() {
  for (List& list : lists_) list.lock.reset();
}

void Central::take_over() {
  for (List& list : lists_) {
    if (!list.lock.is_held()) continue;
    list.batches = 0;
    list.single = {};
    list.fresh = list.fresh_end = nullptr;
  }
  reset_locks();
}

}  // namespace wirecost::heap
