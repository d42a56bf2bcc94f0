// SPDX-License-Identifier: Apache-2.0
// Heights of points on cones: what a beam's slope says of a point from its distance to the axis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace wirecost::cloud::packed {

/// The values of x or y.
struct Side {
  std::span<const std::int32_t> values;
  double step = 0;  ///< 0: values are ordered floats
};

/// Write the heights of some points, in steps, or as ordered floats if `in_steps` is false.
/// `slope`: height for each unit of distance. Zero where that is no number of four bytes.
void heights(const Side& x, const Side& y, double slope, bool in_steps, std::size_t begin,
             std::size_t end, std::int32_t* to);

}  // namespace wirecost::cloud::packed
