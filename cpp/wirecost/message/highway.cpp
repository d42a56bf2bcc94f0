// SPDX-License-Identifier: Apache-2.0
#include "wirecost/message/highway.hpp"

#include <array>
#include <cmath>
#include <numbers>

namespace wirecost {

Timestamp Timestamp::from_seconds(double time) {
  const double whole = std::floor(time);
  return {.seconds = static_cast<std::int64_t>(whole),
          .nanos = static_cast<std::uint32_t>((time - whole) * 1e9)};
}

namespace highway {
namespace {

// OSI's MovingObject.Type and MovingObject.VehicleClassification.* numbers.
constexpr int type_vehicle = 2;
constexpr int indicator_off = 2;
constexpr int brake_light_off = 2;
constexpr int small_car = 2, compact_car = 3, medium_car = 4, luxury_car = 5, delivery_van = 6;
constexpr int motorbike = 10, bus = 12;

struct Lane {
  double x0, y0, speed;
  int type;
};

constexpr std::array<Lane, 10> lanes{{{0, 3, 29, medium_car},
                                      {40, 3, 30, small_car},
                                      {100, 3, 31, compact_car},
                                      {100, 0.25, 25, delivery_van},
                                      {0, 0, 26, luxury_car},
                                      {150, -0.25, 28, medium_car},
                                      {5, -3, 20, compact_car},
                                      {45, -3, 22, small_car},
                                      {85, -3, 22.5, motorbike},
                                      {125, -3, 23, bus}}};

constexpr double radians(double degrees) { return degrees * std::numbers::pi / 180; }

}  // namespace

SensorViewHeader header(double time) {
  return {.version = osi_version,
          .timestamp = Timestamp::from_seconds(time),
          .sensor_id = sensor_id,
          .host_vehicle_id = host_vehicle_id};
}

MovingObject vehicle(std::size_t index, double time) {
  const Lane& lane = lanes[index % lanes.size()];
  const double phase = time / lane.speed;
  constexpr double sway = 0.25;
  return {.id = 10 + index,
          .type = type_vehicle,
          .vehicle = {lane.type, indicator_off, brake_light_off},
          .bbcenter_to_rear = {1, 0, -0.3},
          .dimension = {5, 2, 1.5},
          .position = {lane.x0 + time * lane.speed, lane.y0 + std::sin(phase) * sway, 0},
          .velocity = {lane.speed, std::cos(phase) * sway / lane.speed, 0},
          .acceleration = {0, -std::sin(phase) * sway / (lane.speed * lane.speed), 0},
          .orientation = {},
          .orientation_rate = {}};
}

LidarConfiguration lidar() {
  return {.field_of_view_horizontal = radians(145),
          .field_of_view_vertical = radians(3.2),
          .mounting_position = {1.5205, 0, 1.232}};
}

Reflection constant_reflection() {
  constexpr double distance = 10, speed_of_light = 299'792'458, rays_per_beam = 18;
  return {.time_of_flight = 2 * distance / speed_of_light,
          .signal_strength = 10 * std::log10(0.5) - 10 * std::log10(rays_per_beam)};
}

}  // namespace highway
}  // namespace wirecost
