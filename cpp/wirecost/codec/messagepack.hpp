// SPDX-License-Identifier: Apache-2.0
// MessagePack by msgpack-c: a message is an array, in which a field's place is its rank among the
// fields that OSI declares for the message, by number. What is absent is nil; what is absent at the
// end is left out. Buffers and the reader's memory are kept from frame to frame.
#pragma once

#define MSGPACK_NO_BOOST
#include <bit>
#include <cstdlib>
#include <memory>
#include <msgpack.hpp>
#include <optional>

#include "wirecost/codec/codec.hpp"

namespace wirecost::messagepack {

/// Bytes that grow at both ends: what precedes a long list is known after it.
class Frame {
 public:
  void clear() { begin_ = end_ = room_; }
  void write(const char* from, std::size_t size) {
    if (capacity_ - end_ < size) grow(begin_, size);
    std::memcpy(data_.get() + end_, from, size);
    end_ += size;
  }
  /// The room in front is kept for the frames that follow.
  void prepend(const msgpack::sbuffer& from) {
    if (begin_ < from.size()) grow(room_ += 2 * from.size(), 0);
    begin_ -= from.size();
    std::memcpy(data_.get() + begin_, from.data(), from.size());
  }
  Bytes bytes() const {
    return {reinterpret_cast<const std::byte*>(data_.get() + begin_), end_ - begin_};
  }

 private:
  struct Free {
    void operator()(char* data) const { std::free(data); }
  };

  [[gnu::noinline]] void grow(std::size_t front, std::size_t more) {
    const std::size_t size = end_ - begin_;
    const std::size_t capacity = front + 2 * (size + more) + 4096;
    std::unique_ptr<char, Free> made(static_cast<char*>(std::malloc(capacity)));
    if (made == nullptr) throw std::bad_alloc();
    if (size != 0) std::memcpy(made.get() + front, data_.get() + begin_, size);
    data_ = std::move(made);
    begin_ = front;
    end_ = front + size;
    capacity_ = capacity;
  }

  std::unique_ptr<char, Free> data_;
  std::size_t begin_ = 0, end_ = 0, capacity_ = 0, room_ = 0;
};

/// Packs what models say as OSI's messages.
template <class Buffer>
class Packer {
 public:
  explicit Packer(Buffer& buffer) : to_(buffer) {}

  /// `fields` are the first ones of a message.
  void message(const auto&... fields) {
    array(sizeof...(fields));
    (field(fields), ...);
  }
  void array(std::size_t count) { to_.pack_array(static_cast<std::uint32_t>(count)); }
  void absent(int count) {
    for (int i = 0; i < count; ++i) to_.pack_nil();
  }

  void field(std::nullptr_t) { to_.pack_nil(); }
  /// The library's pack_double makes an integer of every whole number and loses the sign of zero.
  void field(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    char bytes[9] = {static_cast<char>(0xcb)};
    for (unsigned i = 0; i < 8; ++i) bytes[1 + i] = static_cast<char>(bits >> (56 - 8 * i));
    to_.pack_bin_body(bytes, sizeof bytes);
  }
  void field(std::uint32_t value) { to_.pack_uint32(value); }
  void field(std::uint64_t value) { to_.pack_uint64(value); }
  void field(std::int64_t value) { to_.pack_int64(value); }
  void field(int value) { to_.pack_int(value); }
  void field(const Vector3& v) { message(v.x, v.y, v.z); }
  void field(const Dimension& d) { message(d.length, d.width, d.height); }
  void field(const Orientation& o) { message(o.roll, o.pitch, o.yaw); }
  void field(const Timestamp& t) { message(t.seconds, t.nanos); }
  void field(const std::array<std::uint32_t, 3>& v) { message(v[0], v[1], v[2]); }
  void field(const VehicleClassification& v) {
    array(2);
    field(v.type);
    message(v.indicator_state, nullptr, nullptr, nullptr, nullptr, nullptr, v.brake_light_state);
  }
  void identifier(std::uint64_t value) { message(value); }

 private:
  msgpack::packer<Buffer> to_;
};

/// Two frames in turns, so that a message outlives the next one.
class Frames {
 public:
  Frame& next() {
    current_ ^= 1;
    frames_[current_].clear();
    return current();
  }
  Frame& current() { return frames_[current_]; }

 private:
  std::array<Frame, 2> frames_;
  std::size_t current_ = 0;
};

class ViewWriter {
 public:
  explicit ViewWriter(Variant) {}

