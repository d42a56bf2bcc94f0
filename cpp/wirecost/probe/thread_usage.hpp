// SPDX-License-Identifier: Apache-2.0
// The six counters that the kernel keeps for every thread anyway, for less than half of what a
// perf group costs and without its permissions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "record.hpp"
#include "snapshot.hpp"

namespace wirecost::probe {

class ThreadUsage {
 public:
  /// Counts `name` of the calling thread as counter `index`. Where this is none of the six, or the
  /// kernel does not report it, false: then perf may count it.
  bool add(std::size_t index, const std::string& name);

  bool calls_system() const { return calls_system_; }
  std::uint8_t opened() const { return opened_; }
  CounterSource source(std::size_t index) const {
    return (counters_of_[migrations] >> index & 1U) != 0 ? CounterSource::processor_number
                                                         : CounterSource::thread_usage;
  }
  /// By the thread that the counters are of. How often its processor changed is what its readings
  /// saw, so reading is part of counting.
  void read(Snapshot& snapshot);

  struct Faults {
    std::uint64_t minor, major;
  };
  /// Of the thread so far; none where they are not counted.
  Faults faults() const;
  /// Faults since then are not the program's.
  void leave_out_since(const Faults& before);

 private:
  enum Quantity : std::uint8_t {
    minor_faults,
    major_faults,
    switches,
    block_input,
    block_output,
    migrations,
    quantities
  };

  void set(Snapshot& snapshot, Quantity quantity, std::uint64_t value, bool reported) const;

  std::array<std::uint8_t, quantities> counters_of_{};  ///< bit i: counter i is this quantity
  std::uint8_t opened_ = 0;
  bool calls_system_ = false;
  Faults left_out_{};
  int processor_ = -1;
  std::uint64_t changes_ = 0;
};

}  // namespace wirecost::probe
