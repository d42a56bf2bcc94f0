// SPDX-License-Identifier: Apache-2.0
// A polygon cut into horizontal bands, each with the edges that touch it: a point's winding number
// needs the edges of its own band only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cloud/area/area.hpp"
#include "cloud/area/winding.hpp"

namespace wirecost::cloud {

class Bands {
 public:
  explicit Bands(SideOf side_of = quickest_side()) : side_of_(side_of) {}

  /// `area` must pass `check`. Memory is kept from area to area.
  void build(const Area& area);
  /// Unclear where the point lies so close to an edge that rounding, or Boost's tolerances, could
  /// decide, and for polygons that are too large or too thin for single precision.
  Side side(XY point) const;

 private:
  std::size_t band(float y) const;

  SideOf side_of_;
  bool decidable_ = false;
  double middle_x_ = 0;  ///< all edges are relative to the middle of the polygon
  double middle_y_ = 0;
  float lowest_ = 0;
  float bands_per_metre_ = 0;
  std::vector<std::uint32_t>
      begins_;  ///< where a band's edges begin in `edges_`, and the last ends
  std::vector<std::uint32_t> filled_;  ///< how many edges a band has
  std::vector<EightEdges> edges_;
};

}  // namespace wirecost::cloud
