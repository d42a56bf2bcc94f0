// SPDX-License-Identifier: Apache-2.0
// What the kernel reports of one processor, in a ring of memory that it shares.
#pragma once

#include <linux/perf_event.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace wirecost::function {

/// One hit of an event by a thread. `lost`: how many the kernel could not report; then nothing else
/// is known. `parent`: not 0: `thread` has just been made by that process. `ended`: it is gone, and
/// its number may come again.
struct Hit {
  std::int64_t time_ns = 0;
  std::uint64_t event = 0;  ///< the identifier of the event, as perf gives it
  std::uint32_t process = 0, thread = 0;
  std::uint64_t stack = 0;  ///< the stack pointer; 0 where it was not asked for
  std::uint64_t lost = 0;
  std::uint32_t parent = 0;
  bool ended = false;
};

class PerfRing {
 public:
  /// Of the event `file`, which others may share. `bytes`: a power of two of pages.
  PerfRing(int file, std::size_t bytes);
  ~PerfRing();
  PerfRing(const PerfRing&) = delete;
  PerfRing& operator=(const PerfRing&) = delete;

  bool open() const { return page_ != nullptr; }
  int file() const { return file_; }
  /// Appends what came since the last call.
  void drain(std::vector<Hit>& hits);

  /// What all events that share rings must ask for.
  static constexpr std::uint64_t sample_type =
      PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_REGS_USER;

 private:
  void copy(std::uint64_t at, void* to, std::size_t bytes) const;

  int file_;
  std::size_t bytes_;
  perf_event_mmap_page* page_ = nullptr;
};

}  // namespace wirecost::function
