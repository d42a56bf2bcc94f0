// SPDX-License-Identifier: Apache-2.0
// The independent reader of bare arrays: where each number lies is written out here, after the
// description in codec/bare_arrays.hpp, so that nothing follows from the contender's structs.
#include <algorithm>
#include <cstring>
#include <string>

#include "wirecost/verify/reader.hpp"

namespace wirecost::verify {
namespace {

enum class Kind : std::uint8_t {
  real,         ///< double
  i32,          ///< int32
  u32,          ///< uint32
  u64,          ///< uint64
  vector,       ///< x, y, z, as the others below a message of numbers one behind the other
  dimension,    ///< length, width, height
  orientation,  ///< roll, pitch, yaw
  timestamp,    ///< seconds, nanoseconds
  version,      ///< major, minor, patch
  head_u64,     ///< uint64 of the head, repeated in each object
  constant,     ///< not stored
  lidar,        ///< the lidar, if the uint64 is 1 and not 0
  objects,      ///< as many objects as the uint64 counts
  columns,      ///< as many elements of columns as the uint64 counts
};

/// A value of the canonical form. `at`: bytes from the start of the head, object or message of
/// numbers; for an element of columns the number of its column; for a constant its value. "[0]": a
/// list of one.
struct Part {
  std::string_view path;
  Kind kind;
  std::size_t at;
};

using enum Kind;

constexpr Part vector_parts[] = {{"x", real, 0}, {"y", real, 8}, {"z", real, 16}};
constexpr Part dimension_parts[] = {{"height", real, 16}, {"length", real, 0}, {"width", real, 8}};
constexpr Part orientation_parts[] = {{"pitch", real, 8}, {"roll", real, 0}, {"yaw", real, 16}};
constexpr Part timestamp_parts[] = {{"nanos", u32, 8}, {"seconds", u64, 0}};
constexpr Part version_parts[] = {
    {"version_major", u32, 0}, {"version_minor", u32, 4}, {"version_patch", u32, 8}};

constexpr Part moving_object[] = {
    {"base.acceleration", vector, 120},
    {"base.dimension", dimension, 48},
    {"base.orientation", orientation, 144},
    {"base.orientation_rate", orientation, 168},
    {"base.position", vector, 72},
    {"base.velocity", vector, 96},
    {"id.value", u64, 0},
    {"type", i32, 8},
    {"vehicle_attributes.bbcenter_to_rear", vector, 24},
    {"vehicle_classification.light_state.brake_light_state", i32, 20},
    {"vehicle_classification.light_state.indicator_state", i32, 16},
    {"vehicle_classification.type", i32, 12},
};

constexpr Part reflection[] = {{"signal_strength", real, 1}, {"time_of_flight", real, 0}};

constexpr Part lidar_view[] = {
    {"reflection", columns, 104},
    {"view_configuration.field_of_view_horizontal", real, 48},
    {"view_configuration.field_of_view_vertical", real, 56},
    {"view_configuration.mounting_position.position", vector, 64},
};

constexpr Part sensor_view[] = {
    {"global_ground_truth.host_vehicle_id.value", u64, 40},
    {"global_ground_truth.moving_object", objects, 96},
    {"global_ground_truth.timestamp", timestamp, 16},
    {"host_vehicle_id.value", u64, 40},
    {"lidar_sensor_view", lidar, 88},
    {"sensor_id.value", u64, 32},
    {"timestamp", timestamp, 16},
    {"version", version, 0},
};

constexpr Part detected_object[] = {
    {"base.dimension", dimension, 48},
    {"base.position", vector, 24},
    {"candidate[0].probability", real, 88},
    {"candidate[0].type", i32, 72},
    {"candidate[0].vehicle_classification.light_state.brake_light_state", i32, 84},
    {"candidate[0].vehicle_classification.light_state.indicator_state", i32, 80},
    {"candidate[0].vehicle_classification.type", i32, 76},
    {"header.existence_probability", real, 16},
    {"header.ground_truth_id[0].value", u64, 8},
    {"header.measurement_state", constant, 2},  // MEASUREMENT_STATE_MEASURED
    {"header.sensor_id[0].value", head_u64, 32},
    {"header.tracking_id.value", u64, 0},
};

constexpr Part detection[] = {
    {"position.azimuth", real, 1}, {"position.distance", real, 0}, {"position.elevation", real, 2}};

constexpr Part sensor_data[] = {
    {"feature_data.lidar_sensor[0].detection", columns, 48},
    {"moving_object", objects, 40},
    {"sensor_id.value", u64, 32},
    {"timestamp", timestamp, 16},
    {"version", version, 0},
};

struct Layout {
  std::string_view name;
  std::span<const Part> head, object, element;
  std::size_t head_size, object_size, object_count_at, element_count_at, column_count;
};

constexpr Layout layouts[] = {
    {"SensorView", sensor_view, moving_object, reflection, 112, 192, 96, 104, 2},
    {"SensorData", sensor_data, detected_object, detection, 56, 96, 40, 48, 3},
};

// The canonical form wants fields in the order of their names.
constexpr bool sorted(std::span<const Part> parts) {
  return std::ranges::is_sorted(parts, {}, &Part::path);
}
static_assert(sorted(lidar_view));
static_assert(std::ranges::all_of(layouts, [](const Layout& layout) {
  return sorted(layout.head) && sorted(layout.object) && sorted(layout.element);
}));

constexpr std::size_t aligned(std::size_t size) { return (size + 63) / 64 * 64; }

/// Part p of element i lies at `first + p.at * scale + i * stride`.
struct Place {
  std::size_t first = 0, scale = 1, stride = 0;
};

class Walk {
 public:
  Walk(const Layout& layout, Bytes bytes, Canonical& out)
      : layout_(layout), bytes_(bytes), out_(out) {
    if (bytes.size() < layout.head_size) throw MalformedMessage("shorter than its head");
    const std::size_t object_count = at<std::uint64_t>(layout.object_count_at);
    const std::size_t element_count = at<std::uint64_t>(layout.element_count_at);
    // No list can have more elements than the message has bytes: what follows cannot overflow.
    if (object_count > bytes.size() || element_count > bytes.size())
      throw MalformedMessage("more elements than bytes");
    columns_ = {aligned(layout.head_size), aligned(element_count * sizeof(double)), sizeof(double)};
    objects_ = {columns_.first + layout.column_count * columns_.scale, 1, layout.object_size};
    if (objects_.first + object_count * objects_.stride != bytes.size())
      throw MalformedMessage("not as long as its counts say");
  }

