// SPDX-License-Identifier: Apache-2.0
// FlatBuffers' object API on both sides: objects are packed, and unpacked into new objects before
// anything is read. For programs that keep or change what they received.
#pragma once

#include <memory>
#include <vector>

#include "wirecost/codec/flatbuffers_object.hpp"

namespace wirecost::flatbuffer {

/// What the object API holds by pointer, or its defaults where it is absent.
template <class T>
const T& out_of(const std::unique_ptr<T>& member) {
  static const T absent{};
  return member ? *member : absent;
}

class UnpackedObjectView {
 public:
  explicit UnpackedObjectView(const osi_table::MovingObjectT& object) : object_(&object) {}

  std::uint64_t id() const { return out_of(object_->id).value; }
  int type() const { return static_cast<int>(object_->type); }
  VehicleClassification vehicle() const {
    const auto& vehicle = out_of(object_->vehicle_classification);
    const auto& light = out_of(vehicle.light_state);
    return {static_cast<int>(vehicle.type), static_cast<int>(light.indicator_state),
            static_cast<int>(light.brake_light_state)};
  }
  Vector3 bbcenter_to_rear() const {
    return value(out_of(out_of(object_->vehicle_attributes).bbcenter_to_rear));
  }
  Dimension dimension() const {
    const auto& d = out_of(base().dimension);
    return {d.length, d.width, d.height};
  }
  Vector3 position() const { return value(out_of(base().position)); }
  Vector3 velocity() const { return value(out_of(base().velocity)); }
  Vector3 acceleration() const { return value(out_of(base().acceleration)); }
  Orientation orientation() const { return value(out_of(base().orientation)); }
  Orientation orientation_rate() const { return value(out_of(base().orientation_rate)); }

  static Vector3 value(const osi_table::Vector3dT& v) { return {v.x, v.y, v.z}; }
  static Orientation value(const osi_table::Orientation3dT& o) { return {o.roll, o.pitch, o.yaw}; }

 private:
  const osi_table::BaseMovingT& base() const { return out_of(object_->base); }

  const osi_table::MovingObjectT* object_;
};

/// Unpacks what it trusts: nothing is verified.
class UnpackedViewReader {
 public:
  bool open(Bytes bytes) {
    if (bytes.size() < sizeof(flatbuffers::uoffset_t) * 2) return false;
    view_.reset(flatbuffers::GetRoot<osi_table::SensorView>(bytes.data())->UnPack());
    return true;
  }

  SensorViewHeader header() const {
    const auto& version = out_of(view_->version);
    const auto& timestamp = out_of(view_->timestamp);
    return {.version = {version.version_major, version.version_minor, version.version_patch},
            .timestamp = {timestamp.seconds, timestamp.nanos},
            .sensor_id = out_of(view_->sensor_id).value,
            .host_vehicle_id = out_of(view_->host_vehicle_id).value};
  }
  LidarConfiguration lidar() const {
    if (view_->lidar_sensor_view.empty()) return {};
    const auto& configuration = out_of(view_->lidar_sensor_view[0]->view_configuration);
    const auto& mounting = out_of(configuration.mounting_position);
    return {.field_of_view_horizontal = configuration.field_of_view_horizontal,
            .field_of_view_vertical = configuration.field_of_view_vertical,
            .mounting_position = UnpackedObjectView::value(out_of(mounting.position))};
  }

  std::size_t object_count() const { return objects().size(); }
  UnpackedObjectView object(std::size_t index) const {
    return UnpackedObjectView(*objects()[index]);
  }
  std::size_t reflection_count() const {
    return view_->lidar_sensor_view.empty() ? 0 : view_->lidar_sensor_view[0]->reflection.size();
  }
  Reflection reflection(std::size_t index) const {
    const auto& reflection = *view_->lidar_sensor_view[0]->reflection[index];
    return {reflection.time_of_flight, reflection.signal_strength};
  }

  void release() { view_.reset(); }

 private:
  using Objects = std::vector<std::unique_ptr<osi_table::MovingObjectT>>;
  const Objects& objects() const { return out_of(view_->global_ground_truth).moving_object; }

  std::unique_ptr<osi_table::SensorViewT> view_;
};

struct UnpackCodec : ObjectCodec {
  using ViewReader = UnpackedViewReader;
};

static_assert(Codec<UnpackCodec>);

}  // namespace wirecost::flatbuffer
