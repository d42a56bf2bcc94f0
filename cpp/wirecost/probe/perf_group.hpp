// SPDX-License-Identifier: Apache-2.0
// One thread's perf_event group: read by one system call, or without any.
#pragma once

#include <linux/perf_event.h>

#include <array>
#include <cstddef>

#include "record.hpp"
#include "snapshot.hpp"

namespace wirecost::probe {

class PerfGroup {
 public:
  PerfGroup() { files_.fill(-1); }
  ~PerfGroup();
  PerfGroup(const PerfGroup&) = delete;
  PerfGroup& operator=(const PerfGroup&) = delete;

  /// Counts the event of `attributes` (type and config) for the calling thread as counter `index`,
  /// in user and kernel mode or, where the kernel allows no more, in user mode. What comes back has
  /// no name; where it is unavailable, `error` is the kernel's.
  CounterEntry add(std::size_t index, perf_event_attr attributes);

  /// Reads without a system call from now on, where the kernel lets every counter be read so.
  void map_pages();

  bool empty() const { return opened_ == 0; }
  std::uint8_t opened() const { return opened_; }
  CounterSource source() const { return mapped_ ? CounterSource::rdpmc : CounterSource::perf_read; }
  void read(Snapshot& snapshot) const {
    if (mapped_)
      read_pages(snapshot);
    else
      read_file(snapshot);
  }

 private:
  bool map_all();
  void unmap_pages();
  void read_pages(Snapshot& snapshot) const;
  void read_file(Snapshot& snapshot) const;

  std::array<int, max_counters> files_;
  std::array<perf_event_mmap_page*, max_counters> pages_{};
  int leader_ = -1;
  bool mapped_ = false;
  std::uint8_t opened_ = 0;
};

}  // namespace wirecost::probe
