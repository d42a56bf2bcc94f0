// SPDX-License-Identifier: Apache-2.0
// Threads that have nothing in common (threadtest of Berger, McKinley, Blumofe and Wilson, Hoard: A
// Scalable Memory Allocator for Multithreaded Applications, ASPLOS 2000): each makes a list of
// blocks of one size, frees it and starts again.
#include "heap/cpp/patterns.hpp"

namespace wirecost::bench::heap {

std::uint64_t threadtest(unsigned threads, std::size_t operations) {
  constexpr std::size_t list_blocks = 10'000;
  constexpr std::size_t block_bytes = 64;
  const std::size_t lists = operations / threads / list_blocks;
  return in_threads(threads, [lists](unsigned t) {
    std::uint64_t sum = 0;
    std::vector<void*> blocks(list_blocks);
    for (std::size_t list = 0; list < lists; ++list) {
      for (std::size_t i = 0; i < list_blocks; ++i) blocks[i] = make(block_bytes, t + i);
      for (void* block : blocks) sum += drop(block);
    }
    return sum;
  });
}

}  // namespace wirecost::bench::heap
