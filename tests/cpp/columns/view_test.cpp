// SPDX-License-Identifier: Apache-2.0
// Columns written through builders, read through views.
#include "wirecost/columns/view.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "osi3/osi_object.columns.hpp"
#include "osi3/osi_sensorview.columns.hpp"

namespace {

using namespace wirecost::columns;
using Reflections = wire::osi3::LidarSensorViewReflectionColumns;
using Objects = wire::osi3::MovingObjectColumns;

// Where columns lie in a buffer that begins on a multiple of 64.
template <class T>
std::size_t place_of(std::span<const T> values, const Buffer& buffer) {
  return static_cast<std::size_t>(reinterpret_cast<const wirecost::Byte*>(values.data()) -
                                  buffer.data());
}

TEST(View, PlainColumnsAreReadWhereTheyLie) {
  Buffer buffer;
  Builder<Reflections> builder;
  builder.begin(1000);
  builder.announce(Reflections::time_of_flight);
  builder.announce(Reflections::signal_strength);
  builder.announce(Reflections::normal_to_surface.y);
  ASSERT_FALSE(builder.place(buffer));
  const auto times = builder.values(Reflections::time_of_flight);
  ASSERT_EQ(times.size(), 1000U);
  std::iota(times.begin(), times.end(), 0.5);
  const auto strengths = builder.values(Reflections::signal_strength);
  std::fill(strengths.begin(), strengths.end(), -3.0);
  const auto ys = builder.values(Reflections::normal_to_surface.y);
  std::iota(ys.begin(), ys.end(), 7.0);

  View<Reflections> view;
  ASSERT_FALSE(view.read(buffer.bytes())) << view.error().message();
  EXPECT_EQ(view.size(), 1000U);
  const auto column = view[Reflections::time_of_flight];
  ASSERT_EQ(column.size(), 1000U);
  EXPECT_EQ(column.form(), Form::plain);
  EXPECT_EQ(column.span().data(), times.data());
  EXPECT_EQ(column[999], 999.5);
  EXPECT_TRUE(column.has(0));
  EXPECT_EQ(place_of(column.span(), buffer) % 64, 0U);
  EXPECT_EQ(view[Reflections::normal_to_surface.y][3], 10.0);
  EXPECT_EQ(place_of(view[Reflections::normal_to_surface.y].span(), buffer) % 64, 0U);
  EXPECT_TRUE(view[Reflections::normal_to_surface].has(999));
  EXPECT_FALSE(view[Reflections::normal_to_surface.x].has(0));
  EXPECT_FALSE(view[Reflections::object_id].present());
  EXPECT_EQ(view[Reflections::object_id.value][5], 0U);
  EXPECT_EQ(view[Reflections::doppler_shift].form(), Form::absent);
}

// The same message from a place that no double may lie at.
TEST(View, NeedsNoAlignment) {
  Buffer buffer;
  Builder<Reflections> builder;
  builder.begin(3);
  builder.announce(Reflections::time_of_flight);
  ASSERT_FALSE(builder.place(buffer));
  std::iota(builder.values(Reflections::time_of_flight).begin(),
            builder.values(Reflections::time_of_flight).end(), 1.0);
  std::vector<std::byte> shifted(buffer.size() + 1);
  std::copy(buffer.bytes().begin(), buffer.bytes().end(), shifted.begin() + 1);
  View<Reflections> view;
  ASSERT_FALSE(view.read(std::span(shifted).subspan(1)));
  const auto column = view[Reflections::time_of_flight];
  EXPECT_TRUE(column.span().empty());
  std::vector<double> spare;
  EXPECT_EQ(column.span(spare)[2], 3.0);
  EXPECT_EQ(column[1], 2.0);
}

struct Form_ {
  const char* what;
  Reduction reduction;
  std::vector<double> values;
  Form form;
  bool in_runs;
  double error;
};

class Reduced : public testing::TestWithParam<Form_> {};

TEST_P(Reduced, IsReadAsItWas) {
  const auto& [what, reduction, values, form, in_runs, error] = GetParam();
  Buffer buffer;
  buffer.append_zeros(7);
  Builder<Reflections> builder;
  builder.begin(static_cast<std::uint32_t>(values.size()));
  builder.announce(Reflections::time_of_flight, values, reduction);
  ASSERT_FALSE(builder.place(buffer));
  View<Reflections> view;
  ASSERT_FALSE(view.read(buffer.bytes().subspan(7))) << view.error().message();
  const auto column = view[Reflections::time_of_flight];
  EXPECT_EQ(column.form(), form);
  EXPECT_EQ(column.in_runs(), in_runs);
  std::vector<double> spare;
  const auto all = column.span(spare);
  ASSERT_EQ(all.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(column[i]), std::bit_cast<std::uint64_t>(all[i]));
    if (error == 0) {
      EXPECT_EQ(std::bit_cast<std::uint64_t>(values[i]), std::bit_cast<std::uint64_t>(all[i]));
    } else {
      EXPECT_LE(std::fabs(values[i] - all[i]), error);
    }
  }
}

