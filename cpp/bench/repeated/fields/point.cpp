// SPDX-License-Identifier: Apache-2.0
// lists_msgs/Point, a ROS record as in a PointCloud2: Protobuf, ros1 and columns of one schema.
#include "bench/repeated/contenders/columns.hpp"
#include "bench/repeated/contenders/columns_reduced.hpp"
#include "bench/repeated/contenders/floors.hpp"
#include "bench/repeated/contenders/google_protobuf.hpp"
#include "bench/repeated/contenders/wirecost_rows.hpp"
#include "bench/repeated/repeated_fields.hpp"
#include "google/points.pb.h"
#include "lists_msgs/point.columns.hpp"
#include "lists_msgs/points.protobuf.hpp"
#include "lists_msgs/points.ros1.hpp"

namespace wirecost::bench::repeated {
namespace {

namespace ours = ::wire::lists_msgs;

struct Plain {
  float x = 0, y = 0, z = 0;  // metres
  float intensity = 0;
  std::uint16_t ring = 0;
  std::uint8_t return_type = 0;
  std::uint32_t time = 0;  // nanoseconds
};

using Table = ours::PointColumns;

struct Points {
  using Element = Plain;
  using Table = repeated::Table;
  static constexpr const char* name = "point";
  static constexpr const char* message = "lists_msgs.Points";
  static constexpr std::uint32_t rows = 1;
  static constexpr std::tuple fields{
      WIRECOST_FIELD(x, x, of_length),      WIRECOST_FIELD(y, y, of_length),
      WIRECOST_FIELD(z, z, of_length),      WIRECOST_FIELD(intensity, intensity, of_percent),
      WIRECOST_FIELD(ring, ring, lossless), WIRECOST_FIELD(return_type, return_type, lossless),
      WIRECOST_FIELD(time, time, lossless)};

  struct Google {
    using Message = ::lists_msgs::Points;
    static auto& rows(Message& m) { return *m.mutable_points(); }
    static auto& add(Message& m) { return *m.add_points(); }
    static void fill(const Plain& from, ::lists_msgs::Point& to) {
      to.set_x(from.x), to.set_y(from.y), to.set_z(from.z);
      to.set_intensity(from.intensity);
      to.set_ring(from.ring);
      to.set_return_type(from.return_type);
      to.set_time(from.time);
    }
    static Plain value(const ::lists_msgs::Point& from) {
      return {from.x(),
              from.y(),
              from.z(),
              from.intensity(),
              static_cast<std::uint16_t>(from.ring()),
              static_cast<std::uint8_t>(from.return_type()),
              from.time()};
    }
  };

  struct Wirecost {
    using Message = ours::Points;
    static auto& rows(auto& m) { return m.points; }
    static void fill(const Plain& from, ours::Point& to) {
      to.x = from.x, to.y = from.y, to.z = from.z;
      to.intensity = from.intensity;
      to.ring = from.ring;
      to.return_type = from.return_type;
      to.time = from.time;
    }
    static Plain value(const auto& from) {
      return {from.x, from.y, from.z, from.intensity, from.ring, from.return_type, from.time};
    }
  };
};

struct ProtobufFunctions {
  using View = ours::protobuf::PointsView;
  static std::size_t encoded_size(const ours::Points& m) { return ours::protobuf::encoded_size(m); }
  static auto encode(const ours::Points& m, std::span<std::byte> out) {
    return ours::protobuf::encode(m, out);
  }
  static auto decode(std::span<const std::byte> in, ours::Points& m) {
    return ours::protobuf::decode(in, m);
  }
  static auto view(std::span<const std::byte> in, View& m) { return ours::protobuf::view(in, m); }
};

struct Ros1Functions {
  using View = ours::ros1::PointsView;
  static std::size_t encoded_size(const ours::Points& m) { return ours::ros1::encoded_size(m); }
  static auto encode(const ours::Points& m, std::span<std::byte> out) {
    return ours::ros1::encode(m, out);
  }
  static auto decode(std::span<const std::byte> in, ours::Points& m) {
    return ours::ros1::decode(in, m);
  }
  static auto view(std::span<const std::byte> in, View& m) { return ours::ros1::view(in, m); }
};

Contenders contenders() {
  Contenders all;
  add_google_protobuf<Points>(all);
  add_wirecost_rows<Points, ProtobufFunctions>(all, "wirecost-protobuf", "protobuf");
  add_wirecost_rows<Points, Ros1Functions>(all, "wirecost-ros1", "ros1");
  add_columns<Points>(all);
  add_columns_reduced<Points>(all);
  add_floors<Points>(all);
  return all;
}

}  // namespace

RepeatedField point() { return describe<Points>(&contenders); }

}  // namespace wirecost::bench::repeated
