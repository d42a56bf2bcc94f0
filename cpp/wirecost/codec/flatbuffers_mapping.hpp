// SPDX-License-Identifier: Apache-2.0
// OSI in FlatBuffers, written once for both schemas: messages as tables, or the small ones as
// structs. A struct is passed and stored by value, a table by offset; nothing else differs.
#pragma once

#include <flatbuffers/flatbuffers.h>

#include <array>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

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

template <class S>
class ViewWriter {
 public:
  explicit ViewWriter(Variant variant)
      : published_(variant == Variant::published), output_(variant) {}

  void begin(const SensorViewHeader& header) {
    header_ = header;
    output_.begin();
    reflection_tables_.clear();
    objects_.clear();
  }

  void begin_reflections(const LidarConfiguration& lidar, std::size_t count) {
    FlatBufferBuilder& out = output_.builder();
    const auto position = make<S>(out, lidar.mounting_position);
    const auto mounting = make_table<typename S::MountingPosition>(
        out, [&](auto& b) { b.add_position(argument(position)); });
    configuration_ = make_table<typename S::LidarSensorViewConfiguration>(out, [&](auto& b) {
      b.add_field_of_view_horizontal(lidar.field_of_view_horizontal);
      b.add_field_of_view_vertical(lidar.field_of_view_vertical);
      b.add_mounting_position(mounting);
    });
    if constexpr (Table<typename S::Reflection>) {
      if (!published_) reflection_tables_.reserve(count);
    } else {
      reflection_structs_ = out.CreateUninitializedVectorOfStructs(count, &next_reflection_);
    }
  }

  void add(Reflection reflection) {
    if constexpr (Table<typename S::Reflection>) {
      reflection_tables_.push_back(
          make_table<typename S::Reflection>(output_.builder(), [&](auto& b) {
            b.add_time_of_flight(reflection.time_of_flight);
            b.add_signal_strength(reflection.signal_strength);
          }));
    } else {
      *next_reflection_++ =
          typename S::Reflection(reflection.signal_strength, reflection.time_of_flight, 0);
    }
  }

  void end_reflections() {
    FlatBufferBuilder& out = output_.builder();
    const std::array lidar{make_lidar_view(out)};
    lidar_views_ = out.CreateVector(lidar.data(), lidar.size());
  }

  void add(const MovingObject& object) {
    FlatBufferBuilder& out = output_.builder();
    const auto id = make_id<S>(out, object.id);
    const auto vehicle = published_ ? make_table<typename S::Vehicle>(out, [](auto&) {})
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
    objects_.push_back(make_table<typename S::MovingObject>(out, [&](auto& b) {
      b.add_id(argument(id));
      if (!published_) b.add_type(static_cast<typename S::MovingObjectType>(object.type));
      b.add_vehicle_classification(vehicle);
      b.add_vehicle_attributes(attributes);
      b.add_base(base);
    }));
  }

  void end() {
    FlatBufferBuilder& out = output_.builder();
    const auto objects = out.CreateVector(objects_);
    const auto timestamp = make<S>(out, header_.timestamp);
    const auto host_vehicle_id = make_id<S>(out, header_.host_vehicle_id);
    const auto ground_truth = make_table<typename S::GroundTruth>(out, [&](auto& b) {
      b.add_timestamp(argument(timestamp));
      b.add_host_vehicle_id(argument(host_vehicle_id));
      b.add_moving_object(objects);
    });
    const auto sensor_id = make_id<S>(out, header_.sensor_id);
    Offset<typename S::InterfaceVersion> version;  // published: none, the option has no counterpart
    if (!published_) version = make_version<S>(out, header_.version);
    root_ = make_table<typename S::SensorView>(out, [&](auto& b) {
      if (!published_) b.add_version(version);
      b.add_sensor_id(argument(sensor_id));
      b.add_host_vehicle_id(argument(host_vehicle_id));
      b.add_timestamp(argument(timestamp));
      b.add_global_ground_truth(ground_truth);
      b.add_lidar_sensor_view(lidar_views_);
    });
  }

  Bytes serialize() { return output_.serialize(root_); }
  void release() { output_.release(); }

 private:
  auto make_lidar_view(FlatBufferBuilder& out) {
    const auto finish = [&](auto reflections) {
      return make_table<typename S::LidarSensorView>(out, [&](auto& b) {
        b.add_view_configuration(configuration_);
        b.add_reflection(reflections);
      });
    };
    if constexpr (Table<typename S::Reflection>)
      return finish(out.CreateVector(reflection_tables_));
    else
      return finish(
          Offset<flatbuffers::Vector<const typename S::Reflection*>>(reflection_structs_));
  }

