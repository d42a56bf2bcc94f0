// SPDX-License-Identifier: Apache-2.0
// The unchanged Protobuf wire at its best: rows written one by one into a kept buffer, read by
// views that never build a message. How far a better codec gets without a new layout.
#pragma once

#include <optional>

#include "wirecost/codec/compiled_stream.hpp"

namespace wirecost::compiled {

class ReflectionRows {
 public:
  using Element = Reflection;

  void begin(Stream& stream, std::size_t) { stream_ = &stream; }
  void add(Reflection reflection) {
    row_.time_of_flight = reflection.time_of_flight;
    row_.signal_strength = reflection.signal_strength;
    stream_->short_message(field::lidar_reflection, row_);
  }
  void end(Stream&) {}

 private:
  Stream* stream_ = nullptr;
  osi::LidarSensorView_Reflection row_;
};

class DetectionRows {
 public:
  using Element = Detection;

  void begin(Stream& stream, std::size_t) { stream_ = &stream; }
  void add(Detection detection) {
    auto& position = row_.position.touch();
    position.distance = detection.distance;
    position.azimuth = detection.azimuth;
    position.elevation = detection.elevation;
    stream_->short_message(field::lidar_detection, row_);
  }
  void end(Stream&) {}

 private:
  Stream* stream_ = nullptr;
  osi::LidarDetection row_;
};

/// Reflections are read in their order, so an index must not be less than the one before.
class RowsReader : public ViewReader {
 public:
  bool open(Bytes bytes) {
    if (!open_all(bytes)) return false;
    at_ = 0;
    if (reflection_count() != 0) next_ = lidar_view().reflection.begin();
    return true;
  }
  std::size_t reflection_count() const { return lidar_view().reflection.size(); }
  Reflection reflection(std::size_t index) const {
    next_ += index - at_;
    at_ = index;
    return {next_->time_of_flight.value_or(0), next_->signal_strength.value_or(0)};
  }

 private:
  using Iterator =
      decltype(std::declval<osi::protobuf::LidarSensorViewView>().reflection)::iterator;

  mutable Iterator next_;
  mutable std::size_t at_ = 0;
};

struct RowsCodec {
  using ViewWriter = compiled::ViewWriter<ReflectionRows>;
  using ViewReader = RowsReader;
  using DataWriter = compiled::DataWriter<DetectionRows>;
};

static_assert(Codec<RowsCodec>);

}  // namespace wirecost::compiled
