// SPDX-License-Identifier: Apache-2.0
// How long the calling thread was on a processor, ready without one, and waiting for something
// else: what the kernel keeps in /proc/thread-self/schedstat, and two clocks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "record.hpp"
#include "snapshot.hpp"

namespace wirecost::probe {

class WaitTimes {
 public:
  WaitTimes() = default;
  ~WaitTimes();
  WaitTimes(const WaitTimes&) = delete;
  WaitTimes& operator=(const WaitTimes&) = delete;

  /// Counts `name` of the calling thread as counter `index`: nanoseconds. False where it is none of
  /// the three, or the kernel does not report it.
  bool add(std::size_t index, const std::string& name);

  std::uint8_t opened() const { return opened_; }
  /// By the thread that the counters are of.
  void read(Snapshot& snapshot);

 private:
  enum Quantity : std::uint8_t { run_queue, blocked, processor, quantities };

  bool queued(std::uint64_t& ns) const;
  void set(Snapshot& snapshot, Quantity quantity, std::uint64_t ns, bool known) const;

  std::array<std::uint8_t, quantities> counters_of_{};  ///< bit i: counter i is this quantity
  std::uint8_t opened_ = 0;
  int file_ = -1;
  std::uint64_t blocked_ns_ = 0;
};

}  // namespace wirecost::probe
