// SPDX-License-Identifier: Apache-2.0
// The ring outlier filter's two decisions, the same for every version; C++17, as ROS 1 is.
//
// Points are sorted into rings by channel, in the order of the message. Neighbours on a ring join
// where their distances differ by less than a factor and their azimuths by less than an angle; what
// is joined is a walk. A walk of some length or of many points is an object and stays; the points
// of others are noise. The last walk of a ring goes on in the first one where their ends join.
// Output: ring after ring, each in the order of the message.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace wirecost::cloud {

inline constexpr float pi = 3.14159265F;

struct RingOptions {
  float distance_ratio = 1.03F;
  float object_length = 0.1F;  ///< metres from a walk's first point to its last
  float azimuth_step = pi / 180;
  /// A walk of more points stays, however short; `no_number` switches that off.
  std::uint32_t many_points = 4;
  std::uint32_t max_rings = 128;         ///< points of channels from here on are dropped
  std::uint32_t usual_ring_size = 4000;  ///< what the in-place version reserves a ring
  /// As the published filter behaves: any azimuth step joins, a ring's last point is dropped, the
  /// last walk never goes on in the first. Its overrun of channels is not reproduced.
  bool as_published = false;
};

inline constexpr std::uint32_t no_number = std::numeric_limits<std::uint32_t>::max();

/// The output's point, PointXYZIRC: 16 bytes.
struct PointXYZIRC {
  float x, y, z;
  std::uint8_t intensity;
  std::uint8_t return_type;
  std::uint16_t channel;
};
static_assert(sizeof(PointXYZIRC) == 16);

/// Intensities of the older format are floating-point; the output has 0 to 255.
inline std::uint8_t whole_intensity(float intensity) {
  if (!(intensity > 0)) return 0;
  return intensity >= 255 ? std::uint8_t{255} : static_cast<std::uint8_t>(intensity);
}

inline constexpr float full_turn = 2 * pi;
/// Meant as one degree, and compared with radians: nothing is further apart.
inline constexpr float published_azimuth_step = 180 / pi;

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
