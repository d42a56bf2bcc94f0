// SPDX-License-Identifier: Apache-2.0
// The least that a section can cost: its readings alone, nothing recorded.
#include <sys/resource.h>
#include <time.h>

#include "probe/cpp/contenders.hpp"
#include "probe/cpp/counters.hpp"

namespace wirecost::bench::probe {
namespace {

class Clock {
 public:
  std::string prepare() { return ""; }
  void begin() { clock_gettime(CLOCK_MONOTONIC, &begin_); }
  void end() { clock_gettime(CLOCK_MONOTONIC, &end_); }
  Seen last() const {
    return {.ns = (end_.tv_sec - begin_.tv_sec) * 1'000'000'000 + end_.tv_nsec - begin_.tv_nsec,
            .counted = -1};
  }

 private:
  timespec begin_{}, end_{};
};

class PerfGroupReads {
 public:
  explicit PerfGroupReads(std::span<const Event> events) : events_(events) {}

  std::string prepare() {
    leader_ = open_group(events_, [](perf_event_attr&, bool) {});
    return leader_ < 0 ? not_opened() : "";
  }
  void begin() { get(begin_); }
  void end() { get(end_); }
  Seen last() const {
    return {.ns = -1, .counted = static_cast<std::int64_t>(end_.values[0] - begin_.values[0])};
  }

 private:
  struct Group {
    std::uint64_t count, enabled_ns, running_ns;
    std::array<std::uint64_t, software.size()> values;
  };

  void get(Group& group) const {
    [[maybe_unused]] const auto got = read(leader_, &group, sizeof(group));
  }

  std::span<const Event> events_;
  int leader_ = -1;
  Group begin_{}, end_{};
};

class ThreadUsageReads {
 public:
  std::string prepare() {
    return getrusage(RUSAGE_THREAD, &begin_) == 0 ? ""
                                                  : "getrusage reports nothing of a thread here";
  }
  void begin() { getrusage(RUSAGE_THREAD, &begin_); }
  void end() { getrusage(RUSAGE_THREAD, &end_); }
  Seen last() const { return {.ns = -1, .counted = end_.ru_minflt - begin_.ru_minflt}; }

 private:
  rusage begin_{}, end_{};
};

}  // namespace

void add_floors(Contenders& all) {
  add<Clock>(all, {times, "floor", "", "", "", "two readings of the clock", 0});
  add(all,
      {software_counters, "floor", "", names_of(software), "", "two reads of a perf group of four",
       2},
      PerfGroupReads(software));
  add<ThreadUsageReads>(all, {software_counters, "floor", "getrusage", "minor-faults", "",
                              "two calls of getrusage", 2});
  add(all,
      {hardware_counters, "floor", "", names_of(hardware), "", "two reads of a perf group of two",
       2},
      PerfGroupReads(hardware));
}

}  // namespace wirecost::bench::probe
