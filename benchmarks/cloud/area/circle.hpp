// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "cloud/area/area.hpp"

namespace wirecost::cloud {

struct Circle {
  double x, y;
  double squared_radius;
};

/// The smallest circle around all vertices, in expected linear time (Welzl, "Smallest enclosing
/// disks", 1991, unrolled), a little wider than that so that no rounding leaves a vertex out.
Circle smallest_enclosing_circle(std::span<const Vertex> vertices);

}  // namespace wirecost::cloud
