// SPDX-License-Identifier: Apache-2.0
// What a sensor model answers, as plain values.
#pragma once

#include <array>
#include <cstdint>

#include "wirecost/message/scene.hpp"

namespace wirecost {

struct SensorDataHeader {
  std::array<std::uint32_t, 3> version{};
  Timestamp timestamp;
  std::uint64_t sensor_id = 0;
};

struct DetectedObject {
  std::uint64_t tracking_id = 0;
  std::uint64_t ground_truth_id = 0;
  double existence_probability = 0;
  Vector3 position;  // metres, sensor coordinates
  Dimension dimension;
  int type = 0;
  VehicleClassification vehicle;
  double candidate_probability = 0;
};

/// A lidar detection in the sensor's spherical coordinates.
struct Detection {
  double distance = 0;                // metres
  double azimuth = 0, elevation = 0;  // radians
};

}  // namespace wirecost
