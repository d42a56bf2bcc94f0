// SPDX-License-Identifier: Apache-2.0
// Software counters without perf: the same numbers as perf's, where perf is forbidden too, and
// perf's where the kernel does not report them.
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <thread>

#include "counters.hpp"
#include "event_names.hpp"

namespace wirecost::probe {
namespace {

const std::vector<std::string> four{"minor-faults", "major-faults", "context-switches",
                                    "cpu-migrations"};

/// From now on the calling thread's calls of `number` fail with EPERM.
bool forbid(std::uint32_t number) {
  std::array filter{
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{filter.size(), filter.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

constexpr std::size_t pages = 64;

void touch_new_pages() {
  void* memory =
      mmap(nullptr, pages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  madvise(memory, pages * 4096, MADV_NOHUGEPAGE);
  for (std::size_t page = 0; page < pages; ++page)
    static_cast<volatile char*>(memory)[page * 4096] = 1;
  munmap(memory, pages * 4096);
}

/// What the counters came to while the thread touched new pages and slept twice.
Record counted_by(Counters& counters) {
  Snapshot begin, end;
  counters.read(begin);
  touch_new_pages();
  usleep(1);
  usleep(1);
  counters.read(end);
  Record record{};
  set_differences(record, begin, end, counters.opened());
  return record;
}

TEST(SoftwareCounters, NeedNoPerf) {
  std::thread([] {
    if (!forbid(SYS_perf_event_open)) GTEST_SKIP() << "this kernel has no seccomp";
    Counters counters(four);
    EXPECT_EQ(counters.opened(), 0b1111);
    EXPECT_EQ(counters.access(), CounterAccess::system_call);
    EXPECT_EQ(counters.source(2), CounterSource::thread_usage);
    EXPECT_EQ(counters.source(3), CounterSource::processor_number);
    const Record record = counted_by(counters);
    EXPECT_EQ(record.counted, 0b1111);
    EXPECT_EQ(record.scaled, 0);
    EXPECT_GE(record.counters[0], pages);
    EXPECT_LT(record.counters[0], pages + 16);
    EXPECT_GE(record.counters[2], 2U);
  }).join();
}

TEST(SoftwareCounters, ComeFromPerfWhereTheKernelDoesNotTellThem) {
  std::thread([] {
    if (!forbid(SYS_getrusage)) GTEST_SKIP() << "this kernel has no seccomp";
    Counters counters(four);
    EXPECT_EQ(counters.source(3), CounterSource::processor_number);
    if ((counters.opened() & 1U) == 0) GTEST_SKIP() << "the kernel counts nothing for this user";
    EXPECT_EQ(counters.source(0), CounterSource::perf_read);
    const Record record = counted_by(counters);
    EXPECT_EQ(record.counted, 0b1111);
    EXPECT_GE(record.counters[0], pages);
    EXPECT_GE(record.counters[2], 2U);
  }).join();
}

TEST(SoftwareCounters, HaveNoValueOnceTheKernelRefuses) {
  std::thread([] {
    Counters counters({"minor-faults", "cpu-migrations"});
    Snapshot begin, end;
    counters.read(begin);
    if (!forbid(SYS_getrusage)) GTEST_SKIP() << "this kernel has no seccomp";
    counters.read(end);
    Record record{};
    set_differences(record, begin, end, counters.opened());
    EXPECT_EQ(record.counted, 0b10);
  }).join();
}

TEST(SoftwareCounters, AgreeWithPerf) {
  PerfGroup perf;
  for (std::size_t i = 0; i < four.size(); ++i) {
    perf_event_attr attributes{};
    ASSERT_TRUE(encode_event(four[i], attributes));
    if (perf.add(i, attributes).status == CounterStatus::unavailable)
      GTEST_SKIP() << "the kernel counts nothing for this user";
  }
  Counters counters(four);
  Snapshot begin, end;
  perf.read(begin);
  counters.read(end);
  perf.read(begin);  // every page of the reading is there now
  const Record record = counted_by(counters);
  perf.read(end);
  Record by_perf{};
  set_differences(by_perf, begin, end, perf.opened());
  for (const std::size_t i : {0U, 1U}) EXPECT_EQ(record.counters[i], by_perf.counters[i]) << i;
  EXPECT_LE(record.counters[2], by_perf.counters[2]);
  EXPECT_LE(record.counters[3], by_perf.counters[3]);
}

TEST(SoftwareCounters, SeeTheProcessorChange) {
  std::thread([] {
    cpu_set_t allowed;
    ASSERT_EQ(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
    if (CPU_COUNT(&allowed) < 2) GTEST_SKIP() << "there is one processor";
    std::vector<std::size_t> processors;
    for (std::size_t i = 0; i < CPU_SETSIZE; ++i)
      if (CPU_ISSET(i, &allowed)) processors.push_back(i);
    const auto move_to = [](std::size_t processor) {
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(processor, &one);
      ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    };
    move_to(processors[0]);
    Counters counters({"cpu-migrations"});
    EXPECT_EQ(counters.access(), CounterAccess::user_space);
    Snapshot begin, between, end;
    counters.read(begin);
    move_to(processors[1]);
    counters.read(between);
    move_to(processors[0]);
    counters.read(end);
    EXPECT_EQ(between.values[0] - begin.values[0], 1U);
    EXPECT_EQ(end.values[0] - begin.values[0], 2U);
    // There and back between two readings is what they cannot see.
    move_to(processors[1]);
    move_to(processors[0]);
    counters.read(begin);
    EXPECT_EQ(begin.values[0], end.values[0]);
  }).join();
}

TEST(SoftwareCounters, OfPerfStayInAGroupOfTheirOwn) {
  Counters counters({"minor-faults", "perf::TASK-CLOCK"});
  if ((counters.opened() & 2U) == 0) GTEST_SKIP() << "no libpfm4, or perf is not allowed";
  EXPECT_EQ(counters.source(0), CounterSource::thread_usage);
  EXPECT_EQ(counters.source(1), CounterSource::perf_read);
  const Record record = counted_by(counters);
  EXPECT_EQ(record.counted, 0b11);
  EXPECT_GE(record.counters[0], pages);
  EXPECT_GT(record.counters[1], 0U);
}

}  // namespace
}  // namespace wirecost::probe
