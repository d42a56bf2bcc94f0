// SPDX-License-Identifier: Apache-2.0
// Beams of a spinning lidar: points of one laser lie on a cone, so that their elevations agree.
#pragma once

#include "wirecost/cloud/packed/stream.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace wirecost::cloud::packed {

constexpr std::size_t most_beams = 256;

/// Which beam each point is of, and the points sorted by beam, each beam's in their own order.
class Beams {
 public:
  /// Forget all: the points are in their own order.
  void none(std::size_t points);
  /// Take beams from a field. False if they are too many.
  bool from(std::span<const std::int32_t> numbers);
  /// Find beams by elevation. False if there are none, such as in a cloud that was moved.
  bool find(std::span<const float> x, std::span<const float> y, std::span<const float> z);

  void encode(Streams& streams, ByteWriter& out);
  /// Throws std::invalid_argument.
  void decode(Streams& streams, ByteReader& in, std::size_t points);

  bool are_there() const { return count_ > 0; }
  std::size_t count() const { return count_; }
  std::uint8_t of(std::size_t point) const { return of_point_[point]; }
  /// Points in sorted order; none where they are in their own.
  std::span<const std::uint32_t> places() const { return places_; }
  /// Where a beam begins in sorted order; `begin(count())` is the end.
  std::size_t begin(std::size_t beam) const { return begins_[beam]; }

 private:
  void sort();

  std::size_t count_ = 0;
  std::vector<std::uint8_t> of_point_;
  std::vector<std::uint32_t> places_, small_;
  std::array<std::uint32_t, most_beams + 1> begins_{};
  std::vector<std::uint16_t> bin_of_point_;
  std::vector<std::uint32_t> points_in_bin_;
};

}  // namespace wirecost::cloud::packed
