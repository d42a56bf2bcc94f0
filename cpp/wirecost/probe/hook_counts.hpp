// SPDX-License-Identifier: Apache-2.0
// What preloaded libraries of wirecost count for the calling thread: allocations, lock
// waits, system calls.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "record.hpp"
#include "snapshot.hpp"

namespace wirecost::probe {

class HookCounts {
 public:
  /// Counts `name` of the calling thread as counter `index`. False where it is none of these, or
  /// the library that counts it is not loaded.
  static bool knows(std::string_view name);
  bool add(std::size_t index, const std::string& name);

  std::uint8_t opened() const { return opened_; }
  /// By the thread that the counters are of.
  void read(Snapshot& snapshot) const;

 private:
  std::array<const std::uint64_t*, max_counters> values_{};
  std::uint8_t opened_ = 0;
};

}  // namespace wirecost::probe
