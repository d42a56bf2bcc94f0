// SPDX-License-Identifier: Apache-2.0
// What a contender must offer. The models are templates over these four parts of a codec, so
// that nothing but the codec differs between two contenders.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>

#include "wirecost/message/detections.hpp"
#include "wirecost/message/scene.hpp"

namespace wirecost {

using Bytes = std::span<const std::byte>;

enum class Variant {
  same_work,  ///< the full message, the codec at its best
  published,  ///< the message and the code of the performance report, faults included
};

/// Writes one message a frame: begin, the lists, end, serialize, release.
///
/// `end` completes the content where a format needs that (generation); `serialize` yields the
/// bytes, valid until the second following call; `release` gives up what the frame held.
template <class W>
concept MessageWriter = requires(W w) {
  { w.end() };
  { w.serialize() } -> std::same_as<Bytes>;
  { w.release() };
};

template <class W>
concept SensorViewWriter =
    MessageWriter<W> && std::constructible_from<W, Variant> &&
    requires(W w, const SensorViewHeader& header, const MovingObject& object,
             const LidarConfiguration& lidar, Reflection reflection, std::size_t count) {
      { w.begin(header) };
      { w.add(object) };
      { w.begin_reflections(lidar, count) };
      { w.add(reflection) };
      { w.end_reflections() };
    };

template <class W>
concept SensorDataWriter =
    MessageWriter<W> && std::constructible_from<W, Variant> &&
    requires(W w, const SensorDataHeader& header, const DetectedObject& object, Detection detection,
             std::size_t count) {
      { w.begin(header) };
      { w.add(object) };
      { w.begin_detections(count) };
      { w.add(detection) };
    };

/// One moving object inside a received message, read field by field.
template <class O>
concept ObjectView = requires(const O o) {
  { o.id() } -> std::convertible_to<std::uint64_t>;
  { o.type() } -> std::convertible_to<int>;
  { o.vehicle() } -> std::same_as<VehicleClassification>;
  { o.bbcenter_to_rear() } -> std::same_as<Vector3>;
  { o.dimension() } -> std::same_as<Dimension>;
  { o.position() } -> std::same_as<Vector3>;
  { o.velocity() } -> std::same_as<Vector3>;
  { o.acceleration() } -> std::same_as<Vector3>;
  { o.orientation() } -> std::same_as<Orientation>;
  { o.orientation_rate() } -> std::same_as<Orientation>;
};

/// Reads one message a frame: open, read anything, release. Absent fields read as defaults.
template <class R>
concept SensorViewReader = requires(R r, const R c, Bytes bytes, std::size_t index) {
  { r.open(bytes) } -> std::same_as<bool>;
  { c.header() } -> std::same_as<SensorViewHeader>;
  { c.lidar() } -> std::same_as<LidarConfiguration>;
  { c.object_count() } -> std::convertible_to<std::size_t>;
  { c.object(index) } -> ObjectView;
  { c.reflection_count() } -> std::convertible_to<std::size_t>;
  { c.reflection(index) } -> std::same_as<Reflection>;
  { r.release() };
};

template <class C>
concept Codec =
    SensorViewWriter<typename C::ViewWriter> && SensorViewReader<typename C::ViewReader> &&
    SensorDataWriter<typename C::DataWriter>;

/// Every field of an object view, as a value.
MovingObject to_value(const ObjectView auto& object) {
  return {.id = object.id(),
          .type = object.type(),
          .vehicle = object.vehicle(),
          .bbcenter_to_rear = object.bbcenter_to_rear(),
          .dimension = object.dimension(),
          .position = object.position(),
          .velocity = object.velocity(),
          .acceleration = object.acceleration(),
          .orientation = object.orientation(),
          .orientation_rate = object.orientation_rate()};
}

/// Everything a reader delivers, as a value.
Scene to_scene(const SensorViewReader auto& reader) {
  Scene scene{.header = reader.header(), .objects = {}, .lidar = reader.lidar(), .reflections = {}};
  for (std::size_t i = 0; i < reader.object_count(); ++i)
    scene.objects.push_back(to_value(reader.object(i)));
  for (std::size_t i = 0; i < reader.reflection_count(); ++i)
    scene.reflections.push_back(reader.reflection(i));
  return scene;
}

/// The order of calls every source of sensor views keeps.
template <SensorViewWriter Writer>
void write(Writer& writer, const SensorViewHeader& header, const LidarConfiguration& lidar,
           const auto& reflections, const auto& objects) {
  writer.begin(header);
  writer.begin_reflections(lidar, reflections.size());
  const auto add = [&writer](const Reflection& reflection) { writer.add(reflection); };
  if constexpr (requires { reflections.each(add); })
    reflections.each(add);
  else
    for (const Reflection reflection : reflections) add(reflection);
  writer.end_reflections();
  for (const MovingObject& object : objects) writer.add(object);
  writer.end();
}

}  // namespace wirecost
