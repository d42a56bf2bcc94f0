// SPDX-License-Identifier: Apache-2.0
// The columns wire: reflections and detections field by field in one more field of the message,
// everything else on the Protobuf wire as before.
#pragma once

#include "osi3/osi_featuredata.columns.hpp"
#include "osi3/osi_sensorview.columns.hpp"
#include "wirecost/codec/compiled_stream.hpp"

namespace wirecost::compiled {

using ReflectionTable = osi::LidarSensorViewReflectionColumns;
using DetectionTable = osi::LidarDetectionColumns;

/// Where the columns of a repeated field stand.
constexpr std::uint32_t columns_field_of(std::uint32_t rows) {
  return columns::number_of(columns::Part::columns, rows);
}

/// The content of the first field of that number in a message, which must be valid up to there.
inline Bytes field_of(Bytes message, std::uint32_t number) {
  const auto* p = reinterpret_cast<const Byte*>(message.data());
  const Byte* const end = p + message.size();
  Reading reading(p, 0, message.size(), no_limits);
  while (p != nullptr && p != end) {
    std::uint32_t tag = 0;
    p = protobuf::read_tag(p, end, reading, tag);
    if (p == nullptr) break;
    if (tag == (number << 3 | 2)) {
      std::size_t size = 0;
      p = protobuf::read_length(p, end, reading, size);
      if (p == nullptr) break;
      return {reinterpret_cast<const std::byte*>(p), size};
    }
    p = protobuf::skip(p, end, reading, tag);
  }
  return {};
}

/// Every value of both columns is stored where it will lie in the message.
class ReflectionArrays {
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
  void add(Reflection reflection) {
    signal_strength_[next_] = reflection.signal_strength;
    time_of_flight_[next_] = reflection.time_of_flight;
    ++next_;
  }
  void end(Stream& stream) { stream.close(start_); }

 private:
  columns::Builder<ReflectionTable> table_;
  double *signal_strength_ = nullptr, *time_of_flight_ = nullptr;
  std::size_t start_ = 0, next_ = 0;
};

class DetectionArrays {
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
  void add(Detection detection) {
    distance_[next_] = detection.distance;
    azimuth_[next_] = detection.azimuth;
    elevation_[next_] = detection.elevation;
    ++next_;
  }
  void end(Stream& stream) { stream.close(start_); }

 private:
  columns::Builder<DetectionTable> table_;
  double *distance_ = nullptr, *azimuth_ = nullptr, *elevation_ = nullptr;
  std::size_t start_ = 0, next_ = 0;
};

class ColumnsReader : public ViewReader {
 public:
  bool open(Bytes bytes) {
    if (!open_all(bytes)) return false;
    count_ = 0;
    const Bytes columns =
        field_of(field_of(bytes, field::view_lidar), columns_field_of(field::lidar_reflection));
    if (columns.empty()) return true;
    if (table_.read(columns)) return false;
    count_ = table_.size();
    time_of_flight_ = table_[ReflectionTable::time_of_flight].span();
    signal_strength_ = table_[ReflectionTable::signal_strength].span();
    direct_ = !time_of_flight_.empty() && !signal_strength_.empty();
    return true;
  }
  std::size_t reflection_count() const { return count_; }
  Reflection reflection(std::size_t index) const {
    if (direct_) return {time_of_flight_[index], signal_strength_[index]};
    return {table_[ReflectionTable::time_of_flight][index],
            table_[ReflectionTable::signal_strength][index]};
  }

 private:
  columns::View<ReflectionTable> table_;
  std::size_t count_ = 0;
  std::span<const double> time_of_flight_, signal_strength_;
  bool direct_ = false;  // else reduced or not aligned, and read value by value
};

struct ColumnsCodec {
  using ViewWriter = compiled::ViewWriter<ReflectionArrays>;
  using ViewReader = ColumnsReader;
  using DataWriter = compiled::DataWriter<DetectionArrays>;
};

static_assert(Codec<ColumnsCodec>);

}  // namespace wirecost::compiled
