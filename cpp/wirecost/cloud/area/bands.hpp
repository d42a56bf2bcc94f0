// SPDX-License-Identifier: Apache-2.0
// A polygon cut into bands of y, each with the edges that touch it, eight side by side.
//
// A point's winding number (Sunday, "Inclusion of a point in a polygon") needs the edges of its
// band only. It is counted in single precision, relative to the middle of the polygon; where a
// point lies so close to an edge that rounding could decide, or that Boost's tolerances could, it
// says so.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "wirecost/cloud/area/area.hpp"

namespace wirecost::cloud {

/// Eight edges, arrays of their numbers.
struct alignas(32) EightEdges {
  std::array<float, 8> x, y;  ///< of the edge's begin
  std::array<float, 8> end_y;
  std::array<float, 8> dx, dy;
  std::array<float, 8> margin;  ///< as near as this, in dx * dy, nothing is decided
};

enum class Side : std::uint8_t { outside, inside, unclear };

class Bands {
 public:
  /// `area` must pass `check`. Memory is kept from area to area.
  void build(const Area& area);
  Side side(XY point) const;
  Side side_portable(XY point) const;

 private:
  std::size_t band(float y) const;
  std::span<const EightEdges> edges_at(float y) const;

  bool fine_ = false;  ///< whether the polygon is one that single precision can tell about
  bool avx2_ = false;
  double middle_x_ = 0;
  double middle_y_ = 0;
  float lowest_ = 0;
  float bands_a_metre_ = 0;
  std::vector<std::uint32_t> begins_;  ///< of each band's edges, in eights
  std::vector<std::uint32_t> filled_;
  std::vector<EightEdges> edges_;
};

}  // namespace wirecost::cloud
