// SPDX-License-Identifier: Apache-2.0
// Columns in the bytes of the messages around them.
#include "wirecost/columns/find.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "compile/bytes.hpp"
#include "osi3/columns_containers.hpp"
#include "osi3/osi_sensorview.pb.h"
#include "wirecost/columns/view.hpp"

namespace {

using namespace wirecost::columns;
using wire::osi3::ColumnContainers;
using wirecost::test::bytes;
using Reflections = wire::osi3::LidarSensorViewReflectionColumns;
using Objects = wire::osi3::MovingObjectColumns;

constexpr std::uint32_t rows = wire::osi3::ColumnLists::LidarSensorView_reflection;
static_assert(rows == osi3::LidarSensorView::kReflectionFieldNumber);

// What a source with Protobuf's classes does: the rest of the message, then the columns.
std::string lidar_with(const std::vector<double>& time_of_flight) {
  osi3::LidarSensorView rest;
  rest.mutable_view_configuration()->mutable_sensor_id()->set_value(7);
  const std::string before = rest.SerializeAsString();
  Buffer message;
  message.append(before.data(), before.size());
  Builder<Reflections> builder;
  builder.begin(static_cast<std::uint32_t>(time_of_flight.size()));
  builder.announce(Reflections::time_of_flight);
  EXPECT_FALSE(builder.append_to(message, rows));
  std::ranges::copy(time_of_flight, builder.values(Reflections::time_of_flight).begin());
  return wirecost::test::text(message.bytes());
}

std::string field(std::uint32_t number, std::string_view content) {
  Buffer made;
  const std::size_t opened = open_message(made, number);
  made.append(content.data(), content.size());
  close_message(made, opened);
  return wirecost::test::text(made.bytes());
}

constexpr std::uint32_t lidars = osi3::SensorView::kLidarSensorViewFieldNumber;

Error find_reflections(std::string_view message, std::vector<FoundColumns>& found,
                       std::uint32_t container = ColumnContainers::SensorView) {
  const std::vector<char> alone(message.begin(), message.end());  // a sanitizer sees its ends
  const Error error = find<Reflections>(ColumnContainers::containers, container,
                                        std::as_bytes(std::span(alone)), found);
  for (FoundColumns& one : found)
    one.content = bytes(message).subspan(one.position, one.content.size());
  return error;
}

TEST(Find, EveryListOfAMessage) {
  const std::string view = field(lidars, lidar_with({1e-7, 2e-7})) + field(lidars, "") +
                           field(lidars, lidar_with({3e-7}));
  std::vector<FoundColumns> found;
  ASSERT_FALSE(find_reflections(view, found));
  ASSERT_EQ(found.size(), 2U);
  View<Reflections> reflections;
  std::vector<double> spare;
  double sum = 0;
  for (const FoundColumns& list : found) {
    EXPECT_EQ(list.container->name, "osi3.LidarSensorView");
    EXPECT_EQ(list.columns_field->rows, rows);
    EXPECT_EQ(list.content.data(), bytes(view).data() + list.position);
    ASSERT_FALSE(reflections.read(list.content)) << reflections.error().message();
    const auto times = reflections[Reflections::time_of_flight].span(spare);
    sum = std::accumulate(times.begin(), times.end(), sum);
  }
  EXPECT_DOUBLE_EQ(sum, 6e-7);
}

TEST(Find, WhatProtobufsClassesWroteAgain) {
  osi3::SensorView view;
  ASSERT_TRUE(view.ParseFromString(field(lidars, lidar_with({1e-7, 2e-7}))));
  view.mutable_version()->set_version_major(3);
  std::vector<FoundColumns> found;
  ASSERT_FALSE(find_reflections(view.SerializeAsString(), found));
  EXPECT_EQ(found.size(), 1U);
}

TEST(Find, NothingInRowsAndNothingOfAnotherType) {
  osi3::SensorView view;
  view.add_lidar_sensor_view()->add_reflection()->set_time_of_flight(1e-7);
  std::vector<FoundColumns> found(3);
  EXPECT_FALSE(find_reflections(view.SerializeAsString(), found));
  EXPECT_TRUE(found.empty());
  EXPECT_FALSE(find_reflections("", found));
  EXPECT_TRUE(found.empty());
  const std::string columns = field(lidars, lidar_with({1e-7}));
  EXPECT_FALSE(find<Objects>(ColumnContainers::containers, ColumnContainers::SensorView,
                             bytes(columns), found));
  EXPECT_TRUE(found.empty());
}

TEST(Find, RowsBecomeColumnsBefore) {
  osi3::SensorView view;
  view.add_lidar_sensor_view()->add_reflection()->set_time_of_flight(1e-7);
  const std::string in_rows = view.SerializeAsString();
  Converter converter(ColumnContainers::containers);
  Buffer in_columns;
  ASSERT_FALSE(converter.to_columns(ColumnContainers::SensorView, bytes(in_rows), in_columns));
  std::vector<FoundColumns> found;
  ASSERT_FALSE(find<Reflections>(ColumnContainers::containers, ColumnContainers::SensorView,
                                 in_columns.bytes(), found));
  EXPECT_EQ(found.size(), 1U);
}

TEST(Find, TheSameListTwiceIsRefused) {
  const std::string lidar = lidar_with({1e-7});
  const std::string view = field(lidars, lidar + lidar);
  std::vector<FoundColumns> found;
  const Error error = find_reflections(view, found);
  EXPECT_EQ(error.reason, Reason::given_twice);
  EXPECT_EQ(error.column, "osi3.LidarSensorView.Reflection");
  EXPECT_GT(error.position, lidar.size());
  EXPECT_TRUE(found.empty());
}

TEST(Find, WhatIsCutOffIsRefused) {
  const std::string view = field(lidars, lidar_with({1e-7, 2e-7}));
  std::vector<FoundColumns> found;
  for (std::size_t size = 1; size < view.size(); ++size) {
    const Error error = find_reflections(std::string_view(view).substr(0, size), found);
    EXPECT_TRUE(error) << size;
    EXPECT_LE(error.position, size);
    EXPECT_TRUE(found.empty());
  }
}

TEST(Find, AnotherWireTypeIsRefused) {
  Buffer lidar;
  put_tag(lidar, number_of(Part::columns, rows), wirecost::protobuf::varint);
  put_varint(lidar, 1);
  std::vector<FoundColumns> found;
  const Error error = find_reflections(wirecost::test::text(lidar.bytes()), found,
                                       ColumnContainers::LidarSensorView);
  EXPECT_EQ(error.reason, Reason::wrong_wire_type);
}

TEST(Find, AnAppendedFieldIsAlignedInItsBuffer) {
  Buffer message;
  message.append_zeros(3);
  Builder<Reflections> builder;
  builder.begin(9);
  builder.announce(Reflections::time_of_flight);
  ASSERT_FALSE(builder.append_to(message, rows));
  const auto values = builder.values(Reflections::time_of_flight);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(values.data()) % 64, 0U);
}

}  // namespace
