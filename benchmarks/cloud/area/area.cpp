// SPDX-License-Identifier: Apache-2.0
#include "cloud/area/area.hpp"

#include <boost/geometry/algorithms/within.hpp>
#include <boost/geometry/strategies/strategies.hpp>
#include <stdexcept>
#include <string>

#include "cloud/area/circle.hpp"

namespace wirecost::cloud {

PlanePoints::PlanePoints(const CloudView& cloud) : points_(points(cloud)) {
  if (points_.count == 0) return;
  const auto x = offset_of(cloud, "x", Type::f32);
  const auto y = offset_of(cloud, "y", Type::f32);
  if (!x || !y) throw std::invalid_argument("cloud: no fields x and y of 32-bit floats");
  x_ = *x;
  y_ = *y;
}

void check(std::span<const Area> areas) {
  for (std::size_t i = 0; i < areas.size(); ++i) {
    const std::string name = "area " + std::to_string(i) + ": ";
    const auto& ring = areas[i].outer();
    if (ring.size() < 4) throw std::invalid_argument(name + "fewer than three vertices");
    if (ring.front().x() != ring.back().x() || ring.front().y() != ring.back().y())
      throw std::invalid_argument(name + "not closed; repeat the first vertex at the end");
    if (!areas[i].inners().empty()) throw std::invalid_argument(name + "has holes; give none");
    for (const Vertex& vertex : ring)
      if (!std::isfinite(vertex.x()) || !std::isfinite(vertex.y()))
        throw std::invalid_argument(name + "a vertex is not finite");
  }
}

bool within(XY point, const Area& area) {
  return boost::geometry::within(Vertex(point.x, point.y), area);
}

void area_within(const PlanePoints& points, std::span<const Area> areas, Ask ask,
                 std::vector<Inside>& inside) {
  inside.resize(areas.size());
  for (std::size_t a = 0; a < areas.size(); ++a) {
    inside[a].reset(ask, points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      const XY point = points[i];
      if (!finite(point) || !within(point, areas[a])) continue;
      inside[a].add(i);
      if (ask == Ask::first) break;
    }
  }
}

void area_circle(const PlanePoints& points, std::span<const Area> areas, Ask ask,
                 std::vector<Inside>& inside) {
  inside.resize(areas.size());
  for (std::size_t a = 0; a < areas.size(); ++a) {
    inside[a].reset(ask, points.size());
    const Circle circle = smallest_enclosing_circle(areas[a].outer());
    for (std::size_t i = 0; i < points.size(); ++i) {
      const XY point = points[i];
      const double x = point.x - circle.x;
      const double y = point.y - circle.y;
      // Not a number and infinity end here, too.
      if (!(x * x + y * y <= circle.squared_radius)) continue;
      if (!within(point, areas[a])) continue;
      inside[a].add(i);
      if (ask == Ask::first) break;
    }
  }
}

}  // namespace wirecost::cloud
