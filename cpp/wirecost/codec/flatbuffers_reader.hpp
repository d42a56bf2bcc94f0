// SPDX-License-Identifier: Apache-2.0
// Sensor views read in place from FlatBuffers, for both schemas.
#pragma once

#include <utility>

#include "wirecost/codec/flatbuffers_parts.hpp"

namespace wirecost::flatbuffer {

inline Vector3 vector_value(const auto* v) {
  return v ? Vector3{v->x(), v->y(), v->z()} : Vector3{};
}
inline Dimension dimension_value(const auto* d) {
  return d ? Dimension{d->length(), d->width(), d->height()} : Dimension{};
}
inline Orientation orientation_value(const auto* o) {
  return o ? Orientation{o->roll(), o->pitch(), o->yaw()} : Orientation{};
}
inline std::uint64_t id_value(const auto* id) { return id ? id->value() : 0; }

template <class S>
class ObjectView {
 public:
  explicit ObjectView(const typename S::MovingObject* object) : object_(object) {}

  std::uint64_t id() const { return id_value(object_->id()); }
  int type() const { return static_cast<int>(object_->type()); }
  VehicleClassification vehicle() const {
    const auto* vehicle = object_->vehicle_classification();
    if (!vehicle) return {};
    const auto* light = vehicle->light_state();
    return {static_cast<int>(vehicle->type()),
            light ? static_cast<int>(light->indicator_state()) : 0,
            light ? static_cast<int>(light->brake_light_state()) : 0};
  }
  Vector3 bbcenter_to_rear() const {
    const auto* attributes = object_->vehicle_attributes();
    return attributes ? vector_value(attributes->bbcenter_to_rear()) : Vector3{};
  }
  Dimension dimension() const {
    return base() ? dimension_value(base()->dimension()) : Dimension{};
  }
  Vector3 position() const { return base() ? vector_value(base()->position()) : Vector3{}; }
  Vector3 velocity() const { return base() ? vector_value(base()->velocity()) : Vector3{}; }
  Vector3 acceleration() const { return base() ? vector_value(base()->acceleration()) : Vector3{}; }
  Orientation orientation() const {
    return base() ? orientation_value(base()->orientation()) : Orientation{};
  }
  Orientation orientation_rate() const {
    return base() ? orientation_value(base()->orientation_rate()) : Orientation{};
  }

 private:
  const typename S::BaseMoving* base() const { return object_->base(); }

  const typename S::MovingObject* object_;
};

enum class Trust {
  everything,  ///< as the report's model: nothing is verified
  verified,    ///< only what FlatBuffers' verifier has gone through, as every frame is
};

/// Whether all that can be read of a sensor view lies within its bytes.
template <class S>
bool verify(Bytes bytes) {
  // The verifier's own limit is a million tables; a message has no more than fit into it, each with
  // an offset to it and one to its vtable.
  constexpr std::size_t smallest_table = 2 * sizeof(flatbuffers::uoffset_t);
  constexpr flatbuffers::uoffset_t max_depth = 64;
  const auto max_tables = static_cast<flatbuffers::uoffset_t>(bytes.size() / smallest_table);
  flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(),
                                 max_depth, max_tables);
  return verifier.VerifyBuffer<typename S::SensorView>(nullptr);
}

/// Reads in place.
template <class S, Trust trust = Trust::everything>
class ViewReader {
 public:
  bool open(Bytes bytes) {
    if (bytes.size() < sizeof(flatbuffers::uoffset_t) * 2) return false;
    if (trust == Trust::verified && !verify<S>(bytes)) return false;
    view_ = flatbuffers::GetRoot<typename S::SensorView>(bytes.data());
    const auto* lidar_views = view_->lidar_sensor_view();
    lidar_ = lidar_views && lidar_views->size() > 0 ? lidar_views->Get(0) : nullptr;
    reflections_ = lidar_ ? lidar_->reflection() : nullptr;
    objects_ =
        view_->global_ground_truth() ? view_->global_ground_truth()->moving_object() : nullptr;
    return true;
  }

  SensorViewHeader header() const {
    SensorViewHeader header{.sensor_id = id_value(view_->sensor_id()),
                            .host_vehicle_id = id_value(view_->host_vehicle_id())};
    if (const auto* v = view_->version())
      header.version = {v->version_major(), v->version_minor(), v->version_patch()};
    if (const auto* t = view_->timestamp()) header.timestamp = {t->seconds(), t->nanos()};
    return header;
  }
  LidarConfiguration lidar() const {
    const auto* configuration = lidar_ ? lidar_->view_configuration() : nullptr;
    if (!configuration) return {};
    const auto* mounting = configuration->mounting_position();
    return {.field_of_view_horizontal = configuration->field_of_view_horizontal(),
            .field_of_view_vertical = configuration->field_of_view_vertical(),
            .mounting_position = mounting ? vector_value(mounting->position()) : Vector3{}};
  }

  std::size_t object_count() const { return objects_ ? objects_->size() : 0; }
  ObjectView<S> object(std::size_t index) const {
    return ObjectView<S>(objects_->Get(static_cast<flatbuffers::uoffset_t>(index)));
  }
  std::size_t reflection_count() const { return reflections_ ? reflections_->size() : 0; }
  Reflection reflection(std::size_t index) const {
    const auto* reflection = reflections_->Get(static_cast<flatbuffers::uoffset_t>(index));
    return {reflection->time_of_flight(), reflection->signal_strength()};
  }

  void release() { view_ = nullptr; }

 private:
  const typename S::SensorView* view_ = nullptr;
  const typename S::LidarSensorView* lidar_ = nullptr;
  decltype(std::declval<const typename S::LidarSensorView>().reflection()) reflections_ = nullptr;
  decltype(std::declval<const typename S::GroundTruth>().moving_object()) objects_ = nullptr;
};

}  // namespace wirecost::flatbuffer
