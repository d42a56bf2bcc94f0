// SPDX-License-Identifier: Apache-2.0
// The content: calls that protoc's classes and ours have in common.
#pragma once

#include <cstddef>
#include <cstdint>

#include "osi3/osi_groundtruth.pb.h"

namespace wirecost::bench::classes {

inline void set(osi3::Vector3d& vector, double first) {
  vector.set_x(first);
  vector.set_y(first + 0.5);
  vector.set_z(first + 0.25);
}

inline void set(osi3::Orientation3d& orientation, double first) {
  orientation.set_roll(first);
  orientation.set_pitch(first + 0.5);
  orientation.set_yaw(first + 0.25);
}

/// Four of the seven vectors of a base.
inline void fill_sparse(osi3::MovingObject& object, std::size_t index) {
  const auto value = static_cast<double>(index);
  object.mutable_id()->set_value(index);
  object.set_type(osi3::MovingObject_Type_TYPE_VEHICLE);
  osi3::BaseMoving& base = *object.mutable_base();
  osi3::Dimension3d& dimension = *base.mutable_dimension();
  dimension.set_length(4.5);
  dimension.set_width(1.75);
  dimension.set_height(1.5);
  set(*base.mutable_position(), value);
  set(*base.mutable_orientation(), 0.125);
  set(*base.mutable_velocity(), value + 30);
}

/// All seven, and what a simulator knows of a vehicle: text, a list of lanes, smaller messages.
inline void fill_full(osi3::MovingObject& object, std::size_t index) {
  fill_sparse(object, index);
  osi3::BaseMoving& base = *object.mutable_base();
  set(*base.mutable_acceleration(), 0.75);
  set(*base.mutable_orientation_rate(), 0.0625);
  set(*base.mutable_orientation_acceleration(), 0.03125);
  for (std::size_t lane = 0; lane < 2; ++lane)
    object.add_assigned_lane_id()->set_value(1000 + (index % 8) + lane);
  object.set_model_reference("vehicles/passenger/saloon.glb");
  set(*object.mutable_vehicle_attributes()->mutable_bbcenter_to_rear(), -1.5);
  auto& classification = *object.mutable_vehicle_classification();
  classification.set_type(osi3::MovingObject_VehicleClassification_Type_TYPE_MEDIUM_CAR);
  classification.mutable_light_state()->set_brake_light_state(
      osi3::MovingObject_VehicleClassification_LightState_BrakeLightState_BRAKE_LIGHT_STATE_OFF);
}

inline void fill(osi3::GroundTruth& message, std::size_t objects, bool full) {
  message.mutable_version()->set_version_major(3);
  message.mutable_timestamp()->set_seconds(12);
  message.mutable_timestamp()->set_nanos(34);
  for (std::size_t i = 0; i < objects; ++i) {
    osi3::MovingObject& object = *message.add_moving_object();
    if (full)
      fill_full(object, i);
    else
      fill_sparse(object, i);
  }
}

}  // namespace wirecost::bench::classes
