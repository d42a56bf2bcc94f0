// SPDX-License-Identifier: Apache-2.0
// Google Protobuf over the official OSI classes (lite runtime), Debian's version or a current one.
#pragma once

#include <limits>

#include "osi3/osi_sensordata.pb.h"
#include "osi3/osi_sensorview.pb.h"
#include "wirecost/codec/codec.hpp"
#include "wirecost/codec/protobuf_storage.hpp"

namespace wirecost::protobuf {

inline Vector3 value(const osi3::Vector3d& v) { return {v.x(), v.y(), v.z()}; }
inline Dimension value(const osi3::Dimension3d& d) { return {d.length(), d.width(), d.height()}; }
inline Orientation value(const osi3::Orientation3d& o) { return {o.roll(), o.pitch(), o.yaw()}; }

inline void set(osi3::Vector3d& out, const Vector3& v) {
  out.set_x(v.x), out.set_y(v.y), out.set_z(v.z);
}
inline void set(osi3::Dimension3d& out, const Dimension& d) {
  out.set_length(d.length), out.set_width(d.width), out.set_height(d.height);
}
inline void set(osi3::Orientation3d& out, const Orientation& o) {
  out.set_roll(o.roll), out.set_pitch(o.pitch), out.set_yaw(o.yaw);
}
inline void set(osi3::Timestamp& out, const Timestamp& t) {
  out.set_seconds(t.seconds), out.set_nanos(t.nanos);
}
inline void set(osi3::InterfaceVersion& out, const std::array<std::uint32_t, 3>& v) {
  out.set_version_major(v[0]), out.set_version_minor(v[1]), out.set_version_patch(v[2]);
}
inline void set(osi3::MovingObject::VehicleClassification& out, const VehicleClassification& v) {
  using Light = osi3::MovingObject::VehicleClassification::LightState;
  out.set_type(static_cast<osi3::MovingObject::VehicleClassification::Type>(v.type));
  auto& light = *out.mutable_light_state();
  light.set_indicator_state(static_cast<Light::IndicatorState>(v.indicator_state));
  light.set_brake_light_state(static_cast<Light::BrakeLightState>(v.brake_light_state));
}

/// The object as the report's Protobuf source sent it, or whole.
inline void set(osi3::MovingObject& out, const MovingObject& object, bool published = false) {
  out.mutable_id()->set_value(object.id);
  auto& bbcenter_to_rear = *out.mutable_vehicle_attributes()->mutable_bbcenter_to_rear();
  if (published) {  // x was set twice, z never; by their sizes, type and class were not sent
    bbcenter_to_rear.set_x(object.bbcenter_to_rear.z);
    bbcenter_to_rear.set_y(object.bbcenter_to_rear.y);
  } else {
    out.set_type(static_cast<osi3::MovingObject::Type>(object.type));
    set(*out.mutable_vehicle_classification(), object.vehicle);
    set(bbcenter_to_rear, object.bbcenter_to_rear);
  }
  auto& base = *out.mutable_base();
  set(*base.mutable_dimension(), object.dimension);
  set(*base.mutable_position(), object.position);
  set(*base.mutable_velocity(), object.velocity);
  set(*base.mutable_acceleration(), object.acceleration);
  set(*base.mutable_orientation(), object.orientation);
  set(*base.mutable_orientation_rate(), object.orientation_rate);
}

/// The version in the messages of the report's Protobuf source: OSI 3.4.0.
inline constexpr std::array<std::uint32_t, 3> published_version{3, 4, 0};

template <template <class> class Storage, class Output>
class ViewWriter {
 public:
  explicit ViewWriter(Variant variant) : published_(variant == Variant::published) {}

  void begin(const SensorViewHeader& header) {
    osi3::SensorView& view = message_.make();
    set(*view.mutable_version(), published_ ? published_version : header.version);
    set(*view.mutable_timestamp(), header.timestamp);
    view.mutable_sensor_id()->set_value(header.sensor_id);
    view.mutable_host_vehicle_id()->set_value(header.host_vehicle_id);
    ground_truth_ = view.mutable_global_ground_truth();
    set(*ground_truth_->mutable_timestamp(), header.timestamp);
    ground_truth_->mutable_host_vehicle_id()->set_value(header.host_vehicle_id);
  }

