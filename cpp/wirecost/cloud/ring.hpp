// SPDX-License-Identifier: Apache-2.0
// What the ring outlier filter does, whoever does it: options, formats, and its two decisions.
//
// Points are sorted into rings by channel, in the order of the message. Neighbours on a ring join
// where their distances differ by less than a factor and their azimuths by less than an angle; what
// is joined is a walk. A walk of some length or of many points is an object and stays; the points
// of others are noise. The last walk of a ring goes on in the first one where their ends join.
// Output: ring after ring, each in the order of the message.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numbers>

#include "wirecost/cloud/cloud_view.hpp"

namespace wirecost::cloud {

static_assert(std::endian::native == std::endian::little, "points are little-endian");

struct RingOptions {
  float distance_ratio = 1.03F;
  float object_length = 0.1F;  ///< metres from a walk's first point to its last
  float azimuth_step = std::numbers::pi_v<float> / 180;
  /// A walk of more points stays, however short; `no_number` switches that off.
  std::uint32_t many_points = 4;
  std::uint32_t max_rings = 128;         ///< points of channels from here on are dropped
  std::uint32_t usual_ring_size = 4000;  ///< what the in-place version reserves a ring
  /// As the published filter behaves: any azimuth step joins, a ring's last point is dropped, the
  /// last walk never goes on in the first. Its overrun of channels is not reproduced.
  bool as_published = false;
};

inline constexpr std::uint32_t no_number = std::numeric_limits<std::uint32_t>::max();

/// Throws std::invalid_argument for numbers of rings that no channel can have.
void check(const RingOptions& options);

/// The output's point, PointXYZIRC: 16 bytes.
struct PointXYZIRC {
  float x, y, z;
  std::uint8_t intensity;
  std::uint8_t return_type;
  std::uint16_t channel;
};
static_assert(sizeof(PointXYZIRC) == 16);

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

/// Intensities of the older format are floating-point; the output has 0 to 255.
inline std::uint8_t whole_intensity(float intensity) {
  if (!(intensity > 0)) return 0;
  return intensity >= 255 ? std::uint8_t{255} : static_cast<std::uint8_t>(intensity);
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

inline constexpr float full_turn = 2 * std::numbers::pi_v<float>;
/// Meant as one degree, and compared with radians: nothing is further apart.
inline constexpr float published_azimuth_step = 180 / std::numbers::pi_v<float>;

/// Whether a point and the next one of its ring belong to one walk; NaN joins nothing.
inline bool joins(float azimuth, float distance, float next_azimuth, float next_distance,
                  const RingOptions& options) {
  const float ratio = options.distance_ratio;
  if (options.as_published) {
    float step = next_azimuth - azimuth;
    if (step < 0) step += full_turn;
    return std::max(distance, next_distance) < std::min(distance, next_distance) * ratio &&
           step < published_azimuth_step;
  }
  const float step = std::fabs(next_azimuth - azimuth);
  return distance < next_distance * ratio && next_distance < distance * ratio &&
         (step < options.azimuth_step || std::fabs(full_turn - step) < options.azimuth_step);
}

/// Whether a walk is an object.
inline bool stays(const PointXYZIRC& first, const PointXYZIRC& last, std::size_t points,
                  const RingOptions& options) {
  if (options.many_points != no_number && points > options.many_points) return true;
  const float x = last.x - first.x;
  const float y = last.y - first.y;
  const float z = last.z - first.z;
  return x * x + y * y + z * z >= options.object_length * options.object_length;
}

}  // namespace wirecost::cloud
