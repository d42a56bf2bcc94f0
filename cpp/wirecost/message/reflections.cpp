// SPDX-License-Identifier: Apache-2.0
#include "wirecost/message/reflections.hpp"

#include <random>

namespace wirecost {

VariedReflections::VariedReflections(std::size_t count, std::uint64_t seed, std::size_t row)
    : count_(count), table_(2 * row) {
  constexpr double speed_of_light = 299'792'458;
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> distance(0.5, 200), strength(-60, 0);
  for (std::size_t i = 0; i < row; ++i)
    table_[i] = table_[i + row] = {.time_of_flight = 2 * distance(random) / speed_of_light,
                                   .signal_strength = strength(random)};
}

}  // namespace wirecost
