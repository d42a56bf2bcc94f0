// SPDX-License-Identifier: Apache-2.0
// FlatBuffers, every message a table: everything in each message, and static data once.
#include <cstring>
#include <stdexcept>

#include "bench/static/contender.hpp"
#include "osi_table_generated.h"
#include "wirecost/codec/flatbuffers_reader.hpp"

namespace wirecost::bench::static_ {
namespace {

namespace osi = osi_table;
using flatbuffer::FlatBufferBuilder;
using flatbuffer::make;
using flatbuffer::make_table;
using flatbuffers::Offset;

WIRECOST_OSI_SCHEMA(Tables, osi_table);

struct RoadOffsets {
  Offset<flatbuffers::Vector<Offset<osi::Lane>>> lanes;
  Offset<flatbuffers::Vector<Offset<osi::LaneBoundary>>> boundaries;
};

/// Writes roads; its lists of offsets keep their memory.
class RoadWriter {
 public:
  RoadOffsets write(FlatBufferBuilder& out, const Roads& roads) {
    lanes_.clear(), boundaries_.clear();
    for (const Lane& lane : roads.lanes) lanes_.push_back(write(out, lane));
    for (const Boundary& boundary : roads.boundaries) boundaries_.push_back(write(out, boundary));
    return {out.CreateVector(lanes_), out.CreateVector(boundaries_)};
  }

 private:
  auto ids(FlatBufferBuilder& out, const std::vector<std::uint64_t>& values) {
    ids_.clear();
    for (const std::uint64_t value : values)
      ids_.push_back(flatbuffer::make_id<Tables>(out, value));
    return out.CreateVector(ids_);
  }

  Offset<osi::Lane> write(FlatBufferBuilder& out, const Lane& lane) {
    points_.clear(), pairs_.clear();
    for (const Vector3& point : lane.centerline) points_.push_back(make<Tables>(out, point));
    const auto line = out.CreateVector(points_);
    for (const auto& [before, behind] : lane.pairing) {
      const auto first = flatbuffer::make_id<Tables>(out, before);
      const auto second = flatbuffer::make_id<Tables>(out, behind);
      pairs_.push_back(make_table<osi::Lane_Classification_LanePairing>(
          out, [&](auto& b) { b.add_antecessor_lane_id(first), b.add_successor_lane_id(second); }));
    }
    const auto pairing = out.CreateVector(pairs_);
    const auto left = ids(out, lane.left_lanes), right = ids(out, lane.right_lanes);
    const auto left_boundaries = ids(out, lane.left_boundaries);
    const auto right_boundaries = ids(out, lane.right_boundaries);
    const auto about = make_table<osi::Lane_Classification>(out, [&](auto& b) {
      b.add_type(static_cast<osi::Lane_Classification_Type>(lane.type));
      b.add_centerline(line), b.add_lane_pairing(pairing);
      b.add_left_adjacent_lane_id(left), b.add_right_adjacent_lane_id(right);
      b.add_left_lane_boundary_id(left_boundaries), b.add_right_lane_boundary_id(right_boundaries);
    });
    const auto id = flatbuffer::make_id<Tables>(out, lane.id);
    return make_table<osi::Lane>(out, [&](auto& b) { b.add_id(id), b.add_classification(about); });
  }

  Offset<osi::LaneBoundary> write(FlatBufferBuilder& out, const Boundary& boundary) {
    line_.clear();
    for (const BoundaryPoint& point : boundary.line) {
      const auto position = make<Tables>(out, point.position);
      line_.push_back(make_table<osi::LaneBoundary_BoundaryPoint>(out, [&](auto& b) {
        b.add_position(position), b.add_width(point.width), b.add_height(point.height);
      }));
    }
    const auto line = out.CreateVector(line_);
    const auto about = make_table<osi::LaneBoundary_Classification>(out, [&](auto& b) {
      b.add_type(static_cast<osi::LaneBoundary_Classification_Type>(boundary.type));
      b.add_color(static_cast<osi::LaneBoundary_Classification_Color>(boundary.color));
    });
    const auto id = flatbuffer::make_id<Tables>(out, boundary.id);
    return make_table<osi::LaneBoundary>(out, [&](auto& b) {
      b.add_id(id), b.add_boundary_line(line), b.add_classification(about);
    });
  }

