// SPDX-License-Identifier: Apache-2.0
// The two kinds of reflections a source can send, both ranges of Reflection.
#pragma once

#include <algorithm>
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
/// The values of a row are drawn once. Common rows are short enough to stay in a core's first-level
/// cache: read from memory or the second level, values would cost as much as the quick codecs'
/// writing, which is what is measured. Every row and every step starts at another value, so that
/// neither a constant nor a stale buffer goes unseen.
class VariedReflections {
 public:
  /// One step's reflections.
  class Frame {
   public:
    Frame(std::span<const Reflection> table, std::size_t count, std::uint64_t step)
        : table_(table), count_(count), step_(step) {}

    std::size_t size() const { return count_; }

    /// Calls `take` with one after the other, a row's in a loop of its own.
    void each(auto&& take) const {
      const std::size_t row = table_.size() / 2;
      for (std::size_t done = 0; done < count_; done += row) {
        const std::size_t start = (step_ * step_stride + done / row * row_stride) % row;
        const Reflection* const first = table_.data() + start;
        const std::size_t taken = std::min(row, count_ - done);
        for (std::size_t i = 0; i < taken; ++i) take(first[i]);
      }
    }

   private:
    static constexpr std::uint64_t step_stride = 997, row_stride = 331;  // coprime to a row

    std::span<const Reflection> table_;
    std::size_t count_;
    std::uint64_t step_;
  };

  static constexpr std::size_t common_row = 256;  // twice 4 KiB: a quarter of a first-level cache

  /// With a row of `count` values no two reflections of a frame are alike.
  VariedReflections(std::size_t count, std::uint64_t seed, std::size_t row = common_row);

  Frame frame(std::uint64_t step) const { return {table_, count_, step}; }

 private:
  std::size_t count_;
  std::vector<Reflection> table_;  // a row twice, so that it can start anywhere
};

}  // namespace wirecost
