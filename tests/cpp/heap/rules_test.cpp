// SPDX-License-Identifier: Apache-2.0
// What malloc(3) and its family promise, of the preloaded heap.
#include <errno.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <bit>
#include <numeric>
#include <thread>
#include <vector>

#include "blocks.hpp"

// NOLINTNEXTLINE(bugprone-reserved-identifier): glibc's own allocator
extern "C" void* __libc_malloc(std::size_t);

namespace {

using heap_tests::Block;
using heap_tests::Random;

constexpr std::size_t gibibyte = std::size_t{1} << 30;
// Of a run-time value, so that the compiler cannot see that the request must fail.
volatile std::size_t half_of_all = SIZE_MAX / 2 + 1;

bool aligned(const void* pointer, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(pointer) % alignment == 0;
}

// Before the others: threads that ended leave blocks of many lines to their successors.
TEST(Heap, KeepsThreadsOffOneAnothersCacheLines) {
  constexpr std::size_t count = 8;
  constexpr std::size_t bytes = 16;
  std::array<void*, count> made;
  std::array<std::uintptr_t, count> lines;
  for (void*& block : made) block = malloc(bytes);
  std::barrier<> all_have_theirs(count);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < count; ++t) {
    threads.emplace_back([&, t] {
      free(made[t]);
      void* const own = malloc(bytes);
      lines[t] = reinterpret_cast<std::uintptr_t>(own) / 64;
      all_have_theirs.arrive_and_wait();
      free(own);
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::sort(lines.begin(), lines.end());
  EXPECT_EQ(std::adjacent_find(lines.begin(), lines.end()), lines.end());
}

TEST(Heap, GivesBlocksOfEverySizeThatDoNotOverlap) {
  std::vector<Block> blocks;
  for (std::size_t bytes = 0; bytes < 3000; ++bytes) blocks.emplace_back(bytes);
  for (std::size_t bytes = 3000; bytes < 600'000; bytes += 997) blocks.emplace_back(bytes);
  std::shuffle(blocks.begin(), blocks.end(), Random(1));
}

TEST(Heap, TellsAtLeastTheBytesAskedFor) {
  for (std::size_t bytes = 1; bytes < 300'000; bytes += 1 + bytes / 7) {
    void* block = malloc(bytes);
    EXPECT_GE(malloc_usable_size(block), bytes);
    EXPECT_LE(malloc_usable_size(block), std::max(bytes + 16, bytes * 5 / 4 + 4096));
    free(block);
  }
  EXPECT_EQ(malloc_usable_size(nullptr), 0U);
}

TEST(Heap, AlignsAsAsked) {
  std::vector<Block> blocks;
  for (std::size_t alignment = 8; alignment <= (4U << 20); alignment *= 2) {
    for (const std::size_t bytes : {1UL, 24UL, 100UL, 4096UL, 5000UL, 70'000UL, 300'000UL}) {
      void* block = nullptr;
      ASSERT_EQ(posix_memalign(&block, alignment, bytes), 0);
      ASSERT_TRUE(aligned(block, alignment)) << alignment;
      blocks.emplace_back(block, bytes);
      blocks.emplace_back(aligned_alloc(alignment, bytes), bytes);
      blocks.emplace_back(memalign(alignment, bytes), bytes);
    }
  }
  blocks.emplace_back(memalign(64U << 20, 5000), 5000);
  ASSERT_TRUE(aligned(blocks.back().data(), 64U << 20));
  blocks.emplace_back(valloc(5), 5);
  blocks.emplace_back(pvalloc(5), 4096);
}

TEST(Heap, RefusesAlignmentsThatAreNone) {
  void* block = &block;
  EXPECT_EQ(posix_memalign(&block, 24, 8), EINVAL);
  EXPECT_EQ(posix_memalign(&block, 4, 8), EINVAL);
  EXPECT_EQ(posix_memalign(&block, 0, 8), EINVAL);
  EXPECT_EQ(block, &block);
  errno = 0;
  EXPECT_EQ(memalign(half_of_all + 1, 8), nullptr);
  EXPECT_EQ(errno, EINVAL);
}

TEST(Heap, RoundsAlignmentsUpToPowersOfTwo) {
  std::vector<Block> blocks;
  for (const std::size_t alignment : {0UL, 1UL, 3UL, 24UL, 48UL, 100UL, 5000UL, 70'000UL}) {
    for (const std::size_t bytes : {0UL, 16UL, 48UL, 100'000UL}) {
      blocks.emplace_back(memalign(alignment, bytes), bytes);
      ASSERT_TRUE(aligned(blocks.back().data(), std::bit_ceil(alignment))) << alignment;
      blocks.emplace_back(aligned_alloc(alignment, bytes), bytes);
      ASSERT_TRUE(aligned(blocks.back().data(), std::bit_ceil(alignment))) << alignment;
    }
  }
}

TEST(Heap, FailsWithEnomem) {
  const auto fails = [](auto request) {
    errno = 0;
    EXPECT_EQ(request(), nullptr);
    EXPECT_EQ(errno, ENOMEM);
  };
  void* kept = malloc(100);
  fails([] { return malloc(half_of_all); });
  fails([] { return malloc(half_of_all * 2 - 5); });
  fails([] { return malloc(half_of_all / (1U << 20)); });
  fails([] { return calloc(half_of_all, 2); });
  fails([] { return calloc(half_of_all, 1); });
  fails([&] { return reallocarray(kept, half_of_all, 2); });
  fails([&] { return realloc(kept, half_of_all); });
  fails([] { return memalign(4096, half_of_all * 2 - 5); });
  fails([] { return memalign(half_of_all, 16); });
  fails([] { return pvalloc(half_of_all * 2 - 5); });
  fails([] { return memalign(half_of_all - 3, 8); });
  fails([] { return aligned_alloc(24, half_of_all); });
  fails([] { return valloc(half_of_all * 2 - 5); });
  void* untouched = &kept;
  EXPECT_EQ(posix_memalign(&untouched, 64, half_of_all), ENOMEM);
  EXPECT_EQ(untouched, &kept);
  free(kept);
}

// Where counts of bytes or pages are cut to fewer bits, a small block would come of these.
TEST(Heap, FailsWithEnomemForEverySizeThatIsTooLarge) {
  const auto fails = [](const void* block, std::size_t bytes) {
    EXPECT_EQ(block, nullptr) << bytes;
    EXPECT_EQ(errno, ENOMEM) << bytes;
    errno = 0;
  };
  void* const small = malloc(100);
  void* volatile large = malloc(100'000);
  errno = 0;
  for (std::size_t power = half_of_all; power >= std::size_t{1} << 42; power /= 2) {
    for (const std::size_t more : {0UL, 1UL, 16UL, 4096UL, 4097UL, 40'000UL}) {
      for (const std::size_t bytes : {power + more, power - more}) {
        fails(malloc(bytes), bytes);
        fails(calloc(bytes, 1), bytes);
        fails(calloc(2, bytes), bytes);
        fails(realloc(small, bytes), bytes);
        fails(realloc(large, bytes), bytes);
        fails(reallocarray(large, 3, bytes), bytes);
        fails(memalign(64, bytes), bytes);
        fails(memalign(1 << 20, bytes), bytes);
        fails(pvalloc(bytes), bytes);
      }
    }
    fails(memalign(power, 100), power);
    fails(memalign(power, 100'000), power);
  }
  free(small);
  free(large);
}

TEST(Heap, ClearsWhatCallocReuses) {
  for (const std::size_t bytes : {16UL, 1000UL, 30'000UL, 500'000UL}) {
    void* dirty = malloc(bytes);
    std::memset(dirty, 0xA5, bytes);
    free(dirty);
    auto* clean = static_cast<unsigned char*>(calloc(bytes, 1));
    EXPECT_EQ(std::count(clean, clean + bytes, 0), static_cast<std::ptrdiff_t>(bytes));
    free(clean);
  }
}

TEST(Heap, KeepsContentWhenResized) {
  Random random(2);
  std::vector<Block> blocks;
  for (int i = 0; i < 200; ++i) blocks.emplace_back(heap_tests::any_size(random) + 1);
  for (int i = 0; i < 20'000; ++i) {
    blocks[random() % blocks.size()].resize(heap_tests::any_size(random) + 1);
  }
  std::vector<std::uint32_t> growing;
  for (std::uint32_t i = 0; i < 3'000'000; ++i) growing.push_back(i);
  for (std::uint32_t i = 0; i < growing.size(); ++i) ASSERT_EQ(growing[i], i);
}

TEST(Heap, GrowsAndShrinksLargeBlocksWhole) {
  constexpr std::size_t words = 1 << 20;
  auto* data = static_cast<std::uint64_t*>(malloc(words * 8));
  std::iota(data, data + words, 0);
  for (const std::size_t bytes : {words * 24, words * 8, words * 80, words * 4, words * 6}) {
    data = static_cast<std::uint64_t*>(realloc(data, bytes));
    for (std::uint64_t i = 0; i < words / 2; ++i) ASSERT_EQ(data[i], i);
  }
  data = static_cast<std::uint64_t*>(realloc(data, 80));
  for (std::uint64_t i = 0; i < 10; ++i) ASSERT_EQ(data[i], i);
  EXPECT_EQ(realloc(data, 0), nullptr);
}

TEST(Heap, LeavesBlocksOfLibcToLibc) {
  // The loader and whoever knows these names has some.
  void* block = std::memset(__libc_malloc(100), 7, 100);
  EXPECT_EQ(malloc_usable_size(block), 0U);
  block = realloc(block, 200'000);
  EXPECT_EQ(static_cast<char*>(block)[99], 7);
  errno = 4711;
  free(block);
  EXPECT_EQ(errno, 4711);
}

TEST(Heap, FreeKeepsErrno) {
  errno = 4711;
  for (const std::size_t bytes : {10UL, 100'000UL}) free(malloc(bytes));
  EXPECT_EQ(errno, 4711);
}

TEST(Heap, ReusesTheMemoryOfEndedThreads) {
  const auto churn = [] {
    for (int i = 0; i < 500; ++i) {
      std::vector<std::thread> threads;
      for (int t = 0; t < 4; ++t) {
        threads.emplace_back([t] {
          std::vector<Block> blocks;
          for (std::size_t b = 0; b < 50; ++b) blocks.emplace_back(b * 40 + std::size_t(t));
        });
      }
      for (std::thread& thread : threads) thread.join();
    }
  };
  churn();
  const std::size_t used = mallinfo2().uordblks;
  churn();
  EXPECT_LE(mallinfo2().uordblks, used + 512 * 1024);
}

TEST(Heap, ReusesBlocksFreedByThreadsThatMadeNone) {
  constexpr std::size_t bytes = 1024;
  const auto churn = [] {
    for (int i = 0; i < 2000; ++i) {
      void* const block = malloc(bytes);
      std::thread([block] { free(block); }).join();
    }
  };
  churn();
  const std::size_t used = mallinfo2().uordblks;
  churn();
  EXPECT_LE(mallinfo2().uordblks, used + 256 * 1024);
}

TEST(Heap, WorksInChildrenForkedAmidAllocation) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 3; ++t) {
    threads.emplace_back([&stop, t] {
      Random random(t);
      while (!stop) const Block block(heap_tests::any_size(random));
    });
  }
  for (int i = 0; i < 40; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(20);
      Random random(99);
      std::thread([&random] {
        std::vector<Block> blocks;
        for (int b = 0; b < 300; ++b) blocks.emplace_back(heap_tests::any_size(random));
      }).join();
      _exit(0);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0) << "fork " << i;
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
}

// By a system call no handler of fork runs: what other threads had locked stays locked.
TEST(Heap, WorksInChildrenOfSystemCallsAmidAllocation) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 3; ++t) {
    threads.emplace_back([&stop, t] {
      Random random(t);
      std::vector<Block> kept(100);
      while (!stop) kept[random() % kept.size()] = Block(heap_tests::any_size(random));
    });
  }
  for (int i = 0; i < 30; ++i) {
    const pid_t child = i % 2 == 0 ? _Fork() : static_cast<pid_t>(syscall(SYS_fork));
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(20);
      Random random(99);
      std::vector<Block> blocks;
      for (int b = 0; b < 300; ++b) blocks.emplace_back(heap_tests::any_size(random));
      blocks.clear();
      std::thread([&random] { const Block block(heap_tests::any_size(random)); }).join();
      const pid_t grandchild = fork();
      if (grandchild == 0) {
        const Block block(100'000);
        _exit(0);
      }
      int status = -1;
      waitpid(grandchild, &status, 0);
      _exit(status);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0) << "child " << i;
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
}

// After the others: forks copy the page tables of all that was ever touched.
TEST(Heap, ServesTwoGibibytesAndTakesThemAgain) {
  const std::size_t before = mallinfo2().uordblks;
  for (int i = 0; i < 3; ++i) {
    {
      const Block ring(2 * gibibyte);
      EXPECT_GE(mallinfo2().uordblks, before + 2 * gibibyte);
    }
    EXPECT_EQ(mallinfo2().uordblks, before);
  }
  const std::size_t touched = mallinfo2().arena;
  EXPECT_LT(touched, 4 * gibibyte);
  EXPECT_EQ(malloc_trim(0), 0);
  EXPECT_GE(mallinfo2().arena, touched);
}

TEST(HeapDeathTest, NamesABlockFreedTwice) {
  const auto twice = [](std::size_t bytes) {
    void* volatile block = malloc(bytes);
    free(block);
    free(block);
  };
  EXPECT_DEATH(twice(100), "wirecost heap: 0x[0-9a-f]+ freed twice");
  EXPECT_DEATH(twice(100'000), "wirecost heap: 0x[0-9a-f]+ not a block in use");
}

TEST(HeapDeathTest, NamesAPointerIntoABlock) {
  const auto inside = [](std::size_t bytes, std::size_t offset) {
    void* const block = malloc(bytes);
    void* volatile within = static_cast<char*>(block) + offset;
    free(within);
  };
  EXPECT_DEATH(inside(100, 8), "not a block in use");
  EXPECT_DEATH(inside(100'000, 16), "not a block in use");
  EXPECT_DEATH(inside(100'000, 8192), "not a block in use");
}

}  // namespace

int main(int argc, char** argv) {
  heap_tests::require_preloaded_heap();
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
