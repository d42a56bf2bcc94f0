// SPDX-License-Identifier: Apache-2.0
// The floor: plain structs and arrays copied out, no schema, no versions, one compiler, one
// machine. Not a wire to use, but what any wire is measured against: the same loops over bare
// memory.
//
// A message: a head, the columns, the objects; integers and doubles as the machine holds them, each
// on a multiple of its own size. The head and every column begin on a multiple of 64 bytes; the
// first object follows the last column, whose end is padded likewise.
//   SensorView  head: SensorViewHeader, LidarConfiguration, then uint64 whether there is a lidar,
//               count of objects, count of reflections
//               columns: time of flight, signal strength; objects: MovingObject
//   SensorData  head: SensorDataHeader, then uint64 count of objects, count of detections
//               columns: distance, azimuth, elevation; objects: DetectedObject
// Fields stand in the order of message/scene.hpp and message/detections.hpp; enumerations are
// int32.
#pragma once

#include <cstring>
#include <span>
#include <type_traits>

#include "wirecost/codec/codec.hpp"
#include "wirecost/columns/buffer.hpp"

namespace wirecost::bare {

struct ViewHead {
  SensorViewHeader header;
  LidarConfiguration lidar;
  std::uint64_t has_lidar = 0, objects = 0, reflections = 0;
};

struct DataHead {
  SensorDataHeader header;
  std::uint64_t objects = 0, detections = 0;
};

/// Arrays begin on a multiple of 64 bytes, as in the columns wire.
constexpr std::size_t aligned(std::size_t size) { return (size + 63) / 64 * 64; }

/// Where the arrays of a message lie: one of doubles after the other, then the objects.
template <class Head, class Object, std::size_t columns>
struct Layout {
  static_assert(std::is_trivially_copyable_v<Head> && std::is_trivially_copyable_v<Object>);

  std::size_t count = 0;  ///< doubles in each array

  std::size_t column(std::size_t index) const {
    return aligned(sizeof(Head)) + index * aligned(count * sizeof(double));
  }
  std::size_t objects() const { return column(columns); }
  std::size_t size(std::size_t object_count) const {
    return objects() + object_count * sizeof(Object);
  }
};

/// Two buffers in turns, the same that columns are written into.
class Memory {
 public:
  void swap() {
    current_ ^= 1;
    buffers_[current_].clear();
  }
  /// At least `size` bytes that keep what was written since `swap`.
  std::byte* at_least(std::size_t size) {
    columns::Buffer& buffer = buffers_[current_];
    if (size > buffer.size()) buffer.resize(size);
    return reinterpret_cast<std::byte*>(buffer.data());
  }

 private:
  std::array<columns::Buffer, 2> buffers_;
  unsigned current_ = 0;
};

/// What both messages have: a head that is written last, columns, objects one behind the other.
template <class Head, class Object, std::size_t columns>
class Writer {
 public:
  explicit Writer(Variant) {}

  void add(const Object& object) {
    const std::size_t at = layout_.size(head_.objects++);
    std::memcpy(memory_.at_least(at + sizeof object) + at, &object, sizeof object);
  }
  void end() {}
  Bytes serialize() {
    const std::size_t size = layout_.size(head_.objects);
    std::byte* const data = memory_.at_least(size);
    std::memcpy(data, &head_, sizeof head_);
    return {data, size};
  }
  void release() {}

 protected:
  void begin_message(const Head& head) {
    memory_.swap();
    head_ = head;
    layout_ = {};
  }
  void begin_columns(std::size_t count) {
    layout_.count = count;
    std::byte* const data = memory_.at_least(layout_.size(16));
    for (std::size_t i = 0; i < columns; ++i)
      columns_[i] = reinterpret_cast<double*>(data + layout_.column(i));
  }

  Memory memory_;
  Head head_;
  Layout<Head, Object, columns> layout_;
  std::array<double*, columns> columns_{};
};

class ViewWriter : public Writer<ViewHead, MovingObject, 2> {
 public:
  using Writer::add;
  using Writer::Writer;

  void begin(const SensorViewHeader& header) { begin_message({.header = header, .lidar = {}}); }
  void begin_reflections(const LidarConfiguration& lidar, std::size_t count) {
    head_.lidar = lidar;
    head_.has_lidar = 1;
    begin_columns(count);
  }
  void add(Reflection reflection) {
    columns_[0][head_.reflections] = reflection.time_of_flight;
    columns_[1][head_.reflections] = reflection.signal_strength;
    ++head_.reflections;
  }
  void end_reflections() {}
};

class ObjectView {
 public:
  explicit ObjectView(const MovingObject& object) : object_(&object) {}

  std::uint64_t id() const { return object_->id; }
  int type() const { return object_->type; }
  VehicleClassification vehicle() const { return object_->vehicle; }
  Vector3 bbcenter_to_rear() const { return object_->bbcenter_to_rear; }
  Dimension dimension() const { return object_->dimension; }
  Vector3 position() const { return object_->position; }
  Vector3 velocity() const { return object_->velocity; }
  Vector3 acceleration() const { return object_->acceleration; }
  Orientation orientation() const { return object_->orientation; }
  Orientation orientation_rate() const { return object_->orientation_rate; }

 private:
  const MovingObject* object_;
};

/// Trusts its input: sizes are compared, contents are what this process wrote.
class ViewReader {
 public:
  bool open(Bytes bytes) {
    if (bytes.size() < sizeof head_) return false;
    std::memcpy(&head_, bytes.data(), sizeof head_);
    const Layout<ViewHead, MovingObject, 2> layout{.count = head_.reflections};
    if (bytes.size() != layout.size(head_.objects)) return false;
    time_of_flight_ = reinterpret_cast<const double*>(bytes.data() + layout.column(0));
    signal_strength_ = reinterpret_cast<const double*>(bytes.data() + layout.column(1));
    objects_ = reinterpret_cast<const MovingObject*>(bytes.data() + layout.objects());
    return true;
  }
  SensorViewHeader header() const { return head_.header; }
  LidarConfiguration lidar() const { return head_.lidar; }
  std::size_t object_count() const { return head_.objects; }
  ObjectView object(std::size_t index) const { return ObjectView(objects_[index]); }
  std::size_t reflection_count() const { return head_.reflections; }
  Reflection reflection(std::size_t index) const {
    return {time_of_flight_[index], signal_strength_[index]};
  }
  void release() {}

 private:
  ViewHead head_;
  const double *time_of_flight_ = nullptr, *signal_strength_ = nullptr;
  const MovingObject* objects_ = nullptr;
};

class DataWriter : public Writer<DataHead, DetectedObject, 3> {
 public:
  using Writer::add;
  using Writer::Writer;

  void begin(const SensorDataHeader& header) { begin_message({.header = header}); }
  void begin_detections(std::size_t count) { begin_columns(count); }
  void add(Detection detection) {
    columns_[0][head_.detections] = detection.distance;
    columns_[1][head_.detections] = detection.azimuth;
    columns_[2][head_.detections] = detection.elevation;
    ++head_.detections;
  }
};

struct ArraysCodec {
  using ViewWriter = bare::ViewWriter;
  using ViewReader = bare::ViewReader;
  using DataWriter = bare::DataWriter;
};

static_assert(Codec<ArraysCodec>);

}  // namespace wirecost::bare
