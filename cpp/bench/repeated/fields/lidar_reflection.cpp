// SPDX-License-Identifier: Apache-2.0
// osi3.LidarSensorView.Reflection: what a ray tracer, or a real scan, hands to a lidar model.
#include "bench/repeated/fields/osi.hpp"
#include "bench/repeated/repeated_fields.hpp"
#include "osi3/osi_sensorview.columns.hpp"
#include "osi3/osi_sensorview.pb.h"

namespace wirecost::bench::repeated {
namespace {

struct Reflection {
  double signal_strength = 0;  // decibel
  double time_of_flight = 0;   // seconds
};

using Table = our_osi::LidarSensorViewReflectionColumns;

struct Reflections {
  using Element = Reflection;
  using Table = repeated::Table;
  static constexpr const char* name = "lidar-reflection";
  static constexpr const char* message = "osi3.LidarSensorView";
  static constexpr std::uint32_t rows = 2;
  static constexpr std::tuple fields{WIRECOST_FIELD(signal_strength, signal_strength, of_level),
                                     WIRECOST_FIELD(time_of_flight, time_of_flight, of_flight)};

  struct Google {
    using Message = google_osi::LidarSensorView;
    static auto& rows(Message& m) { return *m.mutable_reflection(); }
    static auto& add(Message& m) { return *m.add_reflection(); }
    static void fill(const Reflection& from, google_osi::LidarSensorView::Reflection& to) {
      to.set_signal_strength(from.signal_strength);
      to.set_time_of_flight(from.time_of_flight);
    }
    static Reflection value(const google_osi::LidarSensorView::Reflection& from) {
      return {from.signal_strength(), from.time_of_flight()};
    }
  };

  struct Wirecost {
    using Message = our_osi::LidarSensorView;
    using View = our_osi::protobuf::LidarSensorViewView;
    static auto& rows(auto& m) { return m.reflection; }
    static void fill(const Reflection& from, our_osi::LidarSensorView_Reflection& to) {
      to.signal_strength = from.signal_strength;
      to.time_of_flight = from.time_of_flight;
    }
    static Reflection value(const auto& from) {
      return {from.signal_strength.value_or(0), from.time_of_flight.value_or(0)};
    }
  };

  struct Flat {
    using Message = flat_osi::LidarSensorView;
    using Row = flat_osi::LidarSensorView_Reflection;
    static auto make(flatbuffers::FlatBufferBuilder& out, const Reflection& from) {
      return flat_osi::CreateLidarSensorView_Reflection(out, from.signal_strength,
                                                        from.time_of_flight);
    }
    static auto finish(flatbuffers::FlatBufferBuilder& out, auto rows) {
      return flat_osi::CreateLidarSensorView(out, 0, rows);
    }
    static auto* rows(const Message& m) { return m.reflection(); }
    static Reflection value(const Row& from) {
      return {from.signal_strength(), from.time_of_flight()};
    }
  };
};

}  // namespace

RepeatedField lidar_reflection() { return describe<Reflections>(&osi_contenders<Reflections>); }

}  // namespace wirecost::bench::repeated
