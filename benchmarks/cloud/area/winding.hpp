// SPDX-License-Identifier: Apache-2.0
// The winding number of a polygon around a point (Sunday, "Inclusion of a point in a polygon"), in
// single precision, eight edges at a time.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>

namespace wirecost::cloud {

constexpr std::array<float, 8> eight(float value) {
  std::array<float, 8> all{};
  all.fill(value);
  return all;
}

/// Eight edges, arrays of their numbers. An unused place holds an edge above all points.
struct alignas(32) EightEdges {
  std::array<float, 8> x{}, y = eight(std::numeric_limits<float>::infinity());  ///< of the begin
  std::array<float, 8> end_y = y;
  std::array<float, 8> dx{}, dy{};
  /// A point (px, py) is unclear where |dx * (py - y) - dy * (px - x)| is at most this.
  std::array<float, 8> margin = eight(-1);
};

enum class Side : std::uint8_t { outside, inside, unclear };

/// On which side of a polygon (x, y) lies. `edges`: all that cross or touch the height y.
using SideOf = Side (*)(std::span<const EightEdges> edges, float x, float y);
Side side_portable(std::span<const EightEdges> edges, float x, float y);
/// The quickest that this processor can run.
SideOf quickest_side();

}  // namespace wirecost::cloud