  void begin_reflections(const LidarConfiguration& lidar, std::size_t count) {
    reflections_ = message_.get().add_lidar_sensor_view();
    auto& configuration = *reflections_->mutable_view_configuration();
    configuration.set_field_of_view_horizontal(lidar.field_of_view_horizontal);
    configuration.set_field_of_view_vertical(lidar.field_of_view_vertical);
    set(*configuration.mutable_mounting_position()->mutable_position(), lidar.mounting_position);
    if (!published_) reflections_->mutable_reflection()->Reserve(static_cast<int>(count));
  }

  void add(Reflection reflection) {
    auto& out = *reflections_->add_reflection();
    out.set_time_of_flight(reflection.time_of_flight);
    out.set_signal_strength(reflection.signal_strength);
  }

  void end_reflections() {}

  void add(const MovingObject& object) {
    set(*ground_truth_->add_moving_object(), object, published_);
  }

  void end() {}
  Bytes serialize() { return output_.write(message_.get()); }
  void release() { message_.release(); }

 private:
  bool published_;
  Storage<osi3::SensorView> message_;
  Output output_;
  osi3::GroundTruth* ground_truth_ = nullptr;
  osi3::LidarSensorView* reflections_ = nullptr;
};

class ObjectView {
 public:
  explicit ObjectView(const osi3::MovingObject& object) : object_(&object) {}

  std::uint64_t id() const { return object_->id().value(); }
  int type() const { return object_->type(); }
  VehicleClassification vehicle() const {
    const auto& vehicle = object_->vehicle_classification();
    return {vehicle.type(), vehicle.light_state().indicator_state(),
            vehicle.light_state().brake_light_state()};
  }
  Vector3 bbcenter_to_rear() const {
    return value(object_->vehicle_attributes().bbcenter_to_rear());
  }
  Dimension dimension() const { return value(object_->base().dimension()); }
  Vector3 position() const { return value(object_->base().position()); }
  Vector3 velocity() const { return value(object_->base().velocity()); }
  Vector3 acceleration() const { return value(object_->base().acceleration()); }
  Orientation orientation() const { return value(object_->base().orientation()); }
  Orientation orientation_rate() const { return value(object_->base().orientation_rate()); }

 private:
  const osi3::MovingObject* object_;
};

template <template <class> class Storage>
class ViewReader {
 public:
  bool open(Bytes bytes) {
    if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) return false;
    return message_.make().ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  }

  SensorViewHeader header() const {
    const auto& version = message().version();
    return {.version = {version.version_major(), version.version_minor(), version.version_patch()},
            .timestamp = {message().timestamp().seconds(), message().timestamp().nanos()},
            .sensor_id = message().sensor_id().value(),
            .host_vehicle_id = message().host_vehicle_id().value()};
  }
  LidarConfiguration lidar() const {
    const auto& configuration = reflections().view_configuration();
    return {.field_of_view_horizontal = configuration.field_of_view_horizontal(),
            .field_of_view_vertical = configuration.field_of_view_vertical(),
            .mounting_position = value(configuration.mounting_position().position())};
  }

  std::size_t object_count() const { return objects().size(); }
  ObjectView object(std::size_t index) const {
    return ObjectView(objects()[static_cast<int>(index)]);
  }
  std::size_t reflection_count() const { return reflections().reflection_size(); }
  Reflection reflection(std::size_t index) const {
    const auto& reflection = reflections().reflection(static_cast<int>(index));
    return {reflection.time_of_flight(), reflection.signal_strength()};
  }

  /// What the report's sensor model did with each reflection before looking at it.
  Reflection copied_reflection(std::size_t index) const {
    const osi3::LidarSensorView::Reflection copy =
        reflections().reflection(static_cast<int>(index));
    return {copy.time_of_flight(), copy.signal_strength()};
  }

