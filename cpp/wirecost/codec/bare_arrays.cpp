// SPDX-License-Identifier: Apache-2.0
// The reader that proves the floor's messages hold what the others' hold, in OSI's names.
#include "wirecost/codec/bare_arrays.hpp"

#include "wirecost/codec/independent_readers.hpp"

namespace wirecost::bare {
namespace {

constexpr std::int64_t measured = 2;  // DetectedItemHeader.MEASUREMENT_STATE_MEASURED

class Form {
 public:
  explicit Form(Canonical& out) : out_(out) {}

  // Fields stand in the order of their names.
  void message(std::string_view name, const auto& content) {
    const auto mark = out_.enter(name);
    content();
    out_.leave(mark);
  }
  void set(std::string_view name, const Vector3& v) { reals(name, "x", v.x, "y", v.y, "z", v.z); }
  void set(std::string_view name, const Dimension& d) {
    reals(name, "height", d.height, "length", d.length, "width", d.width);
  }
  void set(std::string_view name, const Orientation& o) {
    reals(name, "pitch", o.pitch, "roll", o.roll, "yaw", o.yaw);
  }
  void set(std::string_view name, const Timestamp& t) {
    message(name, [&] {
      out_.integer("nanos", t.nanos);
      out_.integer("seconds", t.seconds);
    });
  }
  void identifier(std::string_view name, std::uint64_t value) {
    message(name, [&] { out_.integer("value", static_cast<std::int64_t>(value)); });
  }
  void identifiers(std::string_view name, std::uint64_t value) {
    out_.list(name, 1);
    out_.enter({});
    out_.integer("value", static_cast<std::int64_t>(value));
    out_.leave_element();
  }
  void version(const std::array<std::uint32_t, 3>& v) {
    message("version", [&] {
      out_.integer("version_major", v[0]);
      out_.integer("version_minor", v[1]);
      out_.integer("version_patch", v[2]);
    });
  }
  void vehicle(const VehicleClassification& v) {
    message("vehicle_classification", [&] {
      message("light_state", [&] {
        out_.integer("brake_light_state", v.brake_light_state);
        out_.integer("indicator_state", v.indicator_state);
      });
      out_.integer("type", v.type);
    });
  }

  void object(const MovingObject& o) {
    out_.enter({});
    message("base", [&] {
      set("acceleration", o.acceleration);
      set("dimension", o.dimension);
      set("orientation", o.orientation);
      set("orientation_rate", o.orientation_rate);
      set("position", o.position);
      set("velocity", o.velocity);
    });
    identifier("id", o.id);
    out_.integer("type", o.type);
    message("vehicle_attributes", [&] { set("bbcenter_to_rear", o.bbcenter_to_rear); });
    vehicle(o.vehicle);
    out_.leave_element();
  }

  void object(const DetectedObject& o, std::uint64_t sensor_id) {
    out_.enter({});
    message("base", [&] {
      set("dimension", o.dimension);
      set("position", o.position);
    });
    out_.list("candidate", 1);
    out_.enter({});
    out_.real("probability", o.candidate_probability);
    out_.integer("type", o.type);
    vehicle(o.vehicle);
    out_.leave_element();
    message("header", [&] {
      out_.real("existence_probability", o.existence_probability);
      identifiers("ground_truth_id", o.ground_truth_id);
      out_.integer("measurement_state", measured);
      identifiers("sensor_id", sensor_id);
      identifier("tracking_id", o.tracking_id);
    });
    out_.leave_element();
  }

 private:
  void reals(std::string_view name, const char* a, double av, const char* b, double bv,
             const char* c, double cv) {
    message(name, [&] {
      out_.real(a, av);
      out_.real(b, bv);
      out_.real(c, cv);
    });
  }

