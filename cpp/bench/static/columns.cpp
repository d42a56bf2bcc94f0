// SPDX-License-Identifier: Apache-2.0
// Moving objects in columns, in a Protobuf message that names the roads, or holds their bytes.
#include <stdexcept>

#include "bench/static/protobuf_roads.hpp"
#include "osi3/osi_object.columns.hpp"
#include "wirecost/columns/builder.hpp"
#include "wirecost/columns/view.hpp"

namespace wirecost::bench::static_ {
namespace {

using Objects = wire::osi3::MovingObjectColumns;

constexpr std::uint32_t moving_object = 5;
constexpr std::uint32_t objects_field = columns::number_of(columns::Part::columns, moving_object);

constexpr std::size_t number_size = 5;

/// Calls `visit` with each column, and with what it holds of an object.
template <class Visit>
void for_each_column(Visit&& visit) {
  const auto vector = [&](const auto& columns, auto member) {
    visit(columns.x, [=](auto& object) -> auto& { return (object.*member).x; });
    visit(columns.y, [=](auto& object) -> auto& { return (object.*member).y; });
    visit(columns.z, [=](auto& object) -> auto& { return (object.*member).z; });
  };
  const auto turn = [&](const auto& columns, auto member) {
    visit(columns.roll, [=](auto& object) -> auto& { return (object.*member).roll; });
    visit(columns.pitch, [=](auto& object) -> auto& { return (object.*member).pitch; });
    visit(columns.yaw, [=](auto& object) -> auto& { return (object.*member).yaw; });
  };
  visit(Objects::id.value, [](auto& object) -> auto& { return object.id; });
  const auto& base = Objects::base;
  visit(base.dimension.length, [](auto& object) -> auto& { return object.dimension.length; });
  visit(base.dimension.width, [](auto& object) -> auto& { return object.dimension.width; });
  visit(base.dimension.height, [](auto& object) -> auto& { return object.dimension.height; });
  vector(base.position, &MovingObject::position);
  turn(base.orientation, &MovingObject::orientation);
  vector(base.velocity, &MovingObject::velocity);
  vector(base.acceleration, &MovingObject::acceleration);
  turn(base.orientation_rate, &MovingObject::orientation_rate);
  visit(Objects::type, [](auto& object) -> auto& { return object.type; });
  vector(Objects::vehicle_attributes.bbcenter_to_rear, &MovingObject::bbcenter_to_rear);
  const auto& vehicle = Objects::vehicle_classification;
  visit(vehicle.type, [](auto& object) -> auto& { return object.vehicle.type; });
  visit(vehicle.light_state.indicator_state,
        [](auto& object) -> auto& { return object.vehicle.indicator_state; });
  visit(vehicle.light_state.brake_light_state,
        [](auto& object) -> auto& { return object.vehicle.brake_light_state; });
}

/// `with_roads`: in every message, their bytes as Protobuf has them; else they are named.
template <bool with_roads>
class Columns : public Contender {
 public:
  Bytes begin(const Roads& roads) override {
    osi3::GroundTruth truth;
    set(truth, roads);
    const Bytes bytes = output_.write(truth);
    bytes_.assign(bytes.begin(), bytes.end());
    if (with_roads) return {};
    constexpr std::array kept{moving_fields[0], moving_fields[1], objects_field};
    bytes_ = complete(roads, first_version, kept);
    parse(roads_, bytes_);
    sent_.version = read_.version = first_version;
    return bytes_;
  }
  Bytes write(const Traffic& traffic) override {
    set_header(header_, traffic);
    columns::Buffer& out = buffers_[current_ ^= 1];
    out.clear();
    if (with_roads) {
      out.append(bytes_);
    }
    out.append(output_.write(header_));
    if (!with_roads) {
      std::array<std::byte, mark_size> mark{};
      std::byte* to = mark.data();
      append(to, sent_);
      ++sent_.sequence;
      out.append(mark);
    }
    const std::size_t start = out.size();
    out.append_zeros(2 * number_size);  // tag and length, which follow
    builder_.begin(static_cast<std::uint32_t>(traffic.objects.size()));
    for_each_column([&](auto column, auto) { builder_.announce(column); });
    if (builder_.place(out)) throw std::length_error("objects beyond 2 GiB");
    for_each_column([&](auto column, auto part) {
      const auto values = builder_.values(column);
      using Value = std::remove_cvref_t<decltype(values[0])>;
      for (std::size_t at = 0; at < values.size(); ++at)
        values[at] = static_cast<Value>(part(traffic.objects[at]));
    });
    auto* to = reinterpret_cast<std::byte*>(out.data() + start);
    put(to, std::uint64_t{objects_field} << 3 | 2, number_size);
    put(to, out.size() - start - 2 * number_size, number_size);
    return out.bytes();
  }
  double read(Bytes message, std::size_t lane) override {
    if (!with_roads) check(message, read_);
    ++read_.sequence;
    const Bytes columns = compiled::field_of(message, objects_field);
    if (columns.empty() || view_.read(columns)) throw std::runtime_error("no columns to read");
    parse(with_roads ? roads_ : reading_, message);
    known_.objects.resize(view_.size());
    for_each_column([&](auto column, auto part) {
      const auto values = view_[column];
      using Value = std::remove_reference_t<decltype(part(known_.objects[0]))>;
      if constexpr (std::is_same_v<Value, double>) {
        const auto span = values.span(spare_);
        for (std::size_t at = 0; at < span.size(); ++at) part(known_.objects[at]) = span[at];
      } else {
        for (std::size_t at = 0; at < values.size(); ++at)
          part(known_.objects[at]) = static_cast<Value>(values[at]);
      }
    });
    Seen seen;
    for (const MovingObject& object : known_.objects) seen.add(object);
    for (const auto& point : roads_.lane(static_cast<int>(lane)).classification().centerline())
      seen.add(protobuf::value(point));
    return seen.sum();
  }
  Traffic traffic() const override {
    Traffic traffic = traffic_of(with_roads ? roads_ : reading_);
    traffic.objects = known_.objects;
    return traffic;
  }
  Roads roads() const override { return roads_of(roads_); }

 private:
  osi3::GroundTruth header_, reading_, roads_;
  std::vector<std::byte> bytes_;
  protobuf::ArrayOutput output_;
  std::array<columns::Buffer, 2> buffers_;
  unsigned current_ = 0;
  columns::Builder<Objects> builder_;
  columns::View<Objects> view_;
  std::vector<double> spare_;
  Traffic known_;
  Mark sent_, read_;
};

template <class Made>
std::unique_ptr<Contender> make() {
  return std::make_unique<Made>();
}

}  // namespace

std::vector<Listed> of_columns() {
  return {{"columns", Sent::all, make<Columns<true>>},
          {"columns-once", Sent::once, make<Columns<false>>}};
}

}  // namespace wirecost::bench::static_
