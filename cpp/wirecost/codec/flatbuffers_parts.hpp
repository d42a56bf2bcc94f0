// SPDX-License-Identifier: Apache-2.0
// What FlatBuffers' writers and reader share, for both schemas: messages as tables, or the small
// ones as structs. A struct is passed and stored by value, a table by offset; nothing else differs.
#pragma once

#include <flatbuffers/flatbuffers.h>

#include <array>
#include <optional>
#include <string>

#include "wirecost/codec/codec.hpp"

/// The OSI types used here, of one schema's namespace.
#define WIRECOST_OSI_SCHEMA(name, ns)                                                     \
  struct name {                                                                           \
    using SensorView = ns::SensorView;                                                    \
    using SensorData = ns::SensorData;                                                    \
    using InterfaceVersion = ns::InterfaceVersion;                                        \
    using Timestamp = ns::Timestamp;                                                      \
    using Identifier = ns::Identifier;                                                    \
    using Vector3d = ns::Vector3d;                                                        \
    using Dimension3d = ns::Dimension3d;                                                  \
    using Orientation3d = ns::Orientation3d;                                              \
    using Spherical3d = ns::Spherical3d;                                                  \
    using MountingPosition = ns::MountingPosition;                                        \
    using GroundTruth = ns::GroundTruth;                                                  \
    using BaseMoving = ns::BaseMoving;                                                    \
    using MovingObject = ns::MovingObject;                                                \
    using MovingObjectType = ns::MovingObject_Type;                                       \
    using VehicleAttributes = ns::MovingObject_VehicleAttributes;                         \
    using Vehicle = ns::MovingObject_VehicleClassification;                               \
    using VehicleType = ns::MovingObject_VehicleClassification_Type;                      \
    using Light = ns::MovingObject_VehicleClassification_LightState;                      \
    using Indicator = ns::MovingObject_VehicleClassification_LightState_IndicatorState;   \
    using BrakeLight = ns::MovingObject_VehicleClassification_LightState_BrakeLightState; \
    using LidarSensorView = ns::LidarSensorView;                                          \
    using LidarSensorViewConfiguration = ns::LidarSensorViewConfiguration;                \
    using Reflection = ns::LidarSensorView_Reflection;                                    \
    using FeatureData = ns::FeatureData;                                                  \
    using LidarDetectionData = ns::LidarDetectionData;                                    \
    using LidarDetection = ns::LidarDetection;                                            \
    using DetectedItemHeader = ns::DetectedItemHeader;                                    \
    using MeasurementState = ns::DetectedItemHeader_MeasurementState;                     \
    using DetectedMovingObject = ns::DetectedMovingObject;                                \
    using Candidate = ns::DetectedMovingObject_CandidateMovingObject;                     \
  }

