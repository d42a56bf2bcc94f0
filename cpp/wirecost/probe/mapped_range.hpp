// SPDX-License-Identifier: Apache-2.0
// Memory mapped from a file that anybody may cut meanwhile: what is lost is replaced.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>

namespace wirecost::probe {

/// While one lives, touching a page of it that its file has no more does not end the program by
/// SIGBUS: the page is replaced by an empty one of no file, a line on stderr reports it, and
/// `lost()` is true from then on.
///
/// The handler of SIGBUS that does so is there as long as a range is. It passes on whatever
/// concerns other memory to the handler that it found. WIRECOST_PROBE_SIGBUS=off keeps it away.
class MappedRange {
 public:
  MappedRange(void* begin, std::size_t bytes, const std::string& line);
  ~MappedRange();
  MappedRange(const MappedRange&) = delete;
  MappedRange& operator=(const MappedRange&) = delete;

  bool lost() const { return entry_->lost.load(std::memory_order_relaxed); }

  /// Around fork(): the child gets nothing half done.
  static void lock_for_fork();
  static void unlock_after_fork();

  /// What the handler knows of a range. Never freed: a handler may be looking at it.
  struct Entry {
    std::byte* begin;
    std::size_t bytes;
    std::string line;
    const Entry* next;
    std::atomic<bool> live{true};
    mutable std::atomic<bool> lost{false};
  };

 private:
  Entry* entry_;
};

}  // namespace wirecost::probe
