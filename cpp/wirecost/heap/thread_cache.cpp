// SPDX-License-Identifier: Apache-2.0
#include "wirecost/heap/thread_cache.hpp"

namespace wirecost::heap {

std::uint64_t free_mark = 0x9d5c'63f1'0be7'42a9;

bool ThreadCache::refill(std::size_t size_class, Central& central, Pool& pool) {
  Stack& stack = stacks_[size_class];
  if (stack.spare.count != 0) {
    stack.current = stack.spare;
    stack.spare = {};
    return true;
  }
  stack.current = central.take(size_class, pool);
  return stack.current.count != 0;
}

void ThreadCache::spill(Stack& stack, std::size_t size_class, Central& central) {
  central.give(size_class, stack.spare);
  stack.spare = stack.current;
  stack.current = {};
}

void ThreadCache::flush(Central& central) {
  for (std::size_t c = 0; c < class_count; ++c) {
    central.give(c, stacks_[c].current);
    central.give(c, stacks_[c].spare);
    stacks_[c] = {};
  }
}

}  // namespace wirecost::heap
