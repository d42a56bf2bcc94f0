// SPDX-License-Identifier: Apache-2.0
// Detection areas: which points of a cloud lie in which polygons.
//
// A point on the boundary is outside, as is one whose x or y is not a finite number. Boost's
// `within` in double precision defines the answer; quicker versions must give the same.
#pragma once

#include <boost/geometry/core/cs.hpp>
#include <boost/geometry/geometries/point_xy.hpp>
#include <boost/geometry/geometries/polygon.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "wirecost/cloud/cloud_view.hpp"

namespace wirecost::cloud {

using Vertex = boost::geometry::model::d2::point_xy<double>;
/// Closed: the first vertex is repeated at the end.
using Area = boost::geometry::model::polygon<Vertex>;

struct XY {
  float x, y;
};

/// The x and y of a message's points, read where they are.
class PlanePoints {
 public:
  /// Throws std::invalid_argument where `points` does and where x and y are not 32-bit floats.
  explicit PlanePoints(const CloudView& cloud);

  std::size_t size() const { return points_.count; }
  XY operator[](std::size_t index) const {
    const std::byte* const point = points_.first + index * points_.step;
    XY found;
    std::memcpy(&found.x, point + x_, sizeof found.x);
    std::memcpy(&found.y, point + y_, sizeof found.y);
    return found;
  }
  const Points& bytes() const { return points_; }
  std::size_t x() const { return x_; }
  std::size_t y() const { return y_; }

 private:
  Points points_;
  std::size_t x_ = 0;
  std::size_t y_ = 0;
};

inline constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();

enum class Ask : std::uint8_t {
  first,  ///< is there a point inside, and which is the first
  all,    ///< which points are inside
};

struct Inside {
  std::size_t first = nowhere;
  std::vector<std::uint64_t> mask;  ///< bit i: point i; empty where only the first was asked for

  void reset(Ask ask, std::size_t points) {
    first = nowhere;
    mask.assign(ask == Ask::all ? (points + 63) / 64 : 0, 0);
  }
  void add(std::size_t index) {
    if (first == nowhere) first = index;
    if (!mask.empty()) mask[index / 64] |= std::uint64_t{1} << index % 64;
  }
};

/// Throws std::invalid_argument for areas without three vertices, not closed or not finite.
void check(std::span<const Area> areas);

inline bool finite(XY point) { return std::isfinite(point.x) && std::isfinite(point.y); }
bool within(XY point, const Area& area);

/// Every point against every polygon; `inside` has an entry for each area.
void area_within(const PlanePoints& points, std::span<const Area> areas, Ask ask,
                 std::vector<Inside>& inside);

/// Only points in the area's smallest enclosing circle against its polygon.
void area_circle(const PlanePoints& points, std::span<const Area> areas, Ask ask,
                 std::vector<Inside>& inside);

}  // namespace wirecost::cloud
