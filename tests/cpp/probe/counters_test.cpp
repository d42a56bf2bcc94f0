// SPDX-License-Identifier: Apache-2.0
// What a section's counters become in its record; the kernel's own counters where it has them.
#include "counters.hpp"

#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/mman.h>

#include "event_names.hpp"

namespace wirecost::probe {
namespace {

Snapshot snapshot(std::uint64_t value, std::uint64_t enabled, std::uint64_t running,
                  std::uint8_t counting = 1) {
  Snapshot made{};
  made.values[0] = value;
  made.enabled_ns[0] = enabled;
  made.running_ns[0] = running;
  made.counting = counting;
  return made;
}

TEST(Differences, AreExactWhereTheCounterAlwaysRan) {
  Record record{};
  set_differences(record, snapshot(10, 100, 100), snapshot(17, 300, 300), 1);
  EXPECT_EQ(record.counters[0], 7U);
  EXPECT_EQ(record.counted, 1);
  EXPECT_EQ(record.scaled, 0);
}

TEST(Differences, AreExactBetweenTwoReadsInOneTick) {
  Record record{};
  set_differences(record, snapshot(10, 100, 50), snapshot(17, 100, 50), 1);
  EXPECT_EQ(record.counters[0], 7U);
  EXPECT_EQ(record.scaled, 0);
}

TEST(Differences, AreScaledAndFlaggedWhereItRanPartOfTheTime) {
  Record record{};
  set_differences(record, snapshot(10, 100, 50), snapshot(20, 500, 150), 1);
  EXPECT_EQ(record.counters[0], 40U);
  EXPECT_EQ(record.counted, 1);
  EXPECT_EQ(record.scaled, 1);
}

TEST(Differences, AreAbsentWhereItNeverRanOrIsNotOpen) {
  Record record{};
  set_differences(record, snapshot(10, 100, 50, 0), snapshot(10, 500, 50, 0), 1);
  EXPECT_EQ(record.counted, 0);
  set_differences(record, snapshot(10, 100, 100), snapshot(17, 300, 300), 0);
  EXPECT_EQ(record.counted, 0);
  EXPECT_EQ(record.counters[0], 0U);
}

TEST(EventNames, KnowTheGenericOnesAndRefuseOthers) {
  perf_event_attr attributes{};
  ASSERT_TRUE(encode_event("LLC-store-misses", attributes));
  EXPECT_EQ(attributes.type, std::uint32_t{PERF_TYPE_HW_CACHE});
  EXPECT_EQ(attributes.config, 0x10102U);
  EXPECT_FALSE(encode_event("no-such-counter", attributes));
}

TEST(Counters, AnUnknownNameLeavesTheOthers) {
  Counters counters({"no-such-counter", "minor-faults"});
  ASSERT_EQ(counters.entries().size(), 2U);
  EXPECT_EQ(counters.entries()[0].status, CounterStatus::unavailable);
  EXPECT_EQ(counters.opened(), 2);
  EXPECT_EQ(counters.access(), CounterAccess::system_call);
  Snapshot begin;
  Snapshot end;
  constexpr std::size_t pages = 64;
  counters.read(begin);
  void* memory = mmap(nullptr, pages * 4096, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  madvise(memory, pages * 4096, MADV_NOHUGEPAGE);
  for (std::size_t page = 0; page < pages; ++page)
    static_cast<volatile char*>(memory)[page * 4096] = 1;
  counters.read(end);
  munmap(memory, pages * 4096);
  Record record{};
  set_differences(record, begin, end, counters.opened());
  EXPECT_EQ(record.counted, 2);
  EXPECT_GE(record.counters[1], pages);
}

}  // namespace
}  // namespace wirecost::probe
