// SPDX-License-Identifier: Apache-2.0
// One thread's counters, each from where it costs least, read at the two ends of a section.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hook_counts.hpp"
#include "perf_group.hpp"
#include "record.hpp"
#include "snapshot.hpp"
#include "thread_usage.hpp"
#include "wait_times.hpp"

namespace wirecost::probe {

/// Writes into `record` how far the counters came between two snapshots. A counter that ran only
/// part of the time is scaled by enabled/running time and flagged; one that never ran has no value.
void set_differences(Record& record, const Snapshot& begin, const Snapshot& end,
                     std::uint8_t opened);

/// Hardware counters are a perf group of their own, since with one software counter in it
/// none could be read without a system call. Of the software counters, those that the kernel keeps
/// for every thread come from there; a second perf group has the others.
class Counters {
 public:
  /// Opens what the machine has of `names` (the first `max_counters`) for the calling thread.
  explicit Counters(const std::vector<std::string>& names);

  /// By the thread that made this.
  void read(Snapshot& snapshot) {
    snapshot.counting = 0;
    if (!hardware_.empty()) hardware_.read(snapshot);
    if (!software_.empty()) software_.read(snapshot);
    if (usage_.opened() != 0) usage_.read(snapshot);
    if (hooks_.opened() != 0) hooks_.read(snapshot);
    if (waits_.opened() != 0) waits_.read(snapshot);
  }

  std::uint8_t opened() const {
    return hardware_.opened() | software_.opened() | usage_.opened() | hooks_.opened() |
           waits_.opened();
  }
  ThreadUsage::Faults faults() const { return usage_.faults(); }
  void leave_out_since(const ThreadUsage::Faults& before) { usage_.leave_out_since(before); }

  CounterAccess access() const;
  const std::vector<CounterEntry>& entries() const { return entries_; }
  CounterSource source(std::size_t index) const;

 private:
  CounterEntry open(std::size_t index, const std::string& name);

  std::vector<CounterEntry> entries_;
  PerfGroup hardware_, software_;
  ThreadUsage usage_;
  HookCounts hooks_;
  WaitTimes waits_;
};

}  // namespace wirecost::probe
