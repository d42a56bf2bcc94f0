// SPDX-License-Identifier: Apache-2.0
// osi3.RadarSensorView.Reflection: what a simulator's ray tracer hands to a radar model.
#include "bench/repeated/fields/osi.hpp"
#include "bench/repeated/repeated_fields.hpp"
#include "osi3/osi_sensorview.columns.hpp"
#include "osi3/osi_sensorview.pb.h"

namespace wirecost::bench::repeated {
namespace {

struct Reflection {
  double signal_strength = 0;          // decibel
  double time_of_flight = 0;           // seconds
  double doppler_shift = 0;            // hertz
  double source_horizontal_angle = 0;  // radians
  double source_vertical_angle = 0;    // radians
};

using Table = our_osi::RadarSensorViewReflectionColumns;

struct Reflections {
  using Element = Reflection;
  using Table = repeated::Table;
  static constexpr const char* name = "radar-reflection";
  static constexpr const char* message = "osi3.RadarSensorView";
  static constexpr std::uint32_t rows = 2;
  static constexpr std::tuple fields{
      WIRECOST_FIELD(signal_strength, signal_strength, of_level),
      WIRECOST_FIELD(time_of_flight, time_of_flight, of_flight),
      WIRECOST_FIELD(doppler_shift, doppler_shift, within(0.1)),
      WIRECOST_FIELD(source_horizontal_angle, source_horizontal_angle, of_angle),
      WIRECOST_FIELD(source_vertical_angle, source_vertical_angle, of_angle)};

  struct Google {
    using Message = google_osi::RadarSensorView;
    static auto& rows(Message& m) { return *m.mutable_reflection(); }
    static auto& add(Message& m) { return *m.add_reflection(); }
    static void fill(const Reflection& from, google_osi::RadarSensorView::Reflection& to) {
      to.set_signal_strength(from.signal_strength);
      to.set_time_of_flight(from.time_of_flight);
      to.set_doppler_shift(from.doppler_shift);
      to.set_source_horizontal_angle(from.source_horizontal_angle);
      to.set_source_vertical_angle(from.source_vertical_angle);
    }
    static Reflection value(const google_osi::RadarSensorView::Reflection& from) {
      return {from.signal_strength(), from.time_of_flight(), from.doppler_shift(),
              from.source_horizontal_angle(), from.source_vertical_angle()};
    }
  };

  struct Wirecost {
    using Message = our_osi::RadarSensorView;
    using View = our_osi::protobuf::RadarSensorViewView;
    static auto& rows(auto& m) { return m.reflection; }
    static void fill(const Reflection& from, our_osi::RadarSensorView_Reflection& to) {
      to.signal_strength = from.signal_strength;
      to.time_of_flight = from.time_of_flight;
      to.doppler_shift = from.doppler_shift;
      to.source_horizontal_angle = from.source_horizontal_angle;
      to.source_vertical_angle = from.source_vertical_angle;
    }
    static Reflection value(const auto& from) {
      return {from.signal_strength.value_or(0), from.time_of_flight.value_or(0),
              from.doppler_shift.value_or(0), from.source_horizontal_angle.value_or(0),
              from.source_vertical_angle.value_or(0)};
    }
  };

  struct Flat {
    using Message = flat_osi::RadarSensorView;
    using Row = flat_osi::RadarSensorView_Reflection;
    static auto make(flatbuffers::FlatBufferBuilder& out, const Reflection& from) {
      return flat_osi::CreateRadarSensorView_Reflection(
          out, from.signal_strength, from.time_of_flight, from.doppler_shift,
          from.source_horizontal_angle, from.source_vertical_angle);
    }
    static auto finish(flatbuffers::FlatBufferBuilder& out, auto rows) {
      return flat_osi::CreateRadarSensorView(out, 0, rows);
    }
    static auto* rows(const Message& m) { return m.reflection(); }
    static Reflection value(const Row& from) {
      return {from.signal_strength(), from.time_of_flight(), from.doppler_shift(),
              from.source_horizontal_angle(), from.source_vertical_angle()};
    }
  };
};

}  // namespace

RepeatedField radar_reflection() { return describe<Reflections>(&osi_contenders<Reflections>); }

}  // namespace wirecost::bench::repeated
