// SPDX-License-Identifier: Apache-2.0
// A Protobuf message written front to back, a field at a time, as it becomes known. No holder ever
// holds a whole frame: one object, one reflection at most.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "wirecost/codec/compiled_values.hpp"
#include "wirecost/columns/buffer.hpp"

namespace wirecost::compiled {

/// OSI's field numbers, where a message is put together by hand.
namespace field {
inline constexpr std::uint32_t view_ground_truth = 7, view_lidar = 1002;
inline constexpr std::uint32_t truth_moving_object = 5;
inline constexpr std::uint32_t lidar_reflection = 2;
inline constexpr std::uint32_t data_moving_object = 13, data_feature = 26;
inline constexpr std::uint32_t feature_lidar = 3, lidar_detection = 2;
}  // namespace field

/// Two buffers in turns, so that a message outlives the next one.
class Stream {
 public:
  void begin() {
    current_ ^= 1;
    buffer().clear();
  }
  columns::Buffer& buffer() { return buffers_[current_]; }
  Bytes bytes() const { return buffers_[current_].bytes(); }

  /// The fields of a message, without tag and length.
  void fields(const auto& message) { buffer().append(encoded(message)); }

  /// A message as field `number`.
  void message(std::uint32_t number, const auto& message) {
    const Bytes bytes = encoded(message);
    varint(number << 3 | length_delimited);
    varint(bytes.size());
    buffer().append(bytes);
  }

  /// The same of a message of few fields, whose size is quickly computed.
  void short_message(std::uint32_t number, const auto& message) {
    const std::size_t size = osi::protobuf::encoded_size(message);
    varint(number << 3 | length_delimited);
    varint(size);
    auto* const start = reinterpret_cast<std::byte*>(buffer().room(size));
    // Space of the exact size: the only thing that could fail.
    [[maybe_unused]] const auto encoded = osi::protobuf::encode(message, std::span(start, size));
    buffer().advance(buffer().end() + size);
  }

  /// A message whose content follows; its length takes five bytes, known when it is closed.
  std::size_t open(std::uint32_t number) {
    varint(number << 3 | length_delimited);
    buffer().append_zeros(length_bytes);
    return buffer().size();
  }
  void close(std::size_t start) {
    const std::size_t size = buffer().size() - start;
    auto* length = buffer().data() + start - length_bytes;
    for (unsigned i = 0; i + 1 < length_bytes; ++i)
      *length++ = static_cast<std::uint8_t>((size >> 7 * i & 0x7f) | 0x80);
    *length = static_cast<std::uint8_t>(size >> 7 * (length_bytes - 1));
  }

 private:
  static constexpr std::uint32_t length_delimited = 2;
  static constexpr std::size_t length_bytes = 5;

  void varint(std::uint64_t value) {
    std::uint8_t* p = buffer().room(10);
    for (; value > 0x7f; value >>= 7) *p++ = static_cast<std::uint8_t>(value | 0x80);
    *p++ = static_cast<std::uint8_t>(value);
    buffer().advance(p);
  }
  /// A message's bytes, valid until the next one. They are written from their end, so that no size
  /// need be computed before.
  Bytes encoded(const auto& message) {
    auto encoded = osi::protobuf::encode(message, scratch_);
    if (encoded.error) {
      scratch_.resize(osi::protobuf::encoded_size(message));
      encoded = osi::protobuf::encode(message, scratch_);
    }
    return encoded.bytes;
  }

  std::array<columns::Buffer, 2> buffers_;
  std::vector<std::byte> scratch_ = std::vector<std::byte>(1024);
  unsigned current_ = 0;
};

/// What views and data of all streamed contenders have in common: everything but the lidar's lists.
/// `Lists` writes those: begin(stream, …), add, end.
template <class Lists>
class ViewWriter {
 public:
  explicit ViewWriter(Variant) {}

  void begin(const SensorViewHeader& header) {
    stream_.begin();
    set(view_.version, header.version);
    set(view_.timestamp, header.timestamp);
    set(view_.sensor_id, header.sensor_id);
    set(view_.host_vehicle_id, header.host_vehicle_id);
    set(truth_.timestamp, header.timestamp);
    set(truth_.host_vehicle_id, header.host_vehicle_id);
    stream_.fields(view_);
    truth_start_ = 0;
  }
  void begin_reflections(const LidarConfiguration& lidar, std::size_t count) {
    auto& configuration = lidar_.view_configuration.touch();
    configuration.field_of_view_horizontal = lidar.field_of_view_horizontal;
    configuration.field_of_view_vertical = lidar.field_of_view_vertical;
    set(configuration.mounting_position.touch().position, lidar.mounting_position);
    lidar_start_ = stream_.open(field::view_lidar);
    stream_.fields(lidar_);
    lists_.begin(stream_, count);
  }
  void add(Reflection reflection) { lists_.add(reflection); }
  void end_reflections() {
    lists_.end(stream_);
    stream_.close(lidar_start_);
  }
  void add(const MovingObject& object) {
    open_truth();
    set(object_, object);
    stream_.message(field::truth_moving_object, object_);
  }
  void end() {
    open_truth();
    stream_.close(truth_start_);
  }
  Bytes serialize() { return stream_.bytes(); }
  void release() {}

