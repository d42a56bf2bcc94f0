// SPDX-License-Identifier: Apache-2.0
// One thread's counters: a perf_event group, read at the two ends of a section.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "record.hpp"

struct perf_event_mmap_page;

namespace wirecost::probe {

/// All counters at one instant. A group read has one pair of times for all of them.
struct Snapshot {
  std::array<std::uint64_t, max_counters> values;
  std::array<std::uint64_t, max_counters> enabled_ns;
  std::array<std::uint64_t, max_counters> running_ns;
  std::uint8_t counting = 0;  ///< bit i: counter i is on the processor or needs not be
};

/// Writes into `record` how far the counters came between two snapshots. A counter that ran only
/// part of the time is scaled by enabled/running time and flagged; one that never ran has no value.
void set_differences(Record& record, const Snapshot& begin, const Snapshot& end,
                     std::uint8_t opened);

class Counters {
 public:
  /// Opens what the machine has of `names` (the first `max_counters`) for the calling thread.
  explicit Counters(const std::vector<std::string>& names);
  ~Counters();
  Counters(const Counters&) = delete;
  Counters& operator=(const Counters&) = delete;

  void read(Snapshot& snapshot) const;

  std::uint8_t opened() const { return opened_; }
  CounterAccess access() const { return access_; }
  const std::vector<CounterEntry>& entries() const { return entries_; }

 private:
  void open(std::size_t index, const std::string& name);
  bool map_pages();
  void unmap_pages();
  void read_group(Snapshot& snapshot) const;

  std::vector<CounterEntry> entries_;
  std::array<int, max_counters> files_;
  std::array<perf_event_mmap_page*, max_counters> pages_{};
  int leader_ = -1;
  bool hardware_only_ = true;
  std::uint8_t opened_ = 0;
  CounterAccess access_ = CounterAccess::none;
};

}  // namespace wirecost::probe