  void fields(std::span<const Part> parts, const Place& place = {}, std::size_t index = 0) {
    std::vector<Open> open;  // the messages around a part, the outermost first
    for (const auto& [path, kind, at] : parts) {
      while (!open.empty() && !path.starts_with(open.back().path)) leave(open);
      std::size_t name = open.empty() ? 0 : open.back().path.size();
      for (std::size_t dot; (dot = path.find('.', name)) != path.npos; name = dot + 1)
        open.push_back(enter(path.substr(0, dot + 1), path.substr(name, dot - name)));
      const bool in_place = kind < Kind::head_u64;
      const std::size_t position =
          in_place ? place.first + at * place.scale + index * place.stride : at;
      value(path.substr(name), kind, position);
    }
    while (!open.empty()) leave(open);
  }

 private:
  struct Open {
    std::string_view path;  ///< with the dot behind it
    Canonical::Mark mark;
    bool element;
  };

  Open enter(std::string_view path, std::string_view name) {
    const bool element = name.ends_with("[0]");
    if (!element) return {path, out_.enter(name), false};
    out_.list(name.substr(0, name.size() - 3), 1);
    return {path, out_.enter({}), true};
  }
  void leave(std::vector<Open>& open) {
    if (open.back().element)
      out_.leave_element();
    else
      out_.leave(open.back().mark);
    open.pop_back();
  }

  void value(std::string_view name, Kind kind, std::size_t position) {
    switch (kind) {
      case real: out_.real(name, at<double>(position)); break;
      case i32: out_.integer(name, at<std::int32_t>(position)); break;
      case u32: out_.integer(name, at<std::uint32_t>(position)); break;
      case u64:
      case head_u64: out_.integer(name, at<std::int64_t>(position)); break;
      case vector: numbers(name, position, vector_parts); break;
      case dimension: numbers(name, position, dimension_parts); break;
      case orientation: numbers(name, position, orientation_parts); break;
      case timestamp: numbers(name, position, timestamp_parts); break;
      case version: numbers(name, position, version_parts); break;
      case constant: out_.integer(name, static_cast<std::int64_t>(position)); break;
      case lidar:
        if (at<std::uint64_t>(position) > 1) throw MalformedMessage("has more than one lidar");
        list(name, position, lidar_view, {});
        break;
      case objects: list(name, position, layout_.object, objects_); break;
      case columns: list(name, position, layout_.element, columns_); break;
    }
  }

  void numbers(std::string_view name, std::size_t position, std::span<const Part> parts) {
    const Canonical::Mark mark = out_.enter(name);
    fields(parts, {.first = position});
    out_.leave(mark);
  }

  void list(std::string_view name, std::size_t count_at, std::span<const Part> parts,
            const Place& place) {
    const std::size_t count = at<std::uint64_t>(count_at);
    if (count != 0) out_.list(name, count);
    for (std::size_t i = 0; i < count; ++i) {
      out_.enter({});
      fields(parts, place, i);
      out_.leave_element();
    }
  }

  template <class T>
  T at(std::size_t position) const {
    T value;
    std::memcpy(&value, bytes_.subspan(position, sizeof value).data(), sizeof value);
    return value;
  }

  const Layout& layout_;
  Bytes bytes_;
  Canonical& out_;
  Place objects_, columns_;
};

class Reader : public IndependentReader {
 public:
  Canonical read(std::string_view name, Bytes bytes) const override {
    const auto* const layout = std::ranges::find(layouts, name, &Layout::name);
    if (layout == std::end(layouts)) throw MalformedMessage("no message " + std::string(name));
    Canonical out;
    Walk(*layout, bytes, out).fields(layout->head);
    return out;
  }
};

}  // namespace

std::unique_ptr<IndependentReader> arrays_reader(std::string_view) {
  return std::make_unique<Reader>();
}

}  // namespace wirecost::verify
