// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "record.hpp"
#include "settings.hpp"

namespace wirecost::probe {

/// The most that each counter of a thread may grow in a section, by the section's name.
class SectionLimits {
 public:
  struct Most {
    const char* section;
    std::array<std::uint64_t, max_counters> of_counter;
  };
  static constexpr std::uint64_t unlimited = UINT64_MAX;

  SectionLimits(const std::vector<Limit>& limits, const std::vector<CounterEntry>& counters);

  bool any() const { return !limits_.empty(); }
  /// Null where nothing is limited. Allocates nothing.
  const Most* of(std::uint32_t section);

 private:
  struct Known {
    std::uint32_t section;
    bool looked_up, limited;
    Most most;
  };

  const std::vector<Limit>& limits_;
  std::vector<std::size_t> counter_of_;  ///< of each limit; max_counters: not counted
  std::array<Known, 64> known_{};
};

}  // namespace wirecost::probe
