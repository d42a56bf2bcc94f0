// SPDX-License-Identifier: Apache-2.0
// Which points of a ring stay, from one bit per point: whether it joins the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cloud/ring/rule.hpp"

namespace wirecost::cloud {

class RingWalks {
 public:
  explicit RingWalks(const RingOptions& options) : options_(options) {}

  /// Bits of the points that stay, until the next call; those behind the last point are 0. `joined`
  /// has a bit for each point, set where it joins the one before: not the first one's, and none
  /// behind the last point. `around`: whether the last point joins the first.
  std::span<const std::uint64_t> operator()(std::span<const PointXYZIRC> points,
                                            std::span<const std::uint64_t> joined, bool around);

 private:
  void find_long_walks(std::span<const std::uint64_t> joined);
  void judge_short_walks(std::span<const PointXYZIRC> points,
                         std::span<const std::uint64_t> joined);
  void join_around(std::span<const PointXYZIRC> points, std::span<const std::uint64_t> joined);
  void set_kept(std::size_t begin, std::size_t end, bool kept);

  RingOptions options_;
  std::vector<std::uint64_t> kept_;
};

}  // namespace wirecost::cloud