  std::vector<Offset<osi::Lane>> lanes_;
  std::vector<Offset<osi::LaneBoundary>> boundaries_;
  std::vector<Offset<osi::Vector3d>> points_;
  std::vector<Offset<osi::Identifier>> ids_;
  std::vector<Offset<osi::Lane_Classification_LanePairing>> pairs_;
  std::vector<Offset<osi::LaneBoundary_BoundaryPoint>> line_;
};

Bytes finished(FlatBufferBuilder& out, Offset<osi::GroundTruth> truth) {
  out.Finish(truth);
  return std::as_bytes(std::span(out.GetBufferPointer(), out.GetSize()));
}

const osi::GroundTruth& root(Bytes message) {
  return *flatbuffers::GetRoot<osi::GroundTruth>(message.data());
}

MovingObject object_of(const osi::MovingObject* in) {
  const flatbuffer::ObjectView<Tables> view(in);
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

Roads roads_of(const osi::GroundTruth& truth) {
  const auto ids_of = [](const auto* ids) {
    std::vector<std::uint64_t> values;
    for (const auto* id : *ids) values.push_back(flatbuffer::id_value(id));
    return values;
  };
  Roads roads;
  for (const auto* lane : *truth.lane()) {
    const auto& about = *lane->classification();
    Lane made{.id = flatbuffer::id_value(lane->id()), .type = static_cast<int>(about.type())};
    for (const auto* point : *about.centerline())
      made.centerline.push_back(flatbuffer::vector_value(point));
    made.left_lanes = ids_of(about.left_adjacent_lane_id());
    made.right_lanes = ids_of(about.right_adjacent_lane_id());
    made.left_boundaries = ids_of(about.left_lane_boundary_id());
    made.right_boundaries = ids_of(about.right_lane_boundary_id());
    for (const auto* pair : *about.lane_pairing())
      made.pairing.emplace_back(flatbuffer::id_value(pair->antecessor_lane_id()),
                                flatbuffer::id_value(pair->successor_lane_id()));
    roads.lanes.push_back(std::move(made));
  }
  for (const auto* boundary : *truth.lane_boundary()) {
    const auto& about = *boundary->classification();
    Boundary made{.id = flatbuffer::id_value(boundary->id()),
                  .type = static_cast<int>(about.type()),
                  .color = static_cast<int>(about.color())};
    for (const auto* point : *boundary->boundary_line())
      made.line.push_back(
          {flatbuffer::vector_value(point->position()), point->width(), point->height()});
    roads.boundaries.push_back(std::move(made));
  }
  return roads;
}

/// All in each message, built anew: two buffers cannot be one behind the other.
class All : public Contender {
 public:
  Bytes begin(const Roads& roads) override {
    roads_ = &roads;
    return {};
  }
  Bytes write(const Traffic& traffic) override {
    out_.Clear();
    const RoadOffsets roads = writer_.write(out_, *roads_);
    return finished(out_, write(traffic, &roads));
  }
  double read(Bytes message, std::size_t lane) override {
    traffic_ = message;
    return seen(root(message), root(message), lane);
  }
  Traffic traffic() const override {
    const auto& truth = root(traffic_);
    Traffic traffic{.timestamp = {truth.timestamp()->seconds(), truth.timestamp()->nanos()},
                    .host_vehicle_id = flatbuffer::id_value(truth.host_vehicle_id())};
    for (const auto* object : *truth.moving_object()) traffic.objects.push_back(object_of(object));
    return traffic;
  }
  Roads roads() const override { return roads_of(root(traffic_)); }

 protected:
  Offset<osi::GroundTruth> write(const Traffic& traffic, const RoadOffsets* roads) {
    objects_.clear();
    for (const MovingObject& object : traffic.objects)
      objects_.push_back(flatbuffer::make_object<Tables>(out_, object));
    const auto objects = out_.CreateVector(objects_);
    const auto timestamp = make<Tables>(out_, traffic.timestamp);
    const auto host = flatbuffer::make_id<Tables>(out_, traffic.host_vehicle_id);
    return make_table<osi::GroundTruth>(out_, [&](auto& b) {
      b.add_timestamp(timestamp), b.add_host_vehicle_id(host), b.add_moving_object(objects);
      if (roads != nullptr) b.add_lane(roads->lanes), b.add_lane_boundary(roads->boundaries);
    });
  }
  static double seen(const osi::GroundTruth& traffic, const osi::GroundTruth& roads,
                     std::size_t lane) {
    Seen seen;
    for (const auto* object : *traffic.moving_object()) seen.add(object_of(object));
    const auto* found = roads.lane()->Get(static_cast<flatbuffers::uoffset_t>(lane));
    for (const auto* point : *found->classification()->centerline())
      seen.add(flatbuffer::vector_value(point));
    return seen.sum();
  }

  FlatBufferBuilder out_;
  RoadWriter writer_;
  Bytes traffic_;

 private:
  const Roads* roads_ = nullptr;
  std::vector<Offset<osi::MovingObject>> objects_;
};

/// Roads once. What names them stands before each message, as its schema has no place for it.
class Once : public All {
 public:
  Bytes begin(const Roads& roads) override {
    FlatBufferBuilder out;
    const RoadOffsets offsets = writer_.write(out, roads);
    const Bytes bytes = finished(out, make_table<osi::GroundTruth>(out, [&](auto& b) {
                                   b.add_lane(offsets.lanes);
                                   b.add_lane_boundary(offsets.boundaries);
                                 }));
    roads_.assign(bytes.begin(), bytes.end());
    sent_.version = read_.version = first_version;
    return roads_;
  }
  Bytes write(const Traffic& traffic) override {
    out_.Clear();
    const Bytes bytes = finished(out_, All::write(traffic, nullptr));
    message_.resize(sizeof(Mark) + bytes.size());
    std::memcpy(message_.data(), &sent_, sizeof(Mark));
    std::memcpy(message_.data() + sizeof(Mark), bytes.data(), bytes.size());
    ++sent_.sequence;
    return message_;
  }
  double read(Bytes message, std::size_t lane) override {
    Mark found;
    std::memcpy(&found, message.data(), sizeof(found));
    if (found != read_) throw std::runtime_error("the message names other static data");
    ++read_.sequence;
    traffic_ = message.subspan(sizeof(Mark));
    return seen(root(traffic_), root(roads_), lane);
  }
  Roads roads() const override { return roads_of(root(roads_)); }

 private:
  std::vector<std::byte> roads_, message_;
  Mark sent_, read_;
};

template <class Made>
std::unique_ptr<Contender> make_contender() {
  return std::make_unique<Made>();
}

}  // namespace

std::string flatbuffers_version() {
  return std::to_string(FLATBUFFERS_VERSION_MAJOR) + "." +
         std::to_string(FLATBUFFERS_VERSION_MINOR) + "." +
         std::to_string(FLATBUFFERS_VERSION_REVISION);
}

std::vector<Listed> of_flatbuffers() {
  return {{"flatbuffers", Sent::all, make_contender<All>},
          {"flatbuffers-once", Sent::once, make_contender<Once>}};
}

}  // namespace wirecost::bench::static_
