// SPDX-License-Identifier: Apache-2.0
// The sets of counters, and a perf_event group of one, written for the floors and for others'
// schemes: it shares nothing with the probe library.
#pragma once

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

namespace wirecost::bench::probe {

struct Event {
  const char* name;
  std::uint32_t type;
  std::uint64_t config;
};

inline constexpr std::array software{
    Event{"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
    Event{"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    Event{"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    Event{"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS}};
inline constexpr std::array hardware{
    Event{"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    Event{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES}};

inline std::string names_of(std::span<const Event> events) {
  std::string names;
  for (const Event& event : events) names.append(names.empty() ? "" : ",").append(event.name);
  return names;
}

/// Opens the events as one group of the calling thread; `made(attributes)` may change how. Returns
/// the leader's file, or -1 with errno set.
template <class Made>
int open_group(std::span<const Event> events, Made made) {
  int leader = -1;
  for (const Event& event : events) {
    perf_event_attr attributes{};
    attributes.size = sizeof(attributes);
    attributes.type = event.type;
    attributes.config = event.config;
    attributes.read_format =
        PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    made(attributes, leader < 0);
    const int file = static_cast<int>(
        syscall(SYS_perf_event_open, &attributes, 0, -1, leader, PERF_FLAG_FD_CLOEXEC));
    if (file < 0) return -1;
    if (leader < 0) leader = file;
  }
  return leader;
}

inline std::string not_opened() { return std::string("perf_event_open: ") + std::strerror(errno); }

}  // namespace wirecost::bench::probe
