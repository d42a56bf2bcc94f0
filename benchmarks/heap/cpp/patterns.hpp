// SPDX-License-Identifier: Apache-2.0
// The stresses by which the literature compares allocators, of a fixed amount of work each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace wirecost::bench::heap {

/// About `operations` pairs of malloc and free, shared by `threads` threads. Returns what the
/// blocks held when they were freed, added up: the same for every allocator that keeps their
/// content.
using Pattern = std::uint64_t (*)(unsigned threads, std::size_t operations);

std::uint64_t larson(unsigned threads, std::size_t operations);
std::uint64_t threadtest(unsigned threads, std::size_t operations);
std::uint64_t xmalloc(unsigned threads, std::size_t operations);
std::uint64_t cache_scratch(unsigned threads, std::size_t operations);

/// A block of at least eight bytes that begins with `key`; ends the program where memory does.
inline void* make(std::size_t bytes, std::uint64_t key) {
  void* const block = std::malloc(bytes);
  if (block == nullptr) std::abort();
  std::memcpy(block, &key, sizeof key);
  return block;
}

/// Frees a block of `make` and returns its key.
inline std::uint64_t drop(void* block) {
  std::uint64_t key;
  std::memcpy(&key, block, sizeof key);
  std::free(block);
  return key;
}

/// Runs `body(thread)` in that many threads; the sum of what they return.
template <typename Body>
std::uint64_t in_threads(unsigned count, Body body) {
  struct alignas(64) Own {
    std::uint64_t sum = 0;
  };
  std::vector<Own> sums(count);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < count; ++t) {
    threads.emplace_back([&sums, &body, t] { sums[t].sum = body(t); });
  }
  std::uint64_t total = 0;
  for (unsigned t = 0; t < count; ++t) {
    threads[t].join();
    total += sums[t].sum;
  }
  return total;
}

}  // namespace wirecost::bench::heap
