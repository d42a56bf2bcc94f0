// SPDX-License-Identifier: Apache-2.0
// The ring outlier filter without memory of its own to allocate: points are sorted into rings right
// in the output message, decided on 64 at a time as bits, and closed up in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "wirecost/cloud/ring_joins.hpp"

namespace wirecost::cloud {

class RingFilter {
 public:
  /// Throws std::invalid_argument for options that `check` refuses. `joins` decides how neighbours
  /// are compared.
  explicit RingFilter(const RingOptions& options, FindJoins joins = find_joins());

  /// The points that stay, as PointXYZIRC, until the next call. Memory grows with the largest cloud
  /// so far. Throws std::invalid_argument for what cannot be read.
  std::span<const std::byte> operator()(const CloudView& cloud);

 private:
  void make_room(std::size_t places);
  template <class Layout>
  void sort(const Points& points, const Layout& at);
  template <class Layout>
  void place(const Points& points, const Layout& at);
  template <class Layout>
  bool fill(const Points& points, const Layout& at);
  void end_rings();
  void find_long_walks(std::size_t words);
  void judge_short_walks(std::size_t words);
  void join_around(std::size_t begin, std::size_t end);
  std::size_t walk_end(std::size_t begin, std::size_t end) const;
  std::size_t last_walk(std::size_t begin, std::size_t end) const;
  void set_kept(std::size_t begin, std::size_t end, bool kept);
  std::size_t close_up(std::size_t words);

  RingOptions options_;
  FindJoins find_joins_;
  std::vector<std::uint32_t> begins_;  ///< of each ring's places, and the end of the last one's
  std::vector<std::uint32_t> ends_;    ///< of each ring's points
  std::size_t room_ = 0;
  std::unique_ptr<PointXYZIRC[]> records_;
  std::unique_ptr<RingKey[]> keys_;
  // Bits of points: whether one joins the next, whether it stays; with a word of zeros behind.
  std::vector<std::uint64_t> joined_;
  std::vector<std::uint64_t> kept_;
};

}  // namespace wirecost::cloud
