// SPDX-License-Identifier: Apache-2.0
// What generated messages are made of: values that copy, move and compare, and keep their storage.
#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "compile/allocations.hpp"
#include "wirecost/support.hpp"

namespace {

using wirecost::Box;
using wirecost::Map;
using wirecost::Optional;
using wirecost::Sequence;
using wirecost::String;
using wirecost::test::allocations;

const std::string long_text(100, 'a');

// Through a reference, so that compilers do not warn of what is tested.
template <class T>
void assign_to_itself(T& value) {
  T& same = value;
  value = same;
}
template <class T>
void move_to_itself(T& value) {
  T& same = value;
  value = std::move(same);
}

class StringOf : public testing::TestWithParam<std::size_t> {
 protected:
  std::string text() const {
    std::string made;
    while (made.size() < GetParam()) made += static_cast<char>('a' + made.size() % 26);
    return made;
  }
};

TEST_P(StringOf, IsAValue) {
  const String made = text();
  EXPECT_EQ(made, text());
  EXPECT_EQ(made.size(), GetParam());
  String copy = made;
  EXPECT_EQ(copy, made);
  String moved = std::move(copy);
  EXPECT_EQ(moved, made);
  copy = made;  // what was moved from can be used again
  EXPECT_EQ(copy, made);
  copy = std::move(moved);
  EXPECT_EQ(copy, made);
  EXPECT_TRUE(moved.empty());  // NOLINT(bugprone-use-after-move): it is empty by contract
  moved = "x";
  EXPECT_EQ(moved, "x");
  String other = "another text that is longer than sixteen bytes";
  std::swap(copy, other);
  EXPECT_EQ(other, made);
  EXPECT_NE(copy, made);
}

TEST_P(StringOf, TakesItself) {
  String made = text();
  assign_to_itself(made);
  EXPECT_EQ(made, text());
  move_to_itself(made);
  EXPECT_EQ(made, text());
  if (made.empty()) return;
  made = made.view().substr(1);
  EXPECT_EQ(made, text().substr(1));
}

TEST_P(StringOf, ComparesAsBytes) {
  const String made = text();
  EXPECT_LT(made, String(text() + '\0'));
  EXPECT_LT(made, String("\xff"));
  EXPECT_FALSE(made < made);
}

INSTANTIATE_TEST_SUITE_P(Lengths, StringOf,
                         testing::Values(0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 34, 63, 64,
                                         65, 1000, 100000));

TEST(String, KeepsItsStorage) {
  String made = long_text;
  const std::size_t before = allocations();
  for (std::size_t size = 0; size <= long_text.size(); ++size) {
    made.clear();
    made = std::string_view(long_text).substr(0, size);
  }
  EXPECT_EQ(allocations(), before);
}

TEST(String, OfSixteenBytesNeedsNoAllocation) {
  const std::size_t before = allocations();
  const String made("0123456789abcdef");
  const String copy = made;
  EXPECT_EQ(allocations(), before);
  EXPECT_EQ(copy, made);
}

TEST(String, CanEndInAnotherThread) {
  String made;
  std::thread([&made] { made = long_text; }).join();
  EXPECT_EQ(made, long_text);
}

TEST(Optional, IsAValue) {
  Optional<String> made;
  EXPECT_FALSE(made);
  EXPECT_EQ(made.or_default(), "");
  made = String("text");
  ASSERT_TRUE(made);
  EXPECT_EQ(*made, "text");
  Optional<String> copy = made;
  EXPECT_EQ(copy, made);
  copy.reset();
  EXPECT_NE(copy, made);
  EXPECT_EQ(copy, Optional<String>());  // what it held before does not count
  assign_to_itself(made);
  move_to_itself(made);
  EXPECT_EQ(*made, "text");
  EXPECT_EQ(made.emplace(), "");
}

TEST(Optional, KeepsItsStorage) {
  Optional<String> made = String(long_text);
  const std::size_t before = allocations();
  made.reset();
  made.emplace() = long_text;
  EXPECT_EQ(allocations(), before);
}

TEST(Optional, TouchKeepsWhatIsThere) {
  Optional<String> made = String("old");
  EXPECT_EQ(made.touch(), "old");
  made.reset();
  EXPECT_EQ(made.touch(), "");
}

TEST(Box, IsAValue) {
  Box<String> made;
  EXPECT_FALSE(made);
  EXPECT_EQ(made.or_default(), "");
  made = Box<String>(String(long_text));
  Box<String> copy = made;
  EXPECT_EQ(copy, made);
  *copy = "changed";
  EXPECT_EQ(*made, long_text);
  EXPECT_NE(copy, made);
  assign_to_itself(made);
  move_to_itself(made);
  EXPECT_EQ(made.touch(), long_text);
  const Box<String> moved = std::move(made);
  EXPECT_EQ(*moved, long_text);
  copy.reset();
  EXPECT_FALSE(copy);
  EXPECT_NE(copy, moved);
}

TEST(Sequence, IsAValue) {
  Sequence<String> made{"one", "two", String(long_text)};
  Sequence<String> copy = made;
  EXPECT_EQ(copy, made);
  copy[0] = "changed";
  EXPECT_NE(copy, made);
  EXPECT_EQ(made[0], "one");
  copy = made;
  EXPECT_EQ(copy, made);
  assign_to_itself(made);
  EXPECT_EQ(made, copy);
  move_to_itself(made);
  EXPECT_EQ(made, copy);
  Sequence<String> moved = std::move(made);
  EXPECT_EQ(moved, copy);
  EXPECT_TRUE(made.empty());  // NOLINT(bugprone-use-after-move): it is empty by contract
  made.push_back("new");
  EXPECT_EQ(made.back(), "new");
  made = std::move(moved);
  EXPECT_EQ(made, copy);
  std::swap(made, copy);
  EXPECT_EQ(made, copy);
}

TEST(Sequence, GrowsWithClearedElements) {
  Sequence<String> made{"one", "two", "three"};
  made.resize(1);
  EXPECT_EQ(made, Sequence<String>{"one"});
  made.resize(3);
  EXPECT_EQ(made, (Sequence<String>{"one", "", ""}));
  made.pop_back();
  EXPECT_EQ(made.emplace_back(), "");
}

TEST(Sequence, CopiesOnlyWhatItShows) {
  Sequence<String> made{"one", "two"};
  made.clear();
  const Sequence<String> copy = made;
  EXPECT_TRUE(copy.empty());
  EXPECT_EQ(copy, Sequence<String>());
}

TEST(Sequence, KeepsItsElements) {
  Sequence<String> made;
  for (int i = 0; i < 10; ++i) made.push_back(String(long_text));
  const Sequence<String> source = made;
  const std::size_t before = allocations();
  for (int round = 0; round < 3; ++round) {
    made.clear();
    for (int i = 0; i < 10; ++i) made.emplace_back() = long_text;
    made = source;
  }
  EXPECT_EQ(allocations(), before);
}

TEST(Map, KeepsTheOrderOfKeys) {
  Map<String, int> made;
  made["b"] = 2;
  made["c"] = 3;
  made["a"] = 1;
  made["b"] = 20;
  ASSERT_EQ(made.size(), 3U);
  EXPECT_EQ(made.begin()[0].key, "a");
  EXPECT_EQ(made.begin()[1].value, 20);
  EXPECT_EQ(*made.find("c"), 3);
  EXPECT_EQ(made.find("d"), nullptr);
}

TEST(Map, SettlesAsAMapThatWasAssignedTo) {
  std::mt19937 random(1);
  for (unsigned size = 0; size < 300; ++size) {
    Map<std::uint32_t, std::uint32_t> appended;
    Map<std::uint32_t, std::uint32_t> assigned;
    for (unsigned i = 0; i < size; ++i) {
      const std::uint32_t key = random() % (size + 1);
      auto& entry = appended.append();
      entry.key = key;
      entry.value = i;
      assigned[key] = i;
    }
    appended.settle();
    ASSERT_EQ(appended, assigned) << size;
  }
}

TEST(Map, SettlesWithoutAllocation) {
  Map<std::uint32_t, String> made;
  for (std::uint32_t i = 0; i < 100; ++i) {
    auto& entry = made.append();
    entry.key = 99 - i;
    entry.value = long_text;
  }
  const std::size_t before = allocations();
  made.settle();
  EXPECT_EQ(allocations(), before);
  EXPECT_EQ(made.begin()->key, 0U);
}

TEST(Map, IsAValue) {
  Map<int, String> made;
  made[1] = "one";
  Map<int, String> copy = made;
  EXPECT_EQ(copy, made);
  copy[1] = "changed";
  EXPECT_NE(copy, made);
  assign_to_itself(made);
  move_to_itself(made);
  EXPECT_EQ(*made.find(1), "one");
}

TEST(Utf8, IsWhatProtobufSays) {
  for (const char* good :
       {"", "ascii", "eight bytes", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x90\x80\x80",
        "\xf4\x8f\xbf\xbf", "\xed\x9f\xbf", "1234567\xc3\xa9"}) {
    EXPECT_TRUE(wirecost::is_utf8(good)) << good;
  }
  for (const char* bad :
       {"\x80", "\xc3", "\xc0\xaf", "\xc1\xbf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf0\x80\x80\xaf",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x82", "12345678\xe2\x82", "\xe2\x28\xa1"}) {
    EXPECT_FALSE(wirecost::is_utf8(bad)) << bad;
  }
}

}  // namespace
