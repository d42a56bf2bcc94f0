// SPDX-License-Identifier: Apache-2.0
// Roads and traffic in OSI's Protobuf classes, and back.
#pragma once

#include <cstring>
#include <stdexcept>

#include "bench/static/contender.hpp"
#include "wirecost/codec/field_of.hpp"
#include "wirecost/codec/protobuf.hpp"

namespace wirecost::bench::static_ {

inline void set(osi3::GroundTruth& out, const Roads& roads) {
  const auto set_ids = [](auto& ids, const std::vector<std::uint64_t>& values) {
    for (const std::uint64_t value : values) ids.Add()->set_value(value);
  };
  for (const Lane& lane : roads.lanes) {
    osi3::Lane& made = *out.add_lane();
    made.mutable_id()->set_value(lane.id);
    auto& about = *made.mutable_classification();
    about.set_type(static_cast<osi3::Lane::Classification::Type>(lane.type));
    for (const Vector3& point : lane.centerline) protobuf::set(*about.add_centerline(), point);
    set_ids(*about.mutable_left_adjacent_lane_id(), lane.left_lanes);
    set_ids(*about.mutable_right_adjacent_lane_id(), lane.right_lanes);
    set_ids(*about.mutable_left_lane_boundary_id(), lane.left_boundaries);
    set_ids(*about.mutable_right_lane_boundary_id(), lane.right_boundaries);
    for (const auto& [before, behind] : lane.pairing) {
      auto& pair = *about.add_lane_pairing();
      pair.mutable_antecessor_lane_id()->set_value(before);
      pair.mutable_successor_lane_id()->set_value(behind);
    }
  }
  for (const Boundary& boundary : roads.boundaries) {
    osi3::LaneBoundary& made = *out.add_lane_boundary();
    made.mutable_id()->set_value(boundary.id);
    auto& about = *made.mutable_classification();
    about.set_type(static_cast<osi3::LaneBoundary::Classification::Type>(boundary.type));
    about.set_color(static_cast<osi3::LaneBoundary::Classification::Color>(boundary.color));
    for (const BoundaryPoint& point : boundary.line) {
      auto& to = *made.add_boundary_line();
      protobuf::set(*to.mutable_position(), point.position);
      to.set_width(point.width), to.set_height(point.height);
    }
  }
}

inline Roads roads_of(const osi3::GroundTruth& truth) {
  const auto ids_of = [](const auto& ids) {
    std::vector<std::uint64_t> values;
    for (const auto& id : ids) values.push_back(id.value());
    return values;
  };
  Roads roads;
  for (const auto& lane : truth.lane()) {
    const auto& about = lane.classification();
    Lane made{.id = lane.id().value(), .type = about.type()};
    for (const auto& point : about.centerline()) made.centerline.push_back(protobuf::value(point));
    made.left_lanes = ids_of(about.left_adjacent_lane_id());
    made.right_lanes = ids_of(about.right_adjacent_lane_id());
    made.left_boundaries = ids_of(about.left_lane_boundary_id());
    made.right_boundaries = ids_of(about.right_lane_boundary_id());
    for (const auto& pair : about.lane_pairing())
      made.pairing.emplace_back(pair.antecessor_lane_id().value(),
                                pair.successor_lane_id().value());
    roads.lanes.push_back(std::move(made));
  }
  for (const auto& boundary : truth.lane_boundary()) {
    const auto& about = boundary.classification();
    Boundary made{.id = boundary.id().value(), .type = about.type(), .color = about.color()};
    for (const auto& point : boundary.boundary_line())
      made.line.push_back({protobuf::value(point.position()), point.width(), point.height()});
    roads.boundaries.push_back(std::move(made));
  }
  return roads;
}

inline MovingObject object_of(const auto& view) {
  return {.id = view.id(),
          .type = view.type(),
          .vehicle = view.vehicle(),
          .bbcenter_to_rear = view.bbcenter_to_rear(),
          .dimension = view.dimension(),
          .position = view.position(),
          .velocity = view.velocity(),
          .acceleration = view.acceleration(),
          .orientation = view.orientation(),
          .orientation_rate = view.orientation_rate()};
}

/// Sets all of the traffic but the objects.
inline void set_header(osi3::GroundTruth& out, const Traffic& traffic) {
  protobuf::set(*out.mutable_timestamp(), traffic.timestamp);
  out.mutable_host_vehicle_id()->set_value(traffic.host_vehicle_id);
}

inline void set(osi3::GroundTruth& out, const Traffic& traffic) {
  set_header(out, traffic);
  // Objects that are there are written over, as a simulator does that keeps its message.
  auto& objects = *out.mutable_moving_object();
  const int count = static_cast<int>(traffic.objects.size());
  while (objects.size() > count) objects.RemoveLast();
  while (objects.size() < count) objects.Add();
  for (int at = 0; at < count; ++at)
    protobuf::set(*objects.Mutable(at), traffic.objects[static_cast<std::size_t>(at)]);
}

inline Traffic traffic_of(const osi3::GroundTruth& truth) {
  Traffic traffic{.timestamp = {truth.timestamp().seconds(), truth.timestamp().nanos()},
                  .host_vehicle_id = truth.host_vehicle_id().value()};
  for (const auto& object : truth.moving_object())
    traffic.objects.push_back(object_of(protobuf::ObjectView(object)));
  return traffic;
}

inline double seen(const osi3::GroundTruth& traffic, const osi3::GroundTruth& roads,
                   std::size_t lane) {
  Seen seen;
  for (const auto& object : traffic.moving_object())
    seen.add(object_of(protobuf::ObjectView(object)));
  for (const auto& point : roads.lane(static_cast<int>(lane)).classification().centerline())
    seen.add(protobuf::value(point));
  return seen.sum();
}

inline void parse(osi3::GroundTruth& truth, Bytes message) {
  if (!truth.ParseFromArray(message.data(), static_cast<int>(message.size())))
    throw std::runtime_error("Protobuf cannot read the message");
}

/// Field of a GroundTruth that names static data (docs/formats/static-once.md).
inline constexpr std::uint32_t mark_field = (7U << 26) + 2;
/// Tag, length, and the two numbers: fixed64 version = 1, and sequence = 2 as ten bytes of varint.
inline constexpr std::size_t mark_size = 5 + 1 + 9 + 11;

inline void put(std::byte*& to, std::uint64_t value, std::size_t width) {
  for (std::size_t at = 0; at < width; ++at, value >>= 7)
    *to++ = static_cast<std::byte>((value & 0x7F) | (at + 1 < width ? 0x80 : 0));
}

inline void append_version(std::byte*& to, std::uint64_t version, std::size_t length) {
  put(to, std::uint64_t{mark_field} << 3 | 2, 5);
  put(to, length, 1);
  put(to, 1 << 3 | 1, 1);
  std::memcpy(to, &version, sizeof(version));
  to += sizeof(version);
}

/// Appends the field; the number has its full width, so that the size is always the same.
inline void append(std::byte*& to, const Mark& mark) {
  append_version(to, mark.version, mark_size - 6);
  put(to, 2 << 3, 1);
  put(to, mark.sequence, 10);
}

/// The complete message: roads, and that all but these fields is static data.
inline std::vector<std::byte> complete(const Roads& roads, std::uint64_t version,
                                       std::span<const std::uint32_t> kept) {
  osi3::GroundTruth truth;
  set(truth, roads);
  const std::size_t length = 9 + 2 + 2 + 5 * kept.size();
  std::vector<std::byte> message(truth.ByteSizeLong() + 6 + length);
  auto* to = reinterpret_cast<std::byte*>(
      truth.SerializeWithCachedSizesToArray(reinterpret_cast<std::uint8_t*>(message.data())));
  append_version(to, version, length);
  put(to, 3 << 3, 1), put(to, 1, 1);
  put(to, 4 << 3 | 2, 1), put(to, 5 * kept.size(), 1);
  for (const std::uint32_t field : kept) put(to, field, 5);
  return message;
}

/// Fields of a GroundTruth that are in every message: timestamp, host_vehicle_id, moving_object.
inline constexpr std::array<std::uint32_t, 3> moving_fields{2, 3, 5};

/// Throws std::runtime_error where a message names other static data than `version`, or is not
/// next.
inline void check(Bytes message, const Mark& expected) {
  const auto found = compiled::field_of(message, mark_field);
  std::array<std::byte, mark_size> bytes{};
  std::byte* to = bytes.data();
  append(to, expected);
  if (found.size() != mark_size - 6 || std::memcmp(found.data(), bytes.data() + 6, found.size()))
    throw std::runtime_error("the message names other static data, or one before it was lost");
}

}  // namespace wirecost::bench::static_
