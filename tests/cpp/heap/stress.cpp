// SPDX-License-Identifier: Apache-2.0
// stress [SECONDS]: the patterns by which the literature strains allocators, each for a share of
// the time (10 s by default), on blocks that verify their content. Written after the published
// descriptions: larson and threadtest (Larson and Krishnan, ISMM 1998; Berger et al., ASPLOS 2000),
// cache-scratch (Hoard), xmalloc (Lever and Boreham, 2000), sh6bench (MicroQuill).
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "blocks.hpp"

namespace {

using heap_tests::any_size;
using heap_tests::Block;
using heap_tests::Random;
using Clock = std::chrono::steady_clock;

constexpr unsigned thread_count = 6;

template <typename Body>
void in_threads(Body body) {
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < thread_count; ++t) threads.emplace_back(body, t);
  for (std::thread& thread : threads) thread.join();
}

/// A server whose threads hand their blocks to successors: blocks outlive the thread that made
/// them.
void larson(Clock::time_point until) {
  in_threads([until](unsigned t) {
    Random random(t);
    std::vector<Block> blocks(1000);
    while (Clock::now() < until) {
      std::thread([&] {
        for (int i = 0; i < 10'000; ++i) {
          blocks[random() % blocks.size()] = Block(any_size(random) % 100'000);
        }
      }).join();
    }
  });
}

/// Every thread fills and empties a list of blocks of one size.
void threadtest(Clock::time_point until) {
  in_threads([until](unsigned t) {
    Random random(t);
    while (Clock::now() < until) {
      const std::size_t bytes = any_size(random) % 10'000;
      std::vector<Block> blocks;
      for (int i = 0; i < 2000; ++i) blocks.emplace_back(bytes);
    }
  });
}

/// One thread makes all blocks; the others replace them and write, again and again.
void cache_scratch(Clock::time_point until) {
  while (Clock::now() < until) {
    std::array<Block, thread_count> handed_over;
    for (Block& block : handed_over) block = Block(8);
    in_threads([&handed_over](unsigned t) {
      handed_over[t] = Block(8);
      for (int i = 0; i < 2000; ++i) const Block again(8);
    });
  }
}

/// Half of the threads only allocate, the other half only free.
void xmalloc(Clock::time_point until) {
  constexpr std::size_t most_batches = 20;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::vector<Block>> batches;
  std::atomic<unsigned> producers{thread_count / 2};
  in_threads([&](unsigned t) {
    Random random(t);
    while (t % 2 == 0 && Clock::now() < until) {
      std::vector<Block> batch;
      for (int i = 0; i < 120; ++i) batch.emplace_back(any_size(random));
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return batches.size() < most_batches; });
      batches.push_back(std::move(batch));
      changed.notify_all();
    }
    if (t % 2 == 0) {
      const std::lock_guard lock(mutex);
      --producers;
      changed.notify_all();
      return;
    }
    for (;;) {
      std::vector<Block> batch;
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return !batches.empty() || producers == 0; });
      if (batches.empty()) return;
      batch = std::move(batches.front());
      batches.pop_front();
      changed.notify_all();
      lock.unlock();
    }
  });
}

/// Rows of sizes, freed partly in the order of allocation, partly in reverse.
void sh6bench(Clock::time_point until) {
  in_threads([until](unsigned t) {
    std::deque<Block> blocks;
    for (std::size_t size = 1 + t; Clock::now() < until; size = size * 3 % 5003 + 1) {
      for (int i = 0; i < 300; ++i) blocks.emplace_back(size);
      for (int i = 0; i < 100; ++i) blocks.pop_front();
      for (int i = 0; i < 150; ++i) blocks.pop_back();
      if (blocks.size() > 5000) blocks.clear();
    }
  });
}

/// Blocks that grow, shrink and change hands.
void resizing(Clock::time_point until) {
  std::array<std::pair<std::mutex, Block>, 64> shared;
  in_threads([&shared, until](unsigned t) {
    Random random(t);
    while (Clock::now() < until) {
      auto& [mutex, block] = shared[random() % shared.size()];
      Block mine(any_size(random) + 1);
      for (int i = 0; i < 5; ++i) mine.resize(any_size(random) + 1);
      const std::lock_guard lock(mutex);
      std::swap(block, mine);
    }
  });
}

/// Buffers of all sizes up to 256 MiB, which split and merge the pool's runs.
void buffers(Clock::time_point until) {
  in_threads([until](unsigned t) {
    Random random(t);
    std::vector<Block> blocks(8);
    while (Clock::now() < until) {
      const std::size_t most = random() % 50 == 0 ? 256U << 20 : 8U << 20;
      blocks[random() % blocks.size()] = Block(random() % most);
      const std::size_t alignment = std::size_t{32} << random() % 16;
      blocks[random() % blocks.size()] = Block(std::aligned_alloc(alignment, alignment), alignment);
    }
  });
}

struct Pattern {
  std::string_view name;
  void (*run)(Clock::time_point until);
};

constexpr std::array patterns{Pattern{"larson", larson},
                              Pattern{"threadtest", threadtest},
                              Pattern{"cache-scratch", cache_scratch},
                              Pattern{"xmalloc", xmalloc},
                              Pattern{"sh6bench", sh6bench},
                              Pattern{"resizing", resizing},
                              Pattern{"buffers", buffers}};

}  // namespace

int main(int argc, char** argv) {
  heap_tests::require_preloaded_heap();
  const double seconds = argc > 1 ? std::atof(argv[1]) : 10.0;
  for (const Pattern& pattern : patterns) {
    const std::chrono::duration<double> share(seconds / double(patterns.size()));
    pattern.run(Clock::now() + std::chrono::duration_cast<Clock::duration>(share));
    std::printf("%s: every block kept its content\n", pattern.name.data());
    std::fflush(stdout);
  }
}
