// SPDX-License-Identifier: Apache-2.0
#include "cloud/area/circle.hpp"

#include <algorithm>
#include <random>
#include <vector>

namespace wirecost::cloud {
namespace {

constexpr double slack = 1e-9;  // relative, of coordinates and radius

double squared_distance(double x, double y, const Vertex& to) {
  return (x - to.x()) * (x - to.x()) + (y - to.y()) * (y - to.y());
}

bool holds(const Circle& circle, const Vertex& vertex) {
  return squared_distance(circle.x, circle.y, vertex) <= circle.squared_radius * (1 + slack);
}

Circle around(const Vertex& a, const Vertex& b) {
  const double x = (a.x() + b.x()) / 2;
  const double y = (a.y() + b.y()) / 2;
  return {x, y, std::max(squared_distance(x, y, a), squared_distance(x, y, b))};
}

/// Through three vertices; around the two that are furthest apart where they lie on a line.
Circle around(const Vertex& a, const Vertex& b, const Vertex& c) {
  const double bx = b.x() - a.x();
  const double by = b.y() - a.y();
  const double cx = c.x() - a.x();
  const double cy = c.y() - a.y();
  const double twice_area = 2 * (bx * cy - by * cx);
  const double b2 = bx * bx + by * by;
  const double c2 = cx * cx + cy * cy;
  const double x = a.x() + (cy * b2 - by * c2) / twice_area;
  const double y = a.y() + (bx * c2 - cx * b2) / twice_area;
  if (!std::isfinite(x) || !std::isfinite(y)) {
    const auto less = [](const Circle& one, const Circle& other) {
      return one.squared_radius < other.squared_radius;
    };
    return std::max({around(a, b), around(b, c), around(c, a)}, less);
  }
  return {
      x, y,
      std::max({squared_distance(x, y, a), squared_distance(x, y, b), squared_distance(x, y, c)})};
}

}  // namespace

Circle smallest_enclosing_circle(std::span<const Vertex> vertices) {
  std::vector<Vertex> p(vertices.begin(), vertices.end());
  std::shuffle(p.begin(), p.end(), std::minstd_rand(1));
  Circle circle{p[0].x(), p[0].y(), 0};
  for (std::size_t i = 1; i < p.size(); ++i) {
    if (holds(circle, p[i])) continue;
    circle = {p[i].x(), p[i].y(), 0};
    for (std::size_t j = 0; j < i; ++j) {
      if (holds(circle, p[j])) continue;
      circle = around(p[i], p[j]);
      for (std::size_t k = 0; k < j; ++k)
        if (!holds(circle, p[k])) circle = around(p[i], p[j], p[k]);
    }
  }
  // Nearly collinear vertices may give a circle that rounding has moved: all of them decide.
  double furthest = 0;
  for (const Vertex& vertex : p)
    furthest = std::max(furthest, squared_distance(circle.x, circle.y, vertex));
  const double place = std::max({1.0, std::fabs(circle.x), std::fabs(circle.y)});
  const double radius = std::sqrt(furthest) * (1 + slack) + place * slack;
  circle.squared_radius = radius * radius;
  return circle;
}

}  // namespace wirecost::cloud
