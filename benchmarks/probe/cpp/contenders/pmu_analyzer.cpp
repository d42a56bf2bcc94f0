// SPDX-License-Identifier: Apache-2.0
// The schemes of pmu_analyzer, written anew from what it does: a group of user-mode counters that
// is reset and started for each section, and timestamps of a named session. Both log into memory
// that was touched before, the log's index taken modulo its size so that it does not end here.
#include <sys/ioctl.h>
#include <sys/time.h>

#include <unordered_map>

#include "probe/cpp/contenders.hpp"
#include "probe/cpp/counters.hpp"

namespace wirecost::bench::probe {
namespace {

constexpr std::size_t log_size = std::size_t{1} << 17;

class Trace {
 public:
  explicit Trace(std::span<const Event> events) : events_(events) {}

  std::string prepare() {
    leader_ = open_group(events_, [](perf_event_attr& attributes, bool is_leader) {
      attributes.disabled = is_leader ? 1 : 0;
      attributes.exclude_kernel = 1;
      attributes.exclude_hv = 1;
    });
    log_.resize(log_size);
    return leader_ < 0 ? not_opened() : "";
  }
  void begin() {
    ioctl(leader_, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
    ioctl(leader_, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
  }
  void end() {
    ioctl(leader_, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
    Entry& entry = log_[next_++ % log_size];
    [[maybe_unused]] const auto got = read(leader_, &entry, sizeof(entry));
  }
  Seen last() const {
    return {.ns = -1, .counted = static_cast<std::int64_t>(log_[(next_ - 1) % log_size].values[0])};
  }

 private:
  struct Entry {
    std::uint64_t count, enabled_ns, running_ns;
    std::array<std::uint64_t, software.size()> values;
  };

  std::span<const Event> events_;
  int leader_ = -1;
  std::vector<Entry> log_;
  std::size_t next_ = 0;
};

class ElapsedTime {
 public:
  std::string prepare() {
    sessions_["session"] = 0;
    log_.resize(log_size);
    return "";
  }
  void begin() { timestamp(0, true); }
  void end() { timestamp(1, false); }
  Seen last() const {
    const std::uint64_t begin = log_[(next_ - 2) % log_size].microseconds;
    const std::uint64_t end = log_[(next_ - 1) % log_size].microseconds;
    return {.ns = static_cast<std::int64_t>(end - begin) * 1000, .counted = -1};
  }

 private:
  struct Entry {
    int session, part, loop;
    std::uint64_t microseconds;
    long long data;
  };

  void timestamp(int part, bool new_loop) {
    const int session = sessions_[name_];
    if (new_loop) ++loop_;
    timeval now{};
    gettimeofday(&now, nullptr);
    log_[next_++ % log_size] = {session, part, loop_,
                                std::uint64_t{1'000'000} * static_cast<std::uint64_t>(now.tv_sec) +
                                    static_cast<std::uint64_t>(now.tv_usec),
                                0};
  }

  std::string name_ = "session";
  std::unordered_map<std::string, int> sessions_;
  int loop_ = 0;
  std::vector<Entry> log_;
  std::size_t next_ = 0;
};

}  // namespace

void add_pmu_analyzer(Contenders& all) {
  add<ElapsedTime>(all, {times, "pmu_analyzer", "", "", "",
                         "two timestamps of a session, in microseconds of the wall clock", 0});
  const char* what = "a group of user-mode counters: reset, enabled, disabled, read";
  add(all, {software_counters, "pmu_analyzer", "", names_of(software), "", what, 4},
      Trace(software));
  add(all, {hardware_counters, "pmu_analyzer", "", names_of(hardware), "", what, 4},
      Trace(hardware));
}

}  // namespace wirecost::bench::probe
