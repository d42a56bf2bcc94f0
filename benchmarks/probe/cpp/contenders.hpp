// SPDX-License-Identifier: Apache-2.0
// Every group of contenders is a file in contenders/ that defines one of these functions.
#pragma once

#include "probe/cpp/contender.hpp"

namespace wirecost::bench::probe {

inline constexpr const char* times = "times";
inline constexpr const char* software_counters = "software counters";
inline constexpr const char* hardware_counters = "hardware counters";
inline constexpr const char* other_counters = "counters on request";

void add_floors(Contenders& all);
void add_probe(Contenders& all);
void add_pmu_analyzer(Contenders& all);

}  // namespace wirecost::bench::probe