 private:
  void open_truth() {
    if (truth_start_ != 0) return;
    truth_start_ = stream_.open(field::view_ground_truth);
    stream_.fields(truth_);
  }

  Stream stream_;
  Lists lists_;
  osi::SensorView view_;
  osi::GroundTruth truth_;
  osi::LidarSensorView lidar_;
  osi::MovingObject object_;
  std::size_t truth_start_ = 0, lidar_start_ = 0;
};

template <class Lists>
class DataWriter {
 public:
  explicit DataWriter(Variant) {}

  void begin(const SensorDataHeader& header) {
    stream_.begin();
    set(data_.version, header.version);
    set(data_.timestamp, header.timestamp);
    set(data_.sensor_id, header.sensor_id);
    sensor_id_ = header.sensor_id;
    stream_.fields(data_);
    features_start_ = 0;
  }
  void begin_detections(std::size_t count) {
    features_start_ = stream_.open(field::data_feature);
    lidar_start_ = stream_.open(field::feature_lidar);
    lists_.begin(stream_, count);
  }
  void add(Detection detection) { lists_.add(detection); }
  void add(const DetectedObject& object) {
    end_detections();
    set(object_, object, sensor_id_);
    stream_.message(field::data_moving_object, object_);
  }
  void end() { end_detections(); }
  Bytes serialize() { return stream_.bytes(); }
  void release() {}

 private:
  void end_detections() {
    if (features_start_ == 0) return;
    lists_.end(stream_);
    stream_.close(lidar_start_);
    stream_.close(features_start_);
    features_start_ = 0;
  }

  Stream stream_;
  Lists lists_;
  osi::SensorData data_;
  osi::DetectedMovingObject object_;
  std::uint64_t sensor_id_ = 0;
  std::size_t features_start_ = 0, lidar_start_ = 0;
};

/// Reads everything but the lidar's lists. `Message`: a sensor view's holder, or its view.
template <class Message>
class EnvelopeReader {
 public:
  SensorViewHeader header() const {
    return {.version = value_of(message_.version),
            .timestamp = value_of(message_.timestamp),
            .sensor_id = value_of(message_.sensor_id),
            .host_vehicle_id = value_of(message_.host_vehicle_id)};
  }
  void release() {}

 protected:
  static LidarConfiguration configuration_of(const auto& lidar) {
    const auto& configuration = lidar.view_configuration.or_default();
    return {.field_of_view_horizontal = configuration.field_of_view_horizontal.value_or(0),
            .field_of_view_vertical = configuration.field_of_view_vertical.value_or(0),
            .mounting_position = value_of(configuration.mounting_position.or_default().position)};
  }

  Message message_;
};

/// Decoded into a holder that is used again.
class HolderReader : public EnvelopeReader<osi::SensorView> {
 public:
  LidarConfiguration lidar() const {
    const auto& lidars = message_.lidar_sensor_view;
    return lidars.empty() ? LidarConfiguration{} : configuration_of(lidars[0]);
  }
  std::size_t object_count() const { return objects().size(); }
  auto object(std::size_t index) const { return ObjectView(objects()[index]); }

 protected:
  bool open_all(Bytes bytes) { return !osi::protobuf::decode(bytes, message_); }

 private:
  const Sequence<osi::MovingObject>& objects() const {
    return message_.global_ground_truth.or_default().moving_object;
  }
};

/// Read through views into the message.
class ViewReader : public EnvelopeReader<osi::protobuf::SensorViewView> {
 public:
  LidarConfiguration lidar() const { return configuration_of(lidar_view()); }
  std::size_t object_count() const { return objects_.size(); }
  auto object(std::size_t index) const { return ObjectView(objects_[index]); }

 protected:
  bool open_all(Bytes bytes) {
    if (osi::protobuf::view(bytes, message_)) return false;
    message_.global_ground_truth.or_default().moving_object.to(objects_);
    message_.lidar_sensor_view.to(lidars_);
    if (lidars_.empty()) lidars_.emplace_back();
    return true;
  }
  const osi::protobuf::LidarSensorViewView& lidar_view() const { return lidars_.front(); }

 private:
  std::vector<osi::protobuf::LidarSensorViewView> lidars_;
  std::vector<osi::protobuf::MovingObjectView> objects_;
};

}  // namespace wirecost::compiled
