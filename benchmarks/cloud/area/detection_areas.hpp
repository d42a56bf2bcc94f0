// SPDX-License-Identifier: Apache-2.0
// Detection areas: a block of points is laid out as arrays once and all areas look at it while it
// is in the cache; an area's bands decide for what lies in its box, and Boost where they cannot.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cloud/area/area.hpp"
#include "cloud/area/bands.hpp"

namespace wirecost::cloud {

inline constexpr std::size_t block_points = 2048;

/// A block of points as arrays.
struct alignas(32) PlaneBlock {
  std::array<float, block_points> x;
  std::array<float, block_points> y;
};

/// The largest box in single precision that is needed around an area, its borders included.
struct PlaneBox {
  float low_x, high_x, low_y, high_y;
};

/// Bit i of `bits`: whether point i of a block lies in the box; false for NaN. Of 64 * `words`.
using FindInBox = void (*)(const PlaneBlock& block, const PlaneBox& box, std::size_t words,
                           std::uint64_t* bits);
void find_in_box_portable(const PlaneBlock& block, const PlaneBox& box, std::size_t words,
                          std::uint64_t* bits);
/// The quickest that this processor can run.
FindInBox find_in_box();

class DetectionAreas {
 public:
  explicit DetectionAreas(FindInBox find = find_in_box()) : find_(find) {}

  /// As `area_within` answers, for areas that pass `check`. Nothing is known beforehand of the
  /// areas; memory is kept for the next call.
  void operator()(const PlanePoints& points, std::span<const Area> areas, Ask ask,
                  std::vector<Inside>& inside);

 private:
  struct Watch {
    PlaneBox box;
    std::size_t asked = 0;  ///< how many points Boost was asked for
    bool built = false;
    Bands bands;
  };

  void look(Watch& watch, const Area& area, std::size_t from, std::size_t words, Ask ask,
            Inside& inside);
  static bool holds(Watch& watch, const Area& area, XY point);

  FindInBox find_;
  PlaneBlock block_;
  std::vector<Watch> watches_;
};

}  // namespace wirecost::cloud
