// SPDX-License-Identifier: Apache-2.0
// Between plain values and the holders and views that wirecost's own compiler makes of OSI.
#pragma once

#include "osi3/osi_sensordata.protobuf.hpp"
#include "osi3/osi_sensorview.protobuf.hpp"
#include "wirecost/codec/codec.hpp"

namespace wirecost::compiled {

namespace osi = wire::osi3;

inline Vector3 value(const osi::Vector3d& v) {
  return {v.x.value_or(0), v.y.value_or(0), v.z.value_or(0)};
}
inline Dimension value(const osi::Dimension3d& d) {
  return {d.length.value_or(0), d.width.value_or(0), d.height.value_or(0)};
}
inline Orientation value(const osi::Orientation3d& o) {
  return {o.roll.value_or(0), o.pitch.value_or(0), o.yaw.value_or(0)};
}
inline Timestamp value(const osi::Timestamp& t) {
  return {t.seconds.value_or(0), t.nanos.value_or(0)};
}
inline std::uint64_t value(const osi::Identifier& i) { return i.value.value_or(0); }
inline std::array<std::uint32_t, 3> value(const osi::InterfaceVersion& v) {
  return {v.version_major.value_or(0), v.version_minor.value_or(0), v.version_patch.value_or(0)};
}

template <class Held>
auto value_of(const Optional<Held>& held) {
  return value(held.or_default());
}

// Holders are used again and again; what is set once is set every time, so nothing is cleared.
inline void set(Optional<osi::Vector3d>& out, const Vector3& v) {
  osi::Vector3d& to = out.touch();
  to.x = v.x, to.y = v.y, to.z = v.z;
}
inline void set(Optional<osi::Dimension3d>& out, const Dimension& d) {
  osi::Dimension3d& to = out.touch();
  to.length = d.length, to.width = d.width, to.height = d.height;
}
inline void set(Optional<osi::Orientation3d>& out, const Orientation& o) {
  osi::Orientation3d& to = out.touch();
  to.roll = o.roll, to.pitch = o.pitch, to.yaw = o.yaw;
}
inline void set(Optional<osi::Timestamp>& out, const Timestamp& t) {
  osi::Timestamp& to = out.touch();
  to.seconds = t.seconds, to.nanos = t.nanos;
}
inline void set(Optional<osi::Identifier>& out, std::uint64_t id) { out.touch().value = id; }
inline void set(Sequence<osi::Identifier>& out, std::uint64_t id) {
  out.resize(1);
  out[0].value = id;
}
inline void set(Optional<osi::InterfaceVersion>& out, const std::array<std::uint32_t, 3>& v) {
  osi::InterfaceVersion& to = out.touch();
  to.version_major = v[0], to.version_minor = v[1], to.version_patch = v[2];
}
inline void set(Optional<osi::MovingObject_VehicleClassification>& out,
                const VehicleClassification& v) {
  using Light = osi::MovingObject_VehicleClassification_LightState;
  auto& to = out.touch();
  to.type = static_cast<osi::MovingObject_VehicleClassification_Type>(v.type);
  Light& light = to.light_state.touch();
  light.indicator_state = static_cast<Light::IndicatorState>(v.indicator_state);
  light.brake_light_state = static_cast<Light::BrakeLightState>(v.brake_light_state);
}

inline void set(osi::MovingObject& out, const MovingObject& object) {
  set(out.id, object.id);
  out.type = static_cast<osi::MovingObject_Type>(object.type);
  set(out.vehicle_classification, object.vehicle);
  set(out.vehicle_attributes.touch().bbcenter_to_rear, object.bbcenter_to_rear);
  auto& base = out.base.touch();
  set(base.dimension, object.dimension);
  set(base.position, object.position);
  set(base.velocity, object.velocity);
  set(base.acceleration, object.acceleration);
  set(base.orientation, object.orientation);
  set(base.orientation_rate, object.orientation_rate);
}

inline void set(osi::DetectedMovingObject& out, const DetectedObject& object,
                std::uint64_t sensor_id) {
  auto& header = out.header.touch();
  set(header.tracking_id, object.tracking_id);
  set(header.ground_truth_id, object.ground_truth_id);
  header.existence_probability = object.existence_probability;
  header.measurement_state = osi::DetectedItemHeader_MeasurementState::MEASUREMENT_STATE_MEASURED;
  set(header.sensor_id, sensor_id);
  auto& base = out.base.touch();
  set(base.position, object.position);
  set(base.dimension, object.dimension);
  out.candidate.resize(1);
  auto& candidate = out.candidate[0];
  candidate.probability = object.candidate_probability;
  candidate.type = static_cast<osi::MovingObject_Type>(object.type);
  set(candidate.vehicle_classification, object.vehicle);
}

/// A moving object of a received message, `Object` its holder or its view.
template <class Object>
class ObjectView {
  const auto& base() const { return object_->base.or_default(); }

 public:
  explicit ObjectView(const Object& object) : object_(&object) {}

  std::uint64_t id() const { return value_of(object_->id); }
  int type() const { return static_cast<int>(object_->type.or_default()); }
  VehicleClassification vehicle() const {
    const auto& vehicle = object_->vehicle_classification.or_default();
    const auto& light = vehicle.light_state.or_default();
    return {static_cast<int>(vehicle.type.or_default()),
            static_cast<int>(light.indicator_state.or_default()),
            static_cast<int>(light.brake_light_state.or_default())};
  }
  Vector3 bbcenter_to_rear() const {
    return value_of(object_->vehicle_attributes.or_default().bbcenter_to_rear);
  }
  Dimension dimension() const { return value_of(base().dimension); }
  Vector3 position() const { return value_of(base().position); }
  Vector3 velocity() const { return value_of(base().velocity); }
  Vector3 acceleration() const { return value_of(base().acceleration); }
  Orientation orientation() const { return value_of(base().orientation); }
  Orientation orientation_rate() const { return value_of(base().orientation_rate); }

 private:
  const Object* object_;
};

}  // namespace wirecost::compiled