  void begin(const SensorViewHeader& header) {
    header_ = header;
    frames_.next();
    objects_.clear();
    object_count_ = 0;
  }
  void begin_reflections(const LidarConfiguration& lidar, std::size_t count) {
    to_.emplace(frames_.current());
    to_->array(1);  // sensor
    to_->array(2);
    to_->array(5);  // its configuration
    to_->absent(1);
    to_->array(1);
    to_->field(lidar.mounting_position);
    to_->absent(1);
    to_->field(lidar.field_of_view_horizontal);
    to_->field(lidar.field_of_view_vertical);
    to_->array(count);
  }
  void add(Reflection reflection) {
    to_->message(reflection.signal_strength, reflection.time_of_flight);
  }
  void end_reflections() {}

  void add(const MovingObject& object) {
    Packer to(objects_);
    to.array(6);
    to.identifier(object.id);
    to.message(object.dimension, object.position, object.orientation, object.velocity,
               object.acceleration, object.orientation_rate);
    to.field(object.type);
    to.absent(1);
    to.message(nullptr, nullptr, nullptr, object.bbcenter_to_rear);
    to.field(object.vehicle);
    ++object_count_;
  }

  /// The reflections are there; everything else of the view precedes them.
  void end() {
    Frame& frame = frames_.current();
    msgpack::sbuffer part(64);
    Packer behind(part);
    behind.identifier(header_.host_vehicle_id);
    behind.absent(2);
    frame.prepend(part);
    frame.prepend(objects_);
    part.clear();
    Packer before(part);
    before.array(11);
    before.field(header_.version);
    before.field(header_.timestamp);
    before.identifier(header_.sensor_id);
    before.absent(3);
    before.array(5);  // ground truth
    before.absent(1);
    before.field(header_.timestamp);
    before.identifier(header_.host_vehicle_id);
    before.absent(1);
    before.array(object_count_);
    frame.prepend(part);
  }
  Bytes serialize() { return frames_.current().bytes(); }
  void release() {}

 private:
  SensorViewHeader header_;
  Frames frames_;
  std::optional<Packer<Frame>> to_;
  msgpack::sbuffer objects_;
  std::size_t object_count_ = 0;
};

/// A received value; what is absent or of another type reads as a default.
class Value {
 public:
  Value() = default;
  explicit Value(const msgpack::object& object) : object_(&object) {}

  std::size_t size() const {
    return object_ != nullptr && object_->type == msgpack::type::ARRAY ? object_->via.array.size
                                                                       : 0;
  }
  Value operator[](std::size_t index) const {
    return index < size() ? Value(object_->via.array.ptr[index]) : Value();
  }
  double real() const {
    return object_ != nullptr && object_->type == msgpack::type::FLOAT64 ? object_->via.f64 : 0;
  }
  /// Two's complement, whatever the sign.
  std::uint64_t integer() const {
    const bool there = object_ != nullptr && (object_->type == msgpack::type::POSITIVE_INTEGER ||
                                              object_->type == msgpack::type::NEGATIVE_INTEGER);
    return there ? object_->via.u64 : 0;
  }
  int number() const { return static_cast<int>(integer()); }
  std::uint64_t identifier() const { return (*this)[0].integer(); }
  Vector3 vector() const { return {(*this)[0].real(), (*this)[1].real(), (*this)[2].real()}; }
  Dimension dimension() const { return {(*this)[0].real(), (*this)[1].real(), (*this)[2].real()}; }
  Orientation orientation() const {
    return {(*this)[0].real(), (*this)[1].real(), (*this)[2].real()};
  }

 private:
  const msgpack::object* object_ = nullptr;
};

class ObjectView {
 public:
  explicit ObjectView(Value object) : object_(object) {}

  std::uint64_t id() const { return object_[0].identifier(); }
  int type() const { return object_[2].number(); }
  VehicleClassification vehicle() const {
    const Value vehicle = object_[5];
    return {vehicle[0].number(), vehicle[1][0].number(), vehicle[1][6].number()};
  }
  Vector3 bbcenter_to_rear() const { return object_[4][3].vector(); }
  Dimension dimension() const { return base()[0].dimension(); }
  Vector3 position() const { return base()[1].vector(); }
  Orientation orientation() const { return base()[2].orientation(); }
  Vector3 velocity() const { return base()[3].vector(); }
  Vector3 acceleration() const { return base()[4].vector(); }
  Orientation orientation_rate() const { return base()[5].orientation(); }

