// SPDX-License-Identifier: Apache-2.0
// The columns wire: reflections and detections field by field in one more field of the message,
// everything else on the Protobuf wire as before.
#pragma once

#include <span>
#include <vector>

#include "osi3/osi_featuredata.columns.hpp"
#include "osi3/osi_sensorview.columns.hpp"
#include "wirecost/codec/compiled_stream.hpp"
#include "wirecost/codec/field_of.hpp"

namespace wirecost::compiled {

using ReflectionTable = osi::LidarSensorViewReflectionColumns;
using DetectionTable = osi::LidarDetectionColumns;

/// Where the columns of a repeated field stand.
constexpr std::uint32_t columns_field_of(std::uint32_t rows) {
  return columns::number_of(columns::Part::columns, rows);
}

/// Takes reflections one by one. `Values`: where those of a column go.
template <class Values>
class ReflectionColumns {
 public:
  void add(Reflection reflection) {
    signal_strength_[next_] = reflection.signal_strength;
    time_of_flight_[next_] = reflection.time_of_flight;
    ++next_;
  }

 protected:
  columns::Builder<ReflectionTable> table_;
  Values signal_strength_{}, time_of_flight_{};
  std::size_t start_ = 0, next_ = 0;
};

/// The same of detections.
template <class Values>
class DetectionColumns {
 public:
  void add(Detection detection) {
    distance_[next_] = detection.distance;
    azimuth_[next_] = detection.azimuth;
    elevation_[next_] = detection.elevation;
    ++next_;
  }

 protected:
  columns::Builder<DetectionTable> table_;
  Values distance_{}, azimuth_{}, elevation_{};
  std::size_t start_ = 0, next_ = 0;
};

/// Every value of both columns is stored where it will lie in the message.
class ReflectionArrays : public ReflectionColumns<double*> {
 public:
  void begin(Stream& stream, std::size_t count) {
    start_ = stream.open(columns_field_of(field::lidar_reflection));
    table_.begin(static_cast<std::uint32_t>(count));
    table_.announce(ReflectionTable::signal_strength);
    table_.announce(ReflectionTable::time_of_flight);
    if (table_.place(stream.buffer())) throw std::length_error("reflections beyond 2 GiB");
    signal_strength_ = table_.values(ReflectionTable::signal_strength).data();
    time_of_flight_ = table_.values(ReflectionTable::time_of_flight).data();
    next_ = 0;
  }
  void end(Stream& stream) { stream.close(start_); }
};

class DetectionArrays : public DetectionColumns<double*> {
 public:
  void begin(Stream& stream, std::size_t count) {
    start_ = stream.open(columns_field_of(field::lidar_detection));
    table_.begin(static_cast<std::uint32_t>(count));
    const auto& position = DetectionTable::position;
    table_.announce(position.distance);
    table_.announce(position.azimuth);
    table_.announce(position.elevation);
    if (table_.place(stream.buffer())) throw std::length_error("detections beyond 2 GiB");
    distance_ = table_.values(position.distance).data();
    azimuth_ = table_.values(position.azimuth).data();
    elevation_ = table_.values(position.elevation).data();
    next_ = 0;
  }
  void end(Stream& stream) { stream.close(start_); }
};

/// `Envelope` reads all but the columns.
template <class Envelope>
class ColumnsReader : public Envelope {
 public:
  bool open(Bytes bytes) {
    if (!this->open_all(bytes)) return false;
    count_ = 0;
    const Bytes columns =
        field_of(field_of(bytes, field::view_lidar), columns_field_of(field::lidar_reflection));
    if (columns.empty()) return true;
    if (table_.read(columns)) return false;
    count_ = table_.size();
    time_of_flight_ = table_[ReflectionTable::time_of_flight].span(decoded_time_);
    signal_strength_ = table_[ReflectionTable::signal_strength].span(decoded_strength_);
    return true;
  }
  std::size_t reflection_count() const { return count_; }
  Reflection reflection(std::size_t index) const {
    return {time_of_flight_[index], signal_strength_[index]};
  }

 private:
  columns::View<ReflectionTable> table_;
  std::size_t count_ = 0;
  std::span<const double> time_of_flight_, signal_strength_;
  std::vector<double> decoded_time_, decoded_strength_;  // of columns that are reduced
};

struct ColumnsCodec {
  using ViewWriter = compiled::ViewWriter<ReflectionArrays>;
  using ViewReader = ColumnsReader<HolderReader>;
  using DataWriter = compiled::DataWriter<DetectionArrays>;
};

static_assert(Codec<ColumnsCodec>);

}  // namespace wirecost::compiled