  Canonical& out_;
};

template <class Head>
Head head_of(Bytes bytes) {
  Head head;
  if (bytes.size() < sizeof head) throw MalformedMessage("shorter than its head");
  std::memcpy(&head, bytes.data(), sizeof head);
  // No array can hold more than the message has bytes: what follows cannot overflow.
  if (head.objects > bytes.size()) throw MalformedMessage("more objects than bytes");
  return head;
}

template <class Layout>
void check(Bytes bytes, const Layout& layout, std::size_t objects) {
  if (layout.count > bytes.size() || layout.size(objects) != bytes.size())
    throw MalformedMessage("not as long as its counts say");
}

template <class T>
T at(Bytes bytes, std::size_t offset, std::size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + offset + index * sizeof value, sizeof value);
  return value;
}

class Reader : public IndependentReader {
 public:
  Canonical read(std::string_view name, Bytes bytes) const override {
    Canonical out;
    if (name == "SensorView")
      view(bytes, out);
    else if (name == "SensorData")
      data(bytes, out);
    else
      throw MalformedMessage("no message " + std::string(name));
    return out;
  }

 private:
  static void view(Bytes bytes, Canonical& out) {
    const auto head = head_of<ViewHead>(bytes);
    const ViewLayout layout{.count = head.reflections};
    check(bytes, layout, head.objects);
    Form form(out);
    form.message("global_ground_truth", [&] {
      form.identifier("host_vehicle_id", head.header.host_vehicle_id);
      if (head.objects != 0) out.list("moving_object", head.objects);
      for (std::size_t i = 0; i < head.objects; ++i)
        form.object(at<MovingObject>(bytes, layout.objects(), i));
      form.set("timestamp", head.header.timestamp);
    });
    form.identifier("host_vehicle_id", head.header.host_vehicle_id);
    if (head.has_lidar != 0) {
      out.list("lidar_sensor_view", 1);
      out.enter({});
      if (head.reflections != 0) out.list("reflection", head.reflections);
      for (std::size_t i = 0; i < head.reflections; ++i) {
        out.enter({});
        out.real("signal_strength", at<double>(bytes, layout.column(1), i));
        out.real("time_of_flight", at<double>(bytes, layout.column(0), i));
        out.leave_element();
      }
      form.message("view_configuration", [&] {
        out.real("field_of_view_horizontal", head.lidar.field_of_view_horizontal);
        out.real("field_of_view_vertical", head.lidar.field_of_view_vertical);
        form.message("mounting_position",
                     [&] { form.set("position", head.lidar.mounting_position); });
      });
      out.leave_element();
    }
    form.identifier("sensor_id", head.header.sensor_id);
    form.set("timestamp", head.header.timestamp);
    form.version(head.header.version);
  }

  static void data(Bytes bytes, Canonical& out) {
    const auto head = head_of<DataHead>(bytes);
    const DataLayout layout{.count = head.detections};
    check(bytes, layout, head.objects);
    Form form(out);
    form.message("feature_data", [&] {
      out.list("lidar_sensor", 1);
      out.enter({});
      if (head.detections != 0) out.list("detection", head.detections);
      for (std::size_t i = 0; i < head.detections; ++i) {
        out.enter({});
        form.message("position", [&] {
          out.real("azimuth", at<double>(bytes, layout.column(1), i));
          out.real("distance", at<double>(bytes, layout.column(0), i));
          out.real("elevation", at<double>(bytes, layout.column(2), i));
        });
        out.leave_element();
      }
      out.leave_element();
    });
    if (head.objects != 0) out.list("moving_object", head.objects);
    for (std::size_t i = 0; i < head.objects; ++i)
      form.object(at<DetectedObject>(bytes, layout.objects(), i), head.header.sensor_id);
    form.identifier("sensor_id", head.header.sensor_id);
    form.set("timestamp", head.header.timestamp);
    form.version(head.header.version);
  }
};

}  // namespace

std::unique_ptr<IndependentReader> make_reader() { return std::make_unique<Reader>(); }

}  // namespace wirecost::bare
