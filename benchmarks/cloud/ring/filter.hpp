// SPDX-License-Identifier: Apache-2.0
// The ring outlier filter without memory of its own to allocate: points are sorted into rings right
// in the output message, decided on 64 at a time as bits, and closed up in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cloud/ring/joins.hpp"
#include "cloud/ring/pack.hpp"
#include "cloud/ring/walks.hpp"

namespace wirecost::cloud {

class RingFilter {
 public:
  /// Throws std::invalid_argument for options that `check` refuses. `joins` decides how neighbours
  /// are compared, `pack` how points that stay are moved together.
  explicit RingFilter(const RingOptions& options, FindJoins joins = find_joins(),
                      Pack pack = pack_points());

  /// The points that stay, as PointXYZIRC, until the next call. Memory grows with the largest cloud
  /// so far. Throws std::invalid_argument for what cannot be read.
  std::span<const std::byte> operator()(const CloudView& cloud);

 private:
  void make_room(std::size_t places);
  template <class Layout>
  void sort(const Points& points, Layout at);
  template <class Layout>
  void place(const Points& points, Layout at);
  template <class Layout>
  bool fill(const Points& points, Layout at);
  std::size_t filter(std::size_t begin, std::size_t count, PointXYZIRC* to);

  RingOptions options_;
  FindJoins find_joins_;
  Pack pack_;
  RingWalks walks_;
  std::vector<std::size_t> begins_;  ///< of each ring's places, and the end of all
  std::vector<std::size_t> limits_;  ///< where each ring is full
  std::vector<std::size_t> ends_;    ///< of each ring's points
  std::size_t room_ = 0;
  std::unique_ptr<PointXYZIRC[]> records_;
  std::unique_ptr<RingKey[]> keys_;    ///< of the records, behind one that is of none
  std::vector<std::uint64_t> joined_;  ///< a ring's bits: whether a point joins the one before
};

}  // namespace wirecost::cloud