  bool published_;
  Output output_;
  SensorViewHeader header_;
  Offset<typename S::LidarSensorViewConfiguration> configuration_;
  std::vector<Offset<typename S::Reflection>> reflection_tables_;
  Offset<flatbuffers::Vector<const typename S::Reflection*>> reflection_structs_;
  typename S::Reflection* next_reflection_ = nullptr;
  Offset<flatbuffers::Vector<Offset<typename S::LidarSensorView>>> lidar_views_;
  std::vector<Offset<typename S::MovingObject>> objects_;
  Offset<typename S::SensorView> root_;
};

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

/// Reads in place. The buffer is trusted as the report's model trusted it: nothing is verified.
template <class S>
class ViewReader {
 public:
  bool open(Bytes bytes) {
    if (bytes.size() < sizeof(flatbuffers::uoffset_t) * 2) return false;
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

template <class S>
class DataWriter {
 public:
  explicit DataWriter(Variant variant) : output_(variant) {}

  void begin(const SensorDataHeader& header) {
    header_ = header;
    output_.begin();
    objects_.clear();
    detections_.clear();
  }

  void add(const DetectedObject& object) {
    FlatBufferBuilder& out = output_.builder();
    const auto tracking_id = make_id<S>(out, object.tracking_id);
    const std::array ground_truth_id{make_id<S>(out, object.ground_truth_id)};
    const std::array sensor_id{make_id<S>(out, header_.sensor_id)};
    const auto ground_truth_ids = make_vector<typename S::Identifier>(out, ground_truth_id);
    const auto sensor_ids = make_vector<typename S::Identifier>(out, sensor_id);
    const auto item = make_table<typename S::DetectedItemHeader>(out, [&](auto& b) {
      b.add_existence_probability(object.existence_probability);
      b.add_tracking_id(argument(tracking_id));
      b.add_ground_truth_id(ground_truth_ids);
      b.add_measurement_state(S::MeasurementState::MEASUREMENT_STATE_MEASURED);
      b.add_sensor_id(sensor_ids);
    });
    const auto position = make<S>(out, object.position);
    const auto dimension = make<S>(out, object.dimension);
    const auto base = make_table<typename S::BaseMoving>(out, [&](auto& b) {
      b.add_position(argument(position));
      b.add_dimension(argument(dimension));
    });
    const auto vehicle = make_vehicle<S>(out, object.vehicle);
    const std::array candidate{make_table<typename S::Candidate>(out, [&](auto& b) {
      b.add_probability(object.candidate_probability);
      b.add_type(static_cast<typename S::MovingObjectType>(object.type));
      b.add_vehicle_classification(vehicle);
    })};
    const auto candidates = make_vector<typename S::Candidate>(out, candidate);
    objects_.push_back(make_table<typename S::DetectedMovingObject>(out, [&](auto& b) {
      b.add_header(item);
      b.add_base(base);
      b.add_candidate(candidates);
    }));
  }

  void begin_detections(std::size_t count) { detections_.reserve(count); }

  void add(Detection detection) {
    FlatBufferBuilder& out = output_.builder();
    const auto finish = [&](const auto& position) {
      detections_.push_back(make_table<typename S::LidarDetection>(
          out, [&](auto& b) { b.add_position(argument(position)); }));
    };
    if constexpr (Table<typename S::Spherical3d>)
      finish(make_table<typename S::Spherical3d>(out, [&](auto& b) {
        b.add_elevation(detection.elevation);
        b.add_azimuth(detection.azimuth);
        b.add_distance(detection.distance);
      }));
    else
      finish(typename S::Spherical3d(detection.distance, detection.azimuth, detection.elevation));
  }

  void end() {
    FlatBufferBuilder& out = output_.builder();
    const auto detections = out.CreateVector(detections_);
    const auto lidar = make_table<typename S::LidarDetectionData>(
        out, [&](auto& b) { b.add_detection(detections); });
    const auto lidars = out.CreateVector(&lidar, 1);
    const auto features =
        make_table<typename S::FeatureData>(out, [&](auto& b) { b.add_lidar_sensor(lidars); });
    const auto objects = out.CreateVector(objects_);
    const auto timestamp = make<S>(out, header_.timestamp);
    const auto sensor_id = make_id<S>(out, header_.sensor_id);
    const auto version = make_version<S>(out, header_.version);
    root_ = make_table<typename S::SensorData>(out, [&](auto& b) {
      b.add_version(version);
      b.add_timestamp(argument(timestamp));
      b.add_sensor_id(argument(sensor_id));
      b.add_moving_object(objects);
      b.add_feature_data(features);
    });
  }

  Bytes serialize() { return output_.serialize(root_); }
  void release() { output_.release(); }

 private:
  Output output_;
  SensorDataHeader header_;
  std::vector<Offset<typename S::DetectedMovingObject>> objects_;
  std::vector<Offset<typename S::LidarDetection>> detections_;
  Offset<typename S::SensorData> root_;
};

}  // namespace wirecost::flatbuffer