std::vector<double> steps(std::size_t size, double step) {
  std::vector<double> made(size);
  for (std::size_t i = 0; i < size; ++i) made[i] = -3.3 + step * static_cast<double>(i);
  return made;
}

std::vector<double> repeated(std::vector<double> values, std::size_t times) {
  std::vector<double> made;
  for (const double value : values) made.insert(made.end(), times, value);
  return made;
}

constexpr Reduction exact{};
constexpr Reduction automatic{Reduce::automatic};
constexpr Reduction to_float{Reduce::float32};
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

INSTANTIATE_TEST_SUITE_P(
    Forms, Reduced,
    testing::Values(
        Form_{"exact", exact, steps(99, 0.1), Form::plain, false, 0},
        Form_{"exact, all alike", exact, repeated({1.0}, 99), Form::plain, false, 0},
        Form_{"no gain", automatic, steps(99, 0.1), Form::plain, false, 0},
        Form_{"constant", automatic, repeated({0.1}, 99), Form::constant, false, 0},
        Form_{"zeros of both signs", automatic, {0.0, -0.0}, Form::narrow, false, 0},
        Form_{"runs", automatic, repeated({0.1, 0.2, 0.1}, 9), Form::plain, true, 0},
        Form_{"narrow", automatic, {0.5, -7.25, infinity}, Form::narrow, false, 0},
        Form_{"narrow in runs", automatic, repeated({0.5, 7.25}, 20), Form::narrow, true, 0},
        Form_{"rounded", to_float, steps(99, 0.1), Form::narrow, false, 1e-5},
        Form_{"too large for float", to_float, {1e300, 0.1}, Form::plain, false, 0},
        Form_{"one byte", {Reduce::error, 0.05}, steps(99, 0.1), Form::scaled, false, 0.05},
        Form_{"two bytes", {Reduce::error, 0.001}, steps(99, 0.1), Form::scaled, false, 0.001},
        Form_{"three bytes", {Reduce::error, 1e-6}, steps(99, 0.1), Form::scaled, false, 1e-6},
        Form_{"four bytes", {Reduce::error, 2e-9}, steps(99, 0.1), Form::scaled, false, 2e-9},
        Form_{"scaled in runs", {Reduce::error, 1.0}, steps(999, 0.01), Form::scaled, true, 1.0},
        Form_{"too small an error", {Reduce::error, 1e-12}, steps(99, 0.1), Form::plain, false, 0},
        Form_{
            "error below all numbers", {Reduce::error, 5e-324}, {0.1, 0.2}, Form::plain, false, 0},
        Form_{
            "error beyond all numbers", {Reduce::error, 1e308}, {0.1, 0.2}, Form::plain, false, 0},
        Form_{"not finite", {Reduce::error, 1.0}, {0.1, nan}, Form::plain, false, 0},
        Form_{"range beyond all numbers",
              {Reduce::error, 1.0},
              {-1.7e308, 1.7e308},
              Form::plain,
              false,
              0}),
    [](const auto& info) {
      std::string name = info.param.what;
      std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
      return name;
    });