  const osi3::SensorView& message() const { return message_.get(); }
  void release() { message_.release(); }

 private:
  const auto& objects() const { return message().global_ground_truth().moving_object(); }
  const osi3::LidarSensorView& reflections() const {
    return message().lidar_sensor_view_size() == 0 ? osi3::LidarSensorView::default_instance()
                                                   : message().lidar_sensor_view(0);
  }

  Storage<osi3::SensorView> message_;
};

template <template <class> class Storage, class Output>
class DataWriter {
 public:
  explicit DataWriter(Variant) {}

  void begin(const SensorDataHeader& header) {
    osi3::SensorData& data = message_.make();
    set(*data.mutable_version(), header.version);
    set(*data.mutable_timestamp(), header.timestamp);
    data.mutable_sensor_id()->set_value(header.sensor_id);
    sensor_id_ = header.sensor_id;
  }

  void add(const DetectedObject& object) {
    osi3::DetectedMovingObject& out = *message_.get().add_moving_object();
    auto& header = *out.mutable_header();
    header.mutable_tracking_id()->set_value(object.tracking_id);
    header.add_ground_truth_id()->set_value(object.ground_truth_id);
    header.set_existence_probability(object.existence_probability);
    header.set_measurement_state(osi3::DetectedItemHeader::MEASUREMENT_STATE_MEASURED);
    header.add_sensor_id()->set_value(sensor_id_);
    set(*out.mutable_base()->mutable_position(), object.position);
    set(*out.mutable_base()->mutable_dimension(), object.dimension);
    auto& candidate = *out.add_candidate();
    candidate.set_probability(object.candidate_probability);
    candidate.set_type(static_cast<osi3::MovingObject::Type>(object.type));
    set(*candidate.mutable_vehicle_classification(), object.vehicle);
  }

  void begin_detections(std::size_t count) {
    detections_ = message_.get().mutable_feature_data()->add_lidar_sensor();
    detections_->mutable_detection()->Reserve(static_cast<int>(count));
  }

  void add(Detection detection) {
    auto& position = *detections_->add_detection()->mutable_position();
    position.set_distance(detection.distance);
    position.set_azimuth(detection.azimuth);
    position.set_elevation(detection.elevation);
  }

  /// The published model threw its detections away …
  void clear() { message_.get().Clear(); }
  /// … and sent the whole sensor view on, copied into the sensor data.
  void embed(const auto& view) { *message_.get().add_sensor_view() = view.message(); }

  void end() {}
  Bytes serialize() { return output_.write(message_.get()); }
  void release() { message_.release(); }

 private:
  Storage<osi3::SensorData> message_;
  Output output_;
  std::uint64_t sensor_id_ = 0;
  osi3::LidarDetectionData* detections_ = nullptr;
};

/// What the report's trace player did with each frame.
template <template <class> class Storage, class Output>
class Republish {
 public:
  bool parse(Bytes bytes) {
    if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) return false;
    return message_.make().ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  }
  Bytes serialize() { return output_.write(message_.get()); }
  void release() { message_.release(); }

 private:
  Storage<osi3::SensorView> message_;
  Output output_;
};

template <template <class> class Storage, class Output>
struct ProtobufCodec {
  using ViewWriter = protobuf::ViewWriter<Storage, Output>;
  using ViewReader = protobuf::ViewReader<Storage>;
  using DataWriter = protobuf::DataWriter<Storage, Output>;
};

using FreshRepublish = Republish<Fresh, StringOutput>;
using FreshCodec = ProtobufCodec<Fresh, StringOutput>;
using ArenaCodec = ProtobufCodec<OnArena, ArrayOutput>;
using ReuseCodec = ProtobufCodec<Reused, ArrayOutput>;

static_assert(Codec<FreshCodec> && Codec<ArenaCodec> && Codec<ReuseCodec>);

}  // namespace wirecost::protobuf
