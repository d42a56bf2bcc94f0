// SPDX-License-Identifier: Apache-2.0
// A server (Larson and Krishnan, Memory Allocation for Long-Running Server Applications, ISMM
// 1998): threads replace random ones of their blocks, then hand all of them to a successor.
#include "heap/cpp/patterns.hpp"
#include "heap/cpp/random.hpp"

namespace wirecost::bench::heap {

namespace {

constexpr std::size_t blocks_a_thread = 1000;
constexpr std::size_t generations = 10;

std::size_t size_of(Random& random) { return 8 + random.below(993); }

}  // namespace

std::uint64_t larson(unsigned threads, std::size_t operations) {
  const std::size_t replacements = operations / threads / generations;
  return in_threads(threads, [replacements](unsigned t) {
    Random random(t + 1);
    std::uint64_t sum = 0;
    std::vector<void*> blocks(blocks_a_thread);
    for (void*& block : blocks) block = make(size_of(random), t);
    for (std::size_t generation = 0; generation < generations; ++generation) {
      std::thread([&] {
        for (std::size_t i = 0; i < replacements; ++i) {
          void*& block = blocks[random.below(blocks_a_thread)];
          sum += drop(block);
          block = make(size_of(random), i);
        }
      }).join();
    }
    for (void* block : blocks) sum += drop(block);
    return sum;
  });
}

}  // namespace wirecost::bench::heap
