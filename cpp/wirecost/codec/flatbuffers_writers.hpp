// SPDX-License-Identifier: Apache-2.0
// Sensor views and sensor data written into FlatBuffers, for both schemas.
#pragma once

#include <array>
#include <vector>

#include "wirecost/codec/flatbuffers_parts.hpp"

namespace wirecost::flatbuffer {

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
    objects_.push_back(make_object<S>(output_.builder(), object, published_));
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
