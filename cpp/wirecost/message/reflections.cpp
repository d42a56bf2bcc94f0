// SPDX-License-Identifier: Apache-2.0
#include "wirecost/message/reflections.hpp"

#include <random>

namespace wirecost {
namespace {

constexpr std::size_t offsets = 4096;  // frames before an offset comes round again
constexpr std::size_t stride = 997;    // coprime to `offsets`: neighbours lie far apart

}  // namespace

VariedReflections::VariedReflections(std::size_t count, std::uint64_t seed)
    : count_(count), table_(count == 0 ? 0 : count + offsets) {
  constexpr double speed_of_light = 299'792'458;
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> distance(0.5, 200), strength(-60, 0);
  for (Reflection& reflection : table_)
    reflection = {.time_of_flight = 2 * distance(random) / speed_of_light,
                  .signal_strength = strength(random)};
}

std::span<const Reflection> VariedReflections::frame(std::uint64_t step) const {
  if (count_ == 0) return {};
  return std::span(table_).subspan(step * stride % offsets, count_);
}

}  // namespace wirecost