namespace wirecost::flatbuffer {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

template <class T>
concept Table = requires { typename T::Builder; };

/// What a builder's add_… takes: a table's offset, a struct's address.
template <class T>
Offset<T> argument(Offset<T> table) {
  return table;
}
template <class T>
  requires(!Table<T>)
const T* argument(const T& value) {
  return &value;
}

template <class T>
Offset<T> make_table(FlatBufferBuilder& out, auto&& fill) {
  typename T::Builder builder(out);
  fill(builder);
  return builder.Finish();
}

/// A vector of tables or of structs, whichever T is.
template <class T>
auto make_vector(FlatBufferBuilder& out, const auto& items) {
  if constexpr (Table<T>)
    return out.CreateVector(items.data(), items.size());
  else
    return out.CreateVectorOfStructs(items.data(), items.size());
}

template <class S>
auto make(FlatBufferBuilder& out, const Vector3& v) {
  if constexpr (Table<typename S::Vector3d>)
    return make_table<typename S::Vector3d>(
        out, [&](auto& b) { b.add_z(v.z), b.add_y(v.y), b.add_x(v.x); });
  else
    return typename S::Vector3d(v.x, v.y, v.z);
}

template <class S>
auto make(FlatBufferBuilder& out, const Dimension& d) {
  if constexpr (Table<typename S::Dimension3d>)
    return make_table<typename S::Dimension3d>(out, [&](auto& b) {
      b.add_height(d.height), b.add_width(d.width), b.add_length(d.length);
    });
  else
    return typename S::Dimension3d(d.length, d.width, d.height);
}

template <class S>
auto make(FlatBufferBuilder& out, const Orientation& o) {
  if constexpr (Table<typename S::Orientation3d>)
    return make_table<typename S::Orientation3d>(
        out, [&](auto& b) { b.add_yaw(o.yaw), b.add_pitch(o.pitch), b.add_roll(o.roll); });
  else
    return typename S::Orientation3d(o.roll, o.pitch, o.yaw);
}

template <class S>
auto make(FlatBufferBuilder& out, const Timestamp& t) {
  if constexpr (Table<typename S::Timestamp>)
    return make_table<typename S::Timestamp>(
        out, [&](auto& b) { b.add_seconds(t.seconds), b.add_nanos(t.nanos); });
  else
    return typename S::Timestamp(t.seconds, t.nanos);
}

template <class S>
auto make_id(FlatBufferBuilder& out, std::uint64_t id) {
  if constexpr (Table<typename S::Identifier>)
    return make_table<typename S::Identifier>(out, [&](auto& b) { b.add_value(id); });
  else
    return typename S::Identifier(id);
}

template <class S>
auto make_version(FlatBufferBuilder& out, const std::array<std::uint32_t, 3>& version) {
  return make_table<typename S::InterfaceVersion>(out, [&](auto& b) {
    b.add_version_patch(version[2]), b.add_version_minor(version[1]),
        b.add_version_major(version[0]);
  });
}

template <class S>
auto make_vehicle(FlatBufferBuilder& out, const VehicleClassification& vehicle) {
  const auto light = make_table<typename S::Light>(out, [&](auto& b) {
    b.add_brake_light_state(static_cast<typename S::BrakeLight>(vehicle.brake_light_state));
    b.add_indicator_state(static_cast<typename S::Indicator>(vehicle.indicator_state));
  });
  return make_table<typename S::Vehicle>(out, [&](auto& b) {
    b.add_light_state(light);
    b.add_type(static_cast<typename S::VehicleType>(vehicle.type));
  });
}

/// `published`: as the report's source sent it.
template <class S>
Offset<typename S::MovingObject> make_object(FlatBufferBuilder& out, const MovingObject& object,
                                             bool published = false) {
  const auto id = make_id<S>(out, object.id);
  const auto vehicle = published ? make_table<typename S::Vehicle>(out, [](auto&) {})
                                 : make_vehicle<S>(out, object.vehicle);
  const auto rear = make<S>(out, object.bbcenter_to_rear);
  const auto attributes = make_table<typename S::VehicleAttributes>(
      out, [&](auto& b) { b.add_bbcenter_to_rear(argument(rear)); });
  const auto dimension = make<S>(out, object.dimension);
  const auto position = make<S>(out, object.position);
  const auto velocity = make<S>(out, object.velocity);
  const auto acceleration = make<S>(out, object.acceleration);
  const auto orientation = make<S>(out, object.orientation);
  const auto orientation_rate = make<S>(out, object.orientation_rate);
  const auto base = make_table<typename S::BaseMoving>(out, [&](auto& b) {
    b.add_dimension(argument(dimension));
    b.add_position(argument(position));
    b.add_velocity(argument(velocity));
    b.add_acceleration(argument(acceleration));
    b.add_orientation(argument(orientation));
    b.add_orientation_rate(argument(orientation_rate));
  });
  return make_table<typename S::MovingObject>(out, [&](auto& b) {
    b.add_id(argument(id));
    if (!published) b.add_type(static_cast<typename S::MovingObjectType>(object.type));
    b.add_vehicle_classification(vehicle);
    b.add_vehicle_attributes(attributes);
    b.add_base(base);
  });
}

/// Where finished messages lie: in one of two builders, or, as published, in a string to which
/// a builder made for this frame alone was copied twice.
class Output {
 public:
  explicit Output(Variant variant) : published_(variant == Variant::published) {}

  FlatBufferBuilder& begin() {
    if (published_) return fresh_.emplace(1024);
    current_ ^= 1;
    builders_[current_].Clear();
    return builders_[current_];
  }

  FlatBufferBuilder& builder() { return published_ ? *fresh_ : builders_[current_]; }

  Bytes serialize(auto root) {
    builder().Finish(root);
    const auto* data = reinterpret_cast<const char*>(builder().GetBufferPointer());
    const std::size_t size = builder().GetSize();
    if (!published_) return std::as_bytes(std::span(data, size));
    current_ ^= 1;
    const std::string copy(data, size);
    copies_[current_] = copy;
    return std::as_bytes(std::span(copies_[current_].data(), size));
  }

  void release() { fresh_.reset(); }

 private:
  bool published_;
  std::array<FlatBufferBuilder, 2> builders_;
  std::optional<FlatBufferBuilder> fresh_;
  std::array<std::string, 2> copies_;
  unsigned current_ = 0;
};

}  // namespace wirecost::flatbuffer
