// SPDX-License-Identifier: Apache-2.0
#include "section_limits.hpp"

#include <fnmatch.h>

#include <algorithm>

#include "names.hpp"

namespace wirecost::probe {

SectionLimits::SectionLimits(const std::vector<Limit>& limits,
                             const std::vector<CounterEntry>& counters)
    : limits_(limits) {
  for (const Limit& limit : limits) {
    std::size_t counter = 0;
    while (counter < counters.size() && limit.counter != counters[counter].name.data()) ++counter;
    counter_of_.push_back(counter < counters.size() ? counter : max_counters);
  }
}

const SectionLimits::Most* SectionLimits::of(std::uint32_t section) {
  Known& known = known_[section % known_.size()];
  if (!known.looked_up || known.section != section) {
    known = {.section = section, .looked_up = true, .limited = false, .most = {}};
    known.most.of_counter.fill(unlimited);
    const char* const name = name_of(section);
    known.most.section = name;
    for (std::size_t i = 0; name != nullptr && i < limits_.size(); ++i) {
      const std::string& pattern = limits_[i].pattern;
      if (counter_of_[i] == max_counters ||
          (pattern != name && fnmatch(pattern.c_str(), name, FNM_NOESCAPE) != 0))
        continue;
      std::uint64_t& most = known.most.of_counter[counter_of_[i]];
      most = std::min(most, limits_[i].most);
      known.limited = true;
    }
  }
  return known.limited ? &known.most : nullptr;
}

}  // namespace wirecost::probe
