// SPDX-License-Identifier: Apache-2.0
// The two kinds of reflections a source can send, both ranges of Reflection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <vector>

#include "wirecost/message/scene.hpp"

namespace wirecost {

/// `count` times the same reflection, as the report's source produced them.
inline auto constant_reflections(Reflection value, std::size_t count) {
  return std::views::iota(std::size_t{0}, count) |
         std::views::transform([value](std::size_t) { return value; });
}

/// Seeded reflections that differ from ray to ray and from step to step.
///
/// The table is drawn once; every step reads it from another offset, so that no two successive
/// frames are equal and nobody profits from a constant or from a stale buffer.
class VariedReflections {
 public:
  VariedReflections(std::size_t count, std::uint64_t seed);

  std::span<const Reflection> frame(std::uint64_t step) const;

 private:
  std::size_t count_;
  std::vector<Reflection> table_;
};

}  // namespace wirecost