 private:
  Value base() const { return object_[1]; }
  Value object_;
};

class ViewReader {
 public:
  bool open(Bytes bytes) {
    zone_.clear();
    try {
      // Nothing can have more elements than the message has bytes.
      const msgpack::unpack_limit limit(bytes.size(), 0, 0, 0, 0, deepest);
      std::size_t end = 0;
      message_ = msgpack::unpack(zone_, reinterpret_cast<const char*>(bytes.data()), bytes.size(),
                                 end, nullptr, nullptr, limit);
      if (end != bytes.size()) return false;
    } catch (const msgpack::unpack_error&) {
      return false;
    }
    objects_ = Value(message_)[6][4];
    lidar_ = Value(message_)[10][0];
    reflections_ = lidar_[1];
    return message_.type == msgpack::type::ARRAY;
  }

  SensorViewHeader header() const {
    const Value view(message_), version = view[0], timestamp = view[1];
    return {.version = {part(version[0]), part(version[1]), part(version[2])},
            .timestamp = {static_cast<std::int64_t>(timestamp[0].integer()), part(timestamp[1])},
            .sensor_id = view[2].identifier(),
            .host_vehicle_id = view[7].identifier()};
  }
  LidarConfiguration lidar() const {
    const Value configuration = lidar_[0];
    return {.field_of_view_horizontal = configuration[3].real(),
            .field_of_view_vertical = configuration[4].real(),
            .mounting_position = configuration[1][0].vector()};
  }
  std::size_t object_count() const { return objects_.size(); }
  ObjectView object(std::size_t index) const { return ObjectView(objects_[index]); }
  std::size_t reflection_count() const { return reflections_.size(); }
  Reflection reflection(std::size_t index) const {
    const Value reflection = reflections_[index];
    return {reflection[1].real(), reflection[0].real()};
  }
  void release() {}

 private:
  static constexpr std::size_t deepest = 16;
  static constexpr std::size_t chunk = std::size_t{1} << 20U;

  static std::uint32_t part(Value value) { return static_cast<std::uint32_t>(value.integer()); }

  msgpack::zone zone_{chunk};
  msgpack::object message_;
  Value objects_, lidar_, reflections_;
};

class DataWriter {
 public:
  explicit DataWriter(Variant) {}

  void begin(const SensorDataHeader& header) {
    header_ = header;
    frames_.next();
    objects_.clear();
    object_count_ = 0;
    to_.emplace(frames_.current());
  }
  void begin_detections(std::size_t count) {
    to_->array(3);  // feature data
    to_->absent(2);
    to_->array(1);  // sensor
    to_->array(2);
    to_->absent(1);
    to_->array(count);
  }
  void add(Detection detection) {
    to_->array(3);
    to_->absent(2);
    to_->message(detection.distance, detection.azimuth, detection.elevation);
  }
  void add(const DetectedObject& object) {
    Packer to(objects_);
    to.array(8);
    to.array(6);  // header
    to.identifier(object.tracking_id);
    to.array(1);
    to.identifier(object.ground_truth_id);
    to.field(object.existence_probability);
    to.absent(1);
    to.field(measured);
    to.array(1);
    to.identifier(header_.sensor_id);
    to.message(object.dimension, object.position);
    to.absent(5);
    to.array(1);
    to.message(object.candidate_probability, object.type, object.vehicle);
    ++object_count_;
  }
  /// The detections are there; everything else of the data precedes them.
  void end() {
    Frame& frame = frames_.current();
    msgpack::sbuffer part(64);
    Packer behind(part);
    behind.absent(12);
    frame.prepend(part);
    frame.prepend(objects_);
    part.clear();
    Packer before(part);
    before.array(26);
    before.field(header_.version);
    before.field(header_.timestamp);
    before.absent(2);
    before.identifier(header_.sensor_id);
    before.absent(7);
    before.array(object_count_);
    frame.prepend(part);
  }
  Bytes serialize() { return frames_.current().bytes(); }
  void release() {}

 private:
  static constexpr int measured = 2;  // MEASUREMENT_STATE_MEASURED

  SensorDataHeader header_;
  Frames frames_;
  std::optional<Packer<Frame>> to_;
  msgpack::sbuffer objects_;
  std::size_t object_count_ = 0;
};

struct MessagePackCodec {
  using ViewWriter = messagepack::ViewWriter;
  using ViewReader = messagepack::ViewReader;
  using DataWriter = messagepack::DataWriter;
};

static_assert(Codec<MessagePackCodec>);

}  // namespace wirecost::messagepack
