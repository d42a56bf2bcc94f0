// SPDX-License-Identifier: Apache-2.0
// The ring outlier filter's input and output as bytes.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "cloud/ring/rule.hpp"
#include "wirecost/cloud/cloud_view.hpp"

namespace wirecost::cloud {

static_assert(std::endian::native == std::endian::little, "points are little-endian");

/// Throws std::invalid_argument for numbers of rings that no channel can have.
void check(const RingOptions& options);

inline constexpr std::array<Field, 6> output_fields{{{"x", 0, Type::f32},
                                                     {"y", 4, Type::f32},
                                                     {"z", 8, Type::f32},
                                                     {"intensity", 12, Type::u8},
                                                     {"return_type", 13, Type::u8},
                                                     {"channel", 14, Type::u16}}};

/// Where the filter finds what it reads, in either input format.
struct RingLayout {
  std::size_t x, y, z, intensity, return_type, channel, azimuth, distance;
  bool float_intensity;  ///< PointXYZIRADRT, where the channel is called ring
  /// Whether a point begins with the output's 16 bytes, as PointXYZIRCAEDT does.
  bool begins_as_output() const;
};

/// Throws std::invalid_argument where the fields are neither PointXYZIRCAEDT's nor
/// PointXYZIRADRT's. Fields may stand anywhere in the point.
RingLayout ring_layout(const CloudView& cloud);

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

inline PointXYZIRC output_point(const std::byte* point, const RingLayout& at) {
  return {load<float>(point + at.x),
          load<float>(point + at.y),
          load<float>(point + at.z),
          at.float_intensity ? whole_intensity(load<float>(point + at.intensity))
                             : load<std::uint8_t>(point + at.intensity),
          load<std::uint8_t>(point + at.return_type),
          load<std::uint16_t>(point + at.channel)};
}

}  // namespace wirecost::cloud
