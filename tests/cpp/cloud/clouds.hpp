// SPDX-License-Identifier: Apache-2.0
// Messages to filter, made of values.
#pragma once

#include <cstring>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "cloud/ring/ring.hpp"

namespace wirecost::cloud::test {

struct RingPoint {
  float x, y, z;
  std::uint8_t intensity;
  std::uint8_t return_type;
  std::uint16_t channel;
  float azimuth, elevation, distance;
  std::uint32_t time_stamp;
};

/// PointXYZIRCAEDT, 32 bytes.
inline const std::vector<Field> ring_fields{
    {"x", 0, Type::f32},          {"y", 4, Type::f32},           {"z", 8, Type::f32},
    {"intensity", 12, Type::u8},  {"return_type", 13, Type::u8}, {"channel", 14, Type::u16},
    {"azimuth", 16, Type::f32},   {"elevation", 20, Type::f32},  {"distance", 24, Type::f32},
    {"time_stamp", 28, Type::u32}};

/// PointXYZIRADRT with the natural places of its fields, 40 bytes.
inline const std::vector<Field> older_fields{
    {"x", 0, Type::f32},          {"y", 4, Type::f32},           {"z", 8, Type::f32},
    {"intensity", 12, Type::f32}, {"ring", 16, Type::u16},       {"azimuth", 20, Type::f32},
    {"distance", 24, Type::f32},  {"return_type", 28, Type::u8}, {"time_stamp", 32, Type::f64}};

/// A message that owns its bytes.
struct Message {
  std::vector<std::byte> data;
  CloudView view;

  static Message of(const std::vector<RingPoint>& points) {
    Message made;
    made.data.resize(points.size() * sizeof(RingPoint));
    if (!points.empty()) std::memcpy(made.data.data(), points.data(), made.data.size());
    made.describe(ring_fields, sizeof(RingPoint), points.size());
    return made;
  }

  /// The same points in the older format.
  static Message older(const std::vector<RingPoint>& points) {
    Message made;
    made.data.resize(points.size() * 40);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const RingPoint& p = points[i];
      std::byte* const to = made.data.data() + i * 40;
      const auto intensity = static_cast<float>(p.intensity);
      std::memcpy(to, &p.x, 12);
      std::memcpy(to + 12, &intensity, 4);
      std::memcpy(to + 16, &p.channel, 2);
      std::memcpy(to + 20, &p.azimuth, 4);
      std::memcpy(to + 24, &p.distance, 4);
      std::memcpy(to + 28, &p.return_type, 1);
    }
    made.describe(older_fields, 40, points.size());
    return made;
  }

  void describe(const std::vector<Field>& fields, std::uint32_t step, std::size_t count) {
    const auto width = static_cast<std::uint32_t>(count);
    view = {1, width, fields, false, step, width * step, data};
  }
};

/// A cloud as a rotating scanner makes it: walls at changing distances, noise between.
inline std::vector<RingPoint> scanned(std::mt19937& random, std::size_t count, int rings) {
  std::vector<RingPoint> points(count);
  std::uniform_real_distribution<float> part(0, 1);
  std::vector<float> wall(static_cast<std::size_t>(rings), 5);
  for (std::size_t i = 0; i < count; ++i) {
    const auto ring = static_cast<std::size_t>(random() % static_cast<unsigned>(rings));
    if (random() % 8 == 0) wall[ring] = 2 + 20 * part(random);
    RingPoint& p = points[i];
    p.azimuth = full_turn * static_cast<float>(i) / static_cast<float>(count);
    if (random() % 50 == 0) p.azimuth = full_turn * part(random);
    p.distance = wall[ring] * (1 + 0.02F * part(random));
    p.x = p.distance * std::cos(p.azimuth);
    p.y = p.distance * std::sin(p.azimuth);
    p.z = static_cast<float>(ring) * 0.1F;
    p.intensity = static_cast<std::uint8_t>(random());
    p.return_type = static_cast<std::uint8_t>(random() % 11);
    p.channel = static_cast<std::uint16_t>(ring);
    p.time_stamp = static_cast<std::uint32_t>(i);
  }
  return points;
}

}  // namespace wirecost::cloud::test
