// SPDX-License-Identifier: Apache-2.0
// osi3.MovingObject with the fields of the co-simulation's highway.
#include "bench/repeated/fields/osi.hpp"
#include "bench/repeated/repeated_fields.hpp"
#include "osi3/osi_groundtruth.pb.h"
#include "osi3/osi_object.columns.hpp"
#include "wirecost/codec/compiled_values.hpp"
#include "wirecost/codec/flatbuffers_reader.hpp"
#include "wirecost/codec/protobuf.hpp"

namespace wirecost::bench::repeated {
namespace {

WIRECOST_OSI_SCHEMA(TableSchema, flat_osi);

using Table = our_osi::MovingObjectColumns;

/// Each field through a view of one object, as the co-simulation's readers have it.
MovingObject value_of(const auto& view) {
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

struct Objects {
  using Element = MovingObject;
  using Table = repeated::Table;
  static constexpr const char* name = "moving-object";
  static constexpr const char* message = "osi3.GroundTruth";
  static constexpr std::uint32_t rows = 5;
  static constexpr std::tuple fields{
      WIRECOST_FIELD(id, id.value, lossless),
      WIRECOST_FIELD(dimension.length, base.dimension.length, of_length),
      WIRECOST_FIELD(dimension.width, base.dimension.width, of_length),
      WIRECOST_FIELD(dimension.height, base.dimension.height, of_length),
      WIRECOST_FIELD(position.x, base.position.x, of_length),
      WIRECOST_FIELD(position.y, base.position.y, of_length),
      WIRECOST_FIELD(position.z, base.position.z, of_length),
      WIRECOST_FIELD(orientation.roll, base.orientation.roll, of_angle),
      WIRECOST_FIELD(orientation.pitch, base.orientation.pitch, of_angle),
      WIRECOST_FIELD(orientation.yaw, base.orientation.yaw, of_angle),
      WIRECOST_FIELD(velocity.x, base.velocity.x, of_speed),
      WIRECOST_FIELD(velocity.y, base.velocity.y, of_speed),
      WIRECOST_FIELD(velocity.z, base.velocity.z, of_speed),
      WIRECOST_FIELD(acceleration.x, base.acceleration.x, of_speed),
      WIRECOST_FIELD(acceleration.y, base.acceleration.y, of_speed),
      WIRECOST_FIELD(acceleration.z, base.acceleration.z, of_speed),
      WIRECOST_FIELD(orientation_rate.roll, base.orientation_rate.roll, of_angle),
      WIRECOST_FIELD(orientation_rate.pitch, base.orientation_rate.pitch, of_angle),
      WIRECOST_FIELD(orientation_rate.yaw, base.orientation_rate.yaw, of_angle),
      WIRECOST_FIELD(type, type, lossless),
      WIRECOST_FIELD(bbcenter_to_rear.x, vehicle_attributes.bbcenter_to_rear.x, of_length),
      WIRECOST_FIELD(bbcenter_to_rear.y, vehicle_attributes.bbcenter_to_rear.y, of_length),
      WIRECOST_FIELD(bbcenter_to_rear.z, vehicle_attributes.bbcenter_to_rear.z, of_length),
      WIRECOST_FIELD(vehicle.type, vehicle_classification.type, lossless),
      WIRECOST_FIELD(vehicle.indicator_state, vehicle_classification.light_state.indicator_state,
                     lossless),
      WIRECOST_FIELD(vehicle.brake_light_state,
                     vehicle_classification.light_state.brake_light_state, lossless)};

  struct Google {
    using Message = google_osi::GroundTruth;
    static auto& rows(Message& m) { return *m.mutable_moving_object(); }
    static auto& add(Message& m) { return *m.add_moving_object(); }
    static void fill(const MovingObject& from, google_osi::MovingObject& to) {
      to.mutable_id()->set_value(from.id);
      to.set_type(static_cast<google_osi::MovingObject::Type>(from.type));
      protobuf::set(*to.mutable_vehicle_classification(), from.vehicle);
      protobuf::set(*to.mutable_vehicle_attributes()->mutable_bbcenter_to_rear(),
                    from.bbcenter_to_rear);
      auto& base = *to.mutable_base();
      protobuf::set(*base.mutable_dimension(), from.dimension);
      protobuf::set(*base.mutable_position(), from.position);
      protobuf::set(*base.mutable_velocity(), from.velocity);
      protobuf::set(*base.mutable_acceleration(), from.acceleration);
      protobuf::set(*base.mutable_orientation(), from.orientation);
      protobuf::set(*base.mutable_orientation_rate(), from.orientation_rate);
    }
    static MovingObject value(const google_osi::MovingObject& from) {
      return value_of(protobuf::ObjectView(from));
    }
  };

  struct Wirecost {
    using Message = our_osi::GroundTruth;
    using View = our_osi::protobuf::GroundTruthView;
    static auto& rows(auto& m) { return m.moving_object; }
    static void fill(const MovingObject& from, our_osi::MovingObject& to) {
      compiled::set(to, from);
    }
    static MovingObject value(const our_osi::protobuf::MovingObjectView& from) {
      return value_of(compiled::ObjectView(from));
    }
    static MovingObject value(const our_osi::MovingObject& from) {
      const auto& base = from.base.or_default();
      const auto& vehicle = from.vehicle_classification.or_default();
      const auto& light = vehicle.light_state.or_default();
      const auto& attributes = from.vehicle_attributes.or_default();
      return {.id = identifier(from.id),
              .type = static_cast<int>(from.type.or_default()),
              .vehicle = {static_cast<int>(vehicle.type.or_default()),
                          static_cast<int>(light.indicator_state.or_default()),
                          static_cast<int>(light.brake_light_state.or_default())},
              .bbcenter_to_rear = compiled::value_of(attributes.bbcenter_to_rear),
              .dimension = compiled::value_of(base.dimension),
              .position = compiled::value_of(base.position),
              .velocity = compiled::value_of(base.velocity),
              .acceleration = compiled::value_of(base.acceleration),
              .orientation = compiled::value_of(base.orientation),
              .orientation_rate = compiled::value_of(base.orientation_rate)};
    }
  };

  struct Flat {
    using Message = flat_osi::GroundTruth;
    using Row = flat_osi::MovingObject;
    static auto make(flatbuffers::FlatBufferBuilder& out, const MovingObject& from) {
      using flatbuffer::make;
      using S = TableSchema;
      const auto id = flatbuffer::make_id<S>(out, from.id);
      const auto vehicle = flatbuffer::make_vehicle<S>(out, from.vehicle);
      const auto rear = make<S>(out, from.bbcenter_to_rear);
      const auto attributes = flatbuffer::make_table<flat_osi::MovingObject_VehicleAttributes>(
          out, [&](auto& b) { b.add_bbcenter_to_rear(rear); });
      const auto base = flat_osi::CreateBaseMoving(
          out, make<S>(out, from.dimension), make<S>(out, from.position),
          make<S>(out, from.orientation), make<S>(out, from.velocity),
          make<S>(out, from.acceleration), make<S>(out, from.orientation_rate));
      flat_osi::MovingObjectBuilder row(out);
      row.add_id(id);
      row.add_base(base);
      row.add_type(static_cast<flat_osi::MovingObject_Type>(from.type));
      row.add_vehicle_attributes(attributes);
      row.add_vehicle_classification(vehicle);
      return row.Finish();
    }
    static auto finish(flatbuffers::FlatBufferBuilder& out, auto rows) {
      flat_osi::GroundTruthBuilder truth(out);
      truth.add_moving_object(rows);
      return truth.Finish();
    }
    static auto* rows(const Message& m) { return m.moving_object(); }
    static MovingObject value(const Row& from) {
      return value_of(flatbuffer::ObjectView<TableSchema>(&from));
    }
  };
};

}  // namespace

RepeatedField moving_object() { return describe<Objects>(&osi_contenders<Objects>); }

}  // namespace wirecost::bench::repeated
