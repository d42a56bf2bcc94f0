// SPDX-License-Identifier: Apache-2.0
// The heap's promise, counted: after a warm-up, callbacks that allocate take no page fault.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "blocks.hpp"

namespace {

using heap_tests::Random;

long own_faults() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_minflt + usage.ru_majflt;
}

/// What a lidar callback does: buffers of a scan, growing lists, many small blocks.
void callback(Random& random) {
  std::vector<char*> rings;
  for (int ring = 0; ring < 64; ++ring) {
    const std::size_t bytes = 20'000 + random() % 200'000;
    rings.push_back(static_cast<char*>(std::malloc(bytes)));
    std::memset(rings.back(), ring, bytes);
  }
  std::vector<std::vector<float>> clusters(300);
  for (int point = 0; point < 30'000; ++point) clusters[random() % 300].push_back(1.0F);
  for (char* ring : rings) std::free(ring);
}

long faults_of_callbacks(int warmup, int counted) {
  Random random(7);
  for (int i = 0; i < warmup; ++i) callback(random);
  const long before = own_faults();
  for (int i = 0; i < counted; ++i) callback(random);
  return own_faults() - before;
}

TEST(Faults, NoneInTheSteadyState) { EXPECT_EQ(faults_of_callbacks(3, 100), 0); }

TEST(Faults, NoneInANewThreadOnceItsStackIsWarm) {
  long faults = -1;
  std::thread([&faults] { faults = faults_of_callbacks(3, 50); }).join();
  EXPECT_EQ(faults, 0);
}

TEST(Faults, NoneInMemoryNeverUsedBefore) {
  // No warm-up of the heap: the pool was touched before anyone asked.
  std::vector<void*> blocks(400);
  const long before = own_faults();
  for (void*& block : blocks) block = std::memset(std::malloc(100'000), 1, 100'000);
  EXPECT_EQ(own_faults() - before, 0);
  for (void* block : blocks) std::free(block);
}

TEST(Faults, NoneOnceThePoolIsTouchedAgainAfterAFork) {
  using std::chrono::milliseconds;
  faults_of_callbacks(3, 1);
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  // The background thread needs a moment; however long it takes, there must come an end to faults.
  long faults = -1;
  for (int tries = 0; tries < 200 && faults != 0; ++tries) {
    std::this_thread::sleep_for(milliseconds(50));
    std::vector<void*> blocks(200);
    const long before = own_faults();
    for (void*& block : blocks) block = std::memset(std::malloc(100'000), 1, 100'000);
    faults = own_faults() - before;
    for (void* block : blocks) std::free(block);
  }
  EXPECT_EQ(faults, 0);
}

TEST(Faults, AreCountedWhereMemoryIsFresh) {
  // Without this the other tests could pass on a counter that does not count.
  constexpr std::size_t bytes = 1 << 20;
  void* fresh = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(fresh, MAP_FAILED);
  madvise(fresh, bytes, MADV_NOHUGEPAGE);
  const long before = own_faults();
  std::memset(fresh, 1, bytes);
  EXPECT_GE(own_faults() - before, 256);
  munmap(fresh, bytes);
}

}  // namespace

int main(int argc, char** argv) {
  heap_tests::require_preloaded_heap();
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