TEST(View, PresenceIsOfTheFieldAndTheMessagesAroundIt) {
  Buffer buffer;
  Builder<Reflections> builder;
  builder.begin(10);
  builder.announce(Reflections::normal_to_surface, Presence::some);
  builder.announce(Reflections::normal_to_surface.x, Presence::some);
  builder.announce(Reflections::normal_to_surface.z);
  ASSERT_FALSE(builder.place(buffer));
  builder.presence(Reflections::normal_to_surface)[0] = 0x0F;
  builder.presence(Reflections::normal_to_surface.x)[0] = 0xFA;
  for (int i = 0; i < 10; ++i) {
    builder.values(Reflections::normal_to_surface.x)[i] = i;
    builder.values(Reflections::normal_to_surface.z)[i] = i;
  }
  View<Reflections> view;
  ASSERT_FALSE(view.read(buffer.bytes())) << view.error().message();
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(view[Reflections::normal_to_surface].has(i), i < 4);
    EXPECT_EQ(view[Reflections::normal_to_surface.x].has(i), i == 1 || i == 3);
    EXPECT_EQ(view[Reflections::normal_to_surface.x][i], i == 1 || i == 3 ? i : 0);
    EXPECT_EQ(view[Reflections::normal_to_surface.z].has(i), i < 4);
  }
}

TEST(View, RepeatedFieldsTextsAndEnums) {
  Buffer buffer;
  Builder<Objects> builder;
  builder.begin(3);
  builder.announce(Objects::base.base_polygon, 4);
  builder.announce(Objects::base.base_polygon.x);
  builder.announce(Objects::source_reference, 2);
  builder.announce(Objects::source_reference.type, 5);
  builder.announce(Objects::source_reference.identifier, 3, 6);
  const std::vector<Objects::Holder::Type> types(3, Objects::Holder::Type{2});
  builder.announce(Objects::type, types, automatic);
  builder.announce(Objects::assigned_lane_id, 0);
  builder.announce(Objects::assigned_lane_id.value);
  ASSERT_FALSE(builder.place(buffer));
  const auto fill = [](auto to, auto values) {
    std::copy(values.begin(), values.end(), to.begin());
  };
  using Offsets = std::vector<std::uint32_t>;
  fill(builder.offsets(Objects::base.base_polygon), Offsets{0, 1, 1, 4});
  fill(builder.values(Objects::base.base_polygon.x), std::vector<double>{1, 2, 3, 4});
  fill(builder.offsets(Objects::source_reference), Offsets{0, 0, 1, 2});
  fill(builder.offsets(Objects::source_reference.type), Offsets{0, 2, 5});
  fill(builder.values(Objects::source_reference.type),
       std::as_bytes(std::span(std::string_view("abcde"))));
  fill(builder.offsets(Objects::source_reference.identifier), Offsets{0, 3, 3});
  const Text texts = builder.texts(Objects::source_reference.identifier);
  fill(builder.offsets(texts), Offsets{0, 1, 1, 6});
  fill(builder.values(texts), std::as_bytes(std::span(std::string_view("xhello"))));

  View<Objects> view;
  ASSERT_FALSE(view.read(buffer.bytes())) << view.error().message();
  const auto polygons = view[Objects::base.base_polygon];
  EXPECT_EQ(polygons.total(), 4U);
  EXPECT_EQ(polygons[1].size(), 0U);
  EXPECT_EQ(polygons[2], (wirecost::columns::Range{1, 4}));
  EXPECT_EQ(view[Objects::base.base_polygon.x].size(), 4U);
  EXPECT_EQ(view[Objects::base.base_polygon.x][polygons[2].begin], 2.0);
  EXPECT_EQ(view[Objects::source_reference.type][1], "cde");
  EXPECT_EQ(view[Objects::source_reference.type].bytes(0).size(), 2U);
  const auto identifiers = view[Objects::source_reference.identifier];
  EXPECT_EQ(identifiers[0].size(), 3U);
  EXPECT_EQ(identifiers.values()[0], "x");
  EXPECT_EQ(identifiers.values()[1], "");
  EXPECT_EQ(identifiers.values()[2], "hello");
  EXPECT_EQ(view[Objects::type].form(), Form::constant);
  EXPECT_EQ(view[Objects::type][2], Objects::Holder::Type{2});
  EXPECT_FALSE(view[Objects::assigned_lane_id].present());
  EXPECT_EQ(view[Objects::assigned_lane_id.value].size(), 0U);
}

}  // namespace
