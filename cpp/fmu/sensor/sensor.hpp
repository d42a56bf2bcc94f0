// SPDX-License-Identifier: Apache-2.0
// OSMPDummySensor: the objects in view, and a lidar detection of every 18th reflection.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "osmp/step_log.hpp"
#include "sensor/geometry.hpp"
#include "sensor/read_sum.hpp"
#include "sensor/variables.hpp"

namespace wirecost::fmu {

template <Codec C>
class Sensor : public Model {
 public:
  Sensor(Variables& variables, const std::string& identity)
      : variables_(variables),
        variant_(variables.booleans[sensor::published] ? Variant::published : Variant::same_work),
        reads_all_(variables.booleans[sensor::read_all] != 0),
        writer_(variant_),
        log_(identity, variables.strings[sensor::log_folder]) {}

  std::string step(double current, double step_size) override {
    const double time = current + step_size;
    const Bytes input = variables_.message(sensor::sensor_view_in);
    if (input.empty()) return no_output(input);
    StepEvents events;
    events.mark(Event::start_osi_deserialize, LoggedMessage::sensor_view);
    if (!reader_.open(input)) return no_output(input);
    events.mark(Event::stop_osi_deserialize, LoggedMessage::sensor_view);
    const int found = calculate(time);
    events.mark(Event::start_osi_serialize, LoggedMessage::sensor_data);
    const Bytes output = writer_.serialize();
    const bool fits = variables_.set_message(sensor::sensor_data_out, output);
    variables_.booleans[sensor::valid] = fits;
    variables_.integers[sensor::count] = found;
    events.mark(Event::stop_osi_serialize, LoggedMessage::sensor_data);
    reader_.release();
    writer_.release();
    events.mark(Event::stop_release, LoggedMessage::sensor_data);
    log_.keep(events, time, {input.size(), output.size()});
    return fits ? "" : "the sensor data is 2 GiB or longer";
  }

  std::string finish() override { return log_.write(); }

 private:
  static constexpr std::size_t rays_per_beam = 18, rays_per_layer = 8640;

  /// As the published model: a step without a readable message yields no output.
  std::string no_output(Bytes input) {
    variables_.set_message(sensor::sensor_data_out, {});
    variables_.booleans[sensor::valid] = false;
    variables_.integers[sensor::count] = 0;
    return input.empty() ? ""
                         : "OSMPSensorViewIn: " + std::to_string(input.size()) +
                               " bytes that are no SensorView of this codec";
  }

  int calculate(double time) {
    const SensorViewHeader header = reader_.header();
    begin(header, time);
    detect_reflections();
    if (variant_ == Variant::published) {
      if constexpr (requires { writer_.embed(reader_); }) {
        writer_.clear();  // the published model lost its detections here …
        begin(header, time);
        writer_.embed(reader_);  // … and sent its whole input on
      }
    }
    const int found = detect_objects(header.host_vehicle_id);
    writer_.end();
    return found;
  }

  void begin(const SensorViewHeader& header, double time) {
    writer_.begin(SensorDataHeader{.version = header.version,
                                   .timestamp = Timestamp::from_seconds(time),
                                   .sensor_id = header.sensor_id});
  }

  static Detection detection(std::size_t layer, std::size_t column, const Reflection& reflection) {
    constexpr double half_speed_of_light = 299'792'458.0 / 2;
    constexpr double degree = std::numbers::pi / 180;
    return {.distance = reflection.time_of_flight * half_speed_of_light,
            .azimuth = static_cast<double>(column) * 0.2 * degree,
            .elevation = (static_cast<double>(layer) * 0.3 - 5) * degree};
  }

  void detect_reflections() {
    const std::size_t count = reader_.reflection_count();
    writer_.begin_detections((count + rays_per_beam - 1) / rays_per_beam);
    if constexpr (requires { reader_.copied_reflection(0); }) {
      if (variant_ == Variant::published) {
        for (std::size_t i = 0; i < count; ++i)
          if (const Reflection copy = reader_.copied_reflection(i); i % rays_per_beam == 0)
            writer_.add(detection(i / rays_per_layer, i % rays_per_layer, copy));
        return;
      }
    }
    if (reads_all_) {
      detect_reading_all(count);
      return;
    }
    // Row by row, so that no ray has to be divided into row and column.
    for (std::size_t row = 0, first = 0; first < count; ++row, first += rays_per_layer) {
      const std::size_t rays = std::min(rays_per_layer, count - first);
      for (std::size_t column = 0; column < rays; column += rays_per_beam)
        writer_.add(detection(row, column, reader_.reflection(first + column)));
    }
  }

  /// The same detections. Apart, for within the other loop it would slow that down even unused.
  [[gnu::noinline]] void detect_reading_all(std::size_t count) {
    ReadSum sum;
    for (std::size_t row = 0, first = 0; first < count; ++row, first += rays_per_layer) {
      const std::size_t rays = std::min(rays_per_layer, count - first);
      for (std::size_t column = 0; column < rays; column += rays_per_beam) {
        const Reflection reflection = reader_.reflection(first + column);
        writer_.add(detection(row, column, reflection));
        sum.add(reflection);
        const std::size_t end = std::min(column + rays_per_beam, rays);
        for (std::size_t ray = column + 1; ray < end; ++ray)
          sum.add(reader_.reflection(first + ray));
      }
    }
    variables_.integers[sensor::read_sum] = sum.folded();
  }

  int detect_objects(std::uint64_t ego_id) {
    const double range = variables_.reals[sensor::nominal_range] * 1.1;
    constexpr double cos_half_view = 0.866025;  // ±30°
    const std::size_t count = reader_.object_count();
    Vector3 ego_position, ego_rear;
    Orientation ego_orientation;
    for (std::size_t i = 0; i < count; ++i)
      if (const auto object = reader_.object(i); object.id() == ego_id) {
        ego_position = object.position();
        ego_orientation = object.orientation();
        ego_rear = object.bbcenter_to_rear();
        break;
      }
    const IntoFrame into_ego(ego_orientation);
    const Vector3 mounting = reader_.lidar().mounting_position;
    int found = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto object = reader_.object(i);
      const std::uint64_t id = object.id();
      if (id == ego_id) continue;
      const Vector3 position = into_ego(object.position() - ego_position) - ego_rear - mounting;
      const double distance = length(position);
      if (distance > range || !(position.x / distance > cos_half_view)) continue;
      writer_.add(DetectedObject{.tracking_id = static_cast<std::uint64_t>(found),
                                 .ground_truth_id = id,
                                 .existence_probability = std::cos((2 * distance - range) / range),
                                 .position = position,
                                 .dimension = object.dimension(),
                                 .type = object.type(),
                                 .vehicle = object.vehicle(),
                                 .candidate_probability = 1});
      ++found;
    }
    return found;
  }

  Variables& variables_;
  Variant variant_;
  bool reads_all_;
  typename C::ViewReader reader_;
  typename C::DataWriter writer_;
  StepLog log_;
};

}  // namespace wirecost::fmu
