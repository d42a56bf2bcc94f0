// SPDX-License-Identifier: Apache-2.0
// FlatBuffers' object API: plain C++ objects are filled, then packed. As in the report it is
// used for writing; reading stays in place.
#pragma once

#include <memory>

#include "osi_table_object.h"  // before what includes the same without the object API
#include "wirecost/codec/flatbuffers_table.hpp"

namespace wirecost::flatbuffer {

/// The member that the object API holds by pointer, created when first asked for.
template <class T>
T& in(std::unique_ptr<T>& member) {
  if (!member) member = std::make_unique<T>();
  return *member;
}

template <class T>
T& append(std::vector<std::unique_ptr<T>>& list) {
  return *list.emplace_back(std::make_unique<T>());
}

inline void set(osi_table::Vector3dT& out, const Vector3& v) {
  out.x = v.x, out.y = v.y, out.z = v.z;
}
inline void set(osi_table::Dimension3dT& out, const Dimension& d) {
  out.length = d.length, out.width = d.width, out.height = d.height;
}
inline void set(osi_table::Orientation3dT& out, const Orientation& o) {
  out.roll = o.roll, out.pitch = o.pitch, out.yaw = o.yaw;
}
inline void set(osi_table::TimestampT& out, const Timestamp& t) {
  out.seconds = t.seconds, out.nanos = t.nanos;
}
inline void set(osi_table::InterfaceVersionT& out, const std::array<std::uint32_t, 3>& v) {
  out.version_major = v[0], out.version_minor = v[1], out.version_patch = v[2];
}
inline void set(osi_table::MovingObject_VehicleClassificationT& out,
                const VehicleClassification& v) {
  out.type = static_cast<TableSchema::VehicleType>(v.type);
  in(out.light_state).indicator_state = static_cast<TableSchema::Indicator>(v.indicator_state);
  in(out.light_state).brake_light_state = static_cast<TableSchema::BrakeLight>(v.brake_light_state);
}

class ObjectViewWriter {
 public:
  explicit ObjectViewWriter(Variant variant)
      : published_(variant == Variant::published), output_(variant) {}

  void begin(const SensorViewHeader& header) {
    osi_table::SensorViewT& view = in(view_);
    if (!published_) set(in(view.version), header.version);
    set(in(view.timestamp), header.timestamp);
    in(view.sensor_id).value = header.sensor_id;
    in(view.host_vehicle_id).value = header.host_vehicle_id;
    ground_truth_ = &in(view.global_ground_truth);
    set(in(ground_truth_->timestamp), header.timestamp);
    in(ground_truth_->host_vehicle_id).value = header.host_vehicle_id;
  }

  void begin_reflections(const LidarConfiguration& lidar, std::size_t count) {
    lidar_ = &append(view_->lidar_sensor_view);
    auto& configuration = in(lidar_->view_configuration);
    configuration.field_of_view_horizontal = lidar.field_of_view_horizontal;
    configuration.field_of_view_vertical = lidar.field_of_view_vertical;
    set(in(in(configuration.mounting_position).position), lidar.mounting_position);
    if (!published_) lidar_->reflection.reserve(count);
  }

  void add(Reflection reflection) {
    auto& out = append(lidar_->reflection);
    out.time_of_flight = reflection.time_of_flight;
    out.signal_strength = reflection.signal_strength;
  }

  void end_reflections() {}

  void add(const MovingObject& object) {
    auto& out = append(ground_truth_->moving_object);
    in(out.id).value = object.id;
    auto& vehicle = in(out.vehicle_classification);  // published: sent empty
    if (!published_) {
      out.type = static_cast<TableSchema::MovingObjectType>(object.type);
      set(vehicle, object.vehicle);
    }
    set(in(in(out.vehicle_attributes).bbcenter_to_rear), object.bbcenter_to_rear);
    auto& base = in(out.base);
    set(in(base.dimension), object.dimension);
    set(in(base.position), object.position);
    set(in(base.velocity), object.velocity);
    set(in(base.acceleration), object.acceleration);
    set(in(base.orientation), object.orientation);
    set(in(base.orientation_rate), object.orientation_rate);
  }

  void end() { root_ = osi_table::SensorView::Pack(output_.begin(), view_.get()); }
  Bytes serialize() { return output_.serialize(root_); }
  void release() {
    view_.reset();
    output_.release();
  }

 private:
  bool published_;
  Output output_;
  std::unique_ptr<osi_table::SensorViewT> view_;
  osi_table::GroundTruthT* ground_truth_ = nullptr;
  osi_table::LidarSensorViewT* lidar_ = nullptr;
  Offset<osi_table::SensorView> root_;
};

class ObjectDataWriter {
 public:
  explicit ObjectDataWriter(Variant variant) : output_(variant) {}

  void begin(const SensorDataHeader& header) {
    osi_table::SensorDataT& data = in(data_);
    set(in(data.version), header.version);
    set(in(data.timestamp), header.timestamp);
    in(data.sensor_id).value = header.sensor_id;
  }

  void add(const DetectedObject& object) {
    auto& out = append(data_->moving_object);
    auto& header = in(out.header);
    in(header.tracking_id).value = object.tracking_id;
    append(header.ground_truth_id).value = object.ground_truth_id;
    header.existence_probability = object.existence_probability;
    header.measurement_state = TableSchema::MeasurementState::MEASUREMENT_STATE_MEASURED;
    append(header.sensor_id).value = data_->sensor_id->value;
    set(in(in(out.base).position), object.position);
    set(in(in(out.base).dimension), object.dimension);
    auto& candidate = append(out.candidate);
    candidate.probability = object.candidate_probability;
    candidate.type = static_cast<TableSchema::MovingObjectType>(object.type);
    set(in(candidate.vehicle_classification), object.vehicle);
  }

  void begin_detections(std::size_t count) {
    detections_ = &append(in(data_->feature_data).lidar_sensor);
    detections_->detection.reserve(count);
  }

  void add(Detection detection) {
    auto& position = in(append(detections_->detection).position);
    position.distance = detection.distance;
    position.azimuth = detection.azimuth;
    position.elevation = detection.elevation;
  }

  void end() { root_ = osi_table::SensorData::Pack(output_.begin(), data_.get()); }
  Bytes serialize() { return output_.serialize(root_); }
  void release() {
    data_.reset();
    output_.release();
  }

 private:
  Output output_;
  std::unique_ptr<osi_table::SensorDataT> data_;
  osi_table::LidarDetectionDataT* detections_ = nullptr;
  Offset<osi_table::SensorData> root_;
};

struct ObjectCodec {
  using ViewWriter = ObjectViewWriter;
  using ViewReader = flatbuffer::ViewReader<TableSchema>;
  using DataWriter = ObjectDataWriter;
};

static_assert(Codec<ObjectCodec>);

}  // namespace wirecost::flatbuffer
