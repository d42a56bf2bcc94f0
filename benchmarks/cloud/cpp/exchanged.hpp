// SPDX-License-Identifier: Apache-2.0
// A message that differs from call to call, so that no version can answer it from what it kept,
// before it came or after it was gone.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>

namespace wirecost::bench::cloud {

/// Some points of a message are exchanged for one another as long as this lives.
class Exchanged {
 public:
  /// `count` points of `step` bytes each; `which` decides on the pairs.
  Exchanged(std::byte* points, std::size_t count, std::size_t step, std::uint64_t which)
      : points_(points), step_(step) {
    std::mt19937_64 random(which);
    for (auto& [one, other] : pairs_) {
      // Early ones more often: a search for the first point inside ends with them.
      const std::size_t among = std::max<std::size_t>(1, count >> random() % 16);
      one = random() % among;
      other = random() % std::max<std::size_t>(1, count);
    }
    if (count == 0) return;
    std::for_each(pairs_.begin(), pairs_.end(), [this](const Pair& pair) { swap(pair); });
    exchanged_ = true;
  }
  ~Exchanged() {
    if (exchanged_)
      std::for_each(pairs_.rbegin(), pairs_.rend(), [this](const Pair& pair) { swap(pair); });
  }
  Exchanged(const Exchanged&) = delete;
  Exchanged& operator=(const Exchanged&) = delete;

 private:
  struct Pair {
    std::size_t one = 0, other = 0;
  };

  void swap(const Pair& pair) {
    if (pair.one == pair.other) return;
    std::byte* const first = points_ + pair.one * step_;
    std::swap_ranges(first, first + step_, points_ + pair.other * step_);
  }

  std::byte* points_;
  std::size_t step_;
  std::array<Pair, 16> pairs_{};
  bool exchanged_ = false;
};

}  // namespace wirecost::bench::cloud
