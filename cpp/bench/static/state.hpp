// SPDX-License-Identifier: Apache-2.0
// What a simulator knows in a step: moving objects, and roads that stay as they are.
#pragma once

#include <bit>
#include <utility>
#include <vector>

#include "wirecost/message/scene.hpp"

namespace wirecost::bench::static_ {

struct BoundaryPoint {
  Vector3 position;
  double width = 0, height = 0;  // metres
  bool operator==(const BoundaryPoint&) const = default;
};

struct Boundary {
  std::uint64_t id = 0;
  int type = 0, color = 0;
  std::vector<BoundaryPoint> line{};
  bool operator==(const Boundary&) const = default;
};

struct Lane {
  std::uint64_t id = 0;
  int type = 0;
  std::vector<Vector3> centerline{};
  std::vector<std::uint64_t> left_boundaries{}, right_boundaries{}, left_lanes{}, right_lanes{};
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pairing{};  ///< lanes before and behind
  bool operator==(const Lane&) const = default;
};

struct Roads {
  std::vector<Lane> lanes{};
  std::vector<Boundary> boundaries{};
  bool operator==(const Roads&) const = default;
};

struct Traffic {
  Timestamp timestamp;
  std::uint64_t host_vehicle_id = 0;
  std::vector<MovingObject> objects{};
  bool operator==(const Traffic&) const = default;
};

/// What a reader looks at in each step: all of the traffic, and the centre line of one lane.
class Seen {
 public:
  void add(const MovingObject& object) {
    add(static_cast<double>(object.id)), add(object.type), add(object.vehicle.type);
    add(object.vehicle.indicator_state), add(object.vehicle.brake_light_state);
    add(object.dimension.length), add(object.dimension.width), add(object.dimension.height);
    for (const Vector3& vector :
         {object.bbcenter_to_rear, object.position, object.velocity, object.acceleration})
      add(vector);
    for (const Orientation& turn : {object.orientation, object.orientation_rate})
      add(turn.roll), add(turn.pitch), add(turn.yaw);
  }
  void add(const Vector3& point) { add(point.x), add(point.y), add(point.z); }
  /// Values of all contenders come in the same order, so that their sums are equal bit by bit.
  double sum() const { return sum_; }

 private:
  void add(double value) { sum_ += value; }

  double sum_ = 0;
};

}  // namespace wirecost::bench::static_
