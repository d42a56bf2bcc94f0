// SPDX-License-Identifier: Apache-2.0
// Where holders get their memory: with recycling what one gave back serves the next, without it
// every block is asked of the program's allocator. Sanitizers turn recycling off, so without them.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "compile/allocations.hpp"
#include "wirecost/support_holders.hpp"

namespace {

using namespace wirecost;
using wirecost::test::allocations;

const std::string long_text(100, 'a');

/// How many allocations the second of two equal works takes.
template <class Work>
std::size_t allocations_again(Work work) {
  work();
  const std::size_t before = allocations();
  work();
  return allocations() - before;
}

TEST(Recycling, ServesANewStringFromAnOldOne) {
  EXPECT_EQ(allocations_again([] { String{long_text}; }), 0U);
  EXPECT_EQ(allocations_again([] { PlainString{long_text}; }), 1U);
}

TEST(Recycling, ServesNewElementsFromOldOnes) {
  EXPECT_EQ(allocations_again([] { Sequence<String>().push_back(long_text); }), 0U);
  EXPECT_EQ(allocations_again([] { PlainSequence<PlainString>().overwrite_back() = long_text; }),
            2U);
  EXPECT_EQ(allocations_again([] { Map<int, String>()[1] = long_text; }), 0U);
  EXPECT_EQ(allocations_again([] { PlainMap<int, PlainString>()[1] = long_text; }), 2U);
}

TEST(Recycling, LeavesLargeBlocksToTheAllocator) {
  const std::string large(10'000, 'a');
  EXPECT_EQ(allocations_again([&large] { String{large}; }), 1U);
}

TEST(Recycling, KeepsABoundedNumberOfBlocks) {
  const auto many = [] { std::vector<String>(1000, String(long_text)); };
  EXPECT_GT(allocations_again(many), 700U);
}

TEST(Recycling, IsEachThreadsOwn) {
  {
    const String kept(long_text);
  }
  std::size_t taken = 0;
  std::thread([&taken] {
    const std::size_t before = allocations();
    {
      const String first(long_text);
    }
    {
      const String second(long_text);
    }
    taken = allocations() - before;
  }).join();
  EXPECT_EQ(taken, 1U);
}

template <class T>
class StringOf : public testing::Test {};
using Kinds = testing::Types<String, PlainString>;
TYPED_TEST_SUITE(StringOf, Kinds);

TYPED_TEST(StringOf, KeepsItsStorage) {
  TypeParam text(long_text);
  const std::size_t before = allocations();
  for (std::size_t size = 0; size <= long_text.size(); ++size) {
    text.clear();
    text = std::string_view(long_text).substr(0, size);
  }
  EXPECT_EQ(allocations(), before);
}

TYPED_TEST(StringOf, IsAValueAtEverySize) {
  for (const std::size_t size : {0, 1, 16, 17, 32, 33, 64, 65, 2048, 2049, 100'000}) {
    const std::string wanted(size, 'b');
    TypeParam text(wanted);
    TypeParam copy = text;
    const TypeParam moved = std::move(text);
    EXPECT_EQ(moved, wanted);
    EXPECT_EQ(copy, wanted);
    copy = std::string_view("short");
    EXPECT_EQ(copy, "short");
  }
}

}  // namespace
