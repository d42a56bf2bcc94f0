// SPDX-License-Identifier: Apache-2.0
// Times spent waiting: for a processor and for anything else.
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "counters.hpp"
#include "wirecost/probe/clock.hpp"

namespace wirecost::probe {
namespace {

struct Waited {
  std::uint64_t queue_ns, blocked_ns, elapsed_ns;
};

template <class Work>
Waited waited_in(Work work) {
  Counters counters({"run-queue-wait-ns", "blocked-ns"});
  if (counters.opened() != 3) return {};
  Snapshot begin, end;
  const std::int64_t start = monotonic_ns();
  counters.read(begin);
  work();
  counters.read(end);
  const auto elapsed = static_cast<std::uint64_t>(monotonic_ns() - start);
  Record record{};
  set_differences(record, begin, end, counters.opened());
  EXPECT_EQ(record.counted, 3);
  return {record.counters[0], record.counters[1], elapsed};
}

void spin_for(std::int64_t ns) {
  for (const std::int64_t until = thread_processor_ns() + ns; thread_processor_ns() < until;) {
  }
}

TEST(Waits, ProcessorTimeIsThatOfTheThreadAloneAndNeedsNothingElse) {
  Counters counters({"processor-ns"});
  ASSERT_EQ(counters.opened(), 1);
  Snapshot begin, end;
  counters.read(begin);
  usleep(20'000);
  spin_for(5'000'000);
  counters.read(end);
  Record record{};
  set_differences(record, begin, end, counters.opened());
  EXPECT_EQ(record.counted, 1);
  EXPECT_GE(record.counters[0], 5'000'000);
  EXPECT_LT(record.counters[0], 15'000'000);
}

TEST(Waits, SleepingIsBlocked) {
  const Waited found = waited_in([] { usleep(5000); });
  if (found.elapsed_ns == 0) GTEST_SKIP() << "this kernel has no schedstat";
  EXPECT_GE(found.blocked_ns, 4'900'000);
  EXPECT_LE(found.blocked_ns + found.queue_ns, found.elapsed_ns);
}

TEST(Waits, ComputingIsNotBlocked) {
  const Waited found = waited_in([] { spin_for(5'000'000); });
  if (found.elapsed_ns == 0) GTEST_SKIP() << "this kernel has no schedstat";
  EXPECT_LT(found.blocked_ns, found.elapsed_ns - 4'900'000);
}

TEST(Waits, AnotherThreadOnTheProcessorIsWaitedFor) {
  cpu_set_t before{}, one{};
  sched_getaffinity(0, sizeof(before), &before);
  CPU_SET(sched_getcpu(), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  std::atomic<bool> stop{false};
  std::thread other([&stop] {
    while (!stop) {
    }
  });
  const Waited found = waited_in([] { spin_for(40'000'000); });
  stop = true;
  other.join();
  sched_setaffinity(0, sizeof(before), &before);
  if (found.elapsed_ns == 0) GTEST_SKIP() << "this kernel has no schedstat";
  // Two threads of one priority on one processor: each gets half of it, in slices of milliseconds.
  EXPECT_GE(found.queue_ns, 5'000'000);
  EXPECT_LE(found.blocked_ns + found.queue_ns, found.elapsed_ns);
}

TEST(Waits, WhatIsNotPreloadedIsNotCounted) {
  const Counters counters({"allocations", "allocated-bytes", "lock-waits", "lock-wait-ns"});
  for (const CounterEntry& entry : counters.entries())
    EXPECT_EQ(entry.status, CounterStatus::unavailable);
}

}  // namespace
}  // namespace wirecost::probe
