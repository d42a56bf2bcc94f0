// SPDX-License-Identifier: Apache-2.0
// Whether blocks of a cache line go to several threads (cache-scratch of Berger, McKinley, Blumofe
// and Wilson, Hoard, ASPLOS 2000): each thread frees a block that another made beside the others',
// then allocates, writes and frees one of its own again and again.
#include "heap/cpp/patterns.hpp"

namespace wirecost::bench::heap {

std::uint64_t cache_scratch(unsigned threads, std::size_t operations) {
  constexpr std::size_t block_bytes = 8;
  constexpr std::size_t writes = 50;
  const std::size_t repetitions = operations / threads;
  std::vector<void*> handed_over(threads);
  for (void*& block : handed_over) block = make(block_bytes, 1);
  return in_threads(threads, [&handed_over, repetitions](unsigned t) {
    std::uint64_t sum = drop(handed_over[t]);
    for (std::size_t i = 0; i < repetitions; ++i) {
      auto* const block = static_cast<volatile std::uint64_t*>(make(block_bytes, i));
      // Stores alone: what they wait for is the cache line, not one another.
      for (std::size_t write = 0; write < writes; ++write) *block = i + write;
      sum += drop(const_cast<std::uint64_t*>(block));
    }
    return sum;
  });
}

}  // namespace wirecost::bench::heap
