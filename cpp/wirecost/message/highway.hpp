// SPDX-License-Identifier: Apache-2.0
// The traffic and the lidar of OSMPDummySource, as functions of time.
// Source: OSI Sensor Model Packaging 1.6.0 and the ASAM OSI FlatBuffers performance report.
#pragma once

#include <cstddef>

#include "wirecost/message/scene.hpp"

namespace wirecost::highway {

inline constexpr std::array<std::uint32_t, 3> osi_version{3, 8, 0};
inline constexpr std::uint64_t sensor_id = 10000;
inline constexpr std::uint64_t host_vehicle_id = 14;

SensorViewHeader header(double time);

/// The state at `time` of vehicle `index`; the ten published vehicles repeat beyond the tenth.
MovingObject vehicle(std::size_t index, double time);

LidarConfiguration lidar();

/// The constant reflection of the report: 10 m away, a beam's power split over 18 rays.
Reflection constant_reflection();

}  // namespace wirecost::highway
