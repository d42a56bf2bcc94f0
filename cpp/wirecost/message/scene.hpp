// SPDX-License-Identifier: Apache-2.0
// The content of a sensor view as plain values: the one input every codec writes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace wirecost {

struct Vector3 {
  double x = 0, y = 0, z = 0;
  bool operator==(const Vector3&) const = default;
};

struct Dimension {
  double length = 0, width = 0, height = 0;  // metres
  bool operator==(const Dimension&) const = default;
};

struct Orientation {
  double roll = 0, pitch = 0, yaw = 0;  // radians, or radians per second for a rate
  bool operator==(const Orientation&) const = default;
};

struct Timestamp {
  std::int64_t seconds = 0;
  std::uint32_t nanos = 0;
  bool operator==(const Timestamp&) const = default;

  static Timestamp from_seconds(double time);
};

/// Enumerations keep OSI's numbers, so that every codec can cast them.
struct VehicleClassification {
  int type = 0;
  int indicator_state = 0;
  int brake_light_state = 0;
  bool operator==(const VehicleClassification&) const = default;
};

struct MovingObject {
  std::uint64_t id = 0;
  int type = 0;
  VehicleClassification vehicle;
  Vector3 bbcenter_to_rear;
  Dimension dimension;
  Vector3 position, velocity, acceleration;
  Orientation orientation, orientation_rate;
  bool operator==(const MovingObject&) const = default;
};

/// One echo of a super-sampled lidar beam.
struct Reflection {
  double time_of_flight = 0;   // seconds
  double signal_strength = 0;  // decibel
  bool operator==(const Reflection&) const = default;
};

struct LidarConfiguration {
  double field_of_view_horizontal = 0, field_of_view_vertical = 0;  // radians
  Vector3 mounting_position;                                        // metres, from the ego's centre
  bool operator==(const LidarConfiguration&) const = default;
};

struct SensorViewHeader {
  std::array<std::uint32_t, 3> version{};  // OSI's major, minor, patch
  Timestamp timestamp;
  std::uint64_t sensor_id = 0;
  std::uint64_t host_vehicle_id = 0;
  bool operator==(const SensorViewHeader&) const = default;
};

/// A whole frame held at once: what tests and converters use. The source model streams instead.
struct Scene {
  SensorViewHeader header;
  std::vector<MovingObject> objects;
  LidarConfiguration lidar;
  std::vector<Reflection> reflections;
  bool operator==(const Scene&) const = default;
};

}  // namespace wirecost
