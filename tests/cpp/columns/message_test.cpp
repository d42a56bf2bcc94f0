// SPDX-License-Identifier: Apache-2.0
// Whole messages with lists in columns, beside the official classes of OSI.
#include "wirecost/columns/message.hpp"

#include <gtest/gtest.h>

#include "columns/conversions.hpp"
#include "osi3/columns_containers.hpp"
#include "osi3/osi_sensorview.columns_holders.hpp"
#include "osi3/osi_sensorview.pb.h"
#include "osi3/osi_sensorviewconfiguration.pb.h"

namespace {

using namespace wirecost::columns;
using namespace wirecost::test;
using wire::osi3::ColumnContainers;
using Reflections = wire::osi3::LidarSensorViewReflectionColumns;

osi3::SensorView sensor_view() {
  osi3::SensorView made;
  made.mutable_version()->set_version_major(3);
  made.mutable_timestamp()->set_seconds(17);
  for (unsigned sensor = 0; sensor < 2; ++sensor) {
    auto& lidar = *made.add_lidar_sensor_view();
    lidar.mutable_view_configuration()->mutable_sensor_id()->set_value(sensor);
    for (unsigned i = 0; i < 100 * sensor; ++i) {
      auto& reflection = *lidar.add_reflection();
      reflection.set_time_of_flight(0.1 * i);
      reflection.set_signal_strength(-15.0);
      if (i % 3 == 0) reflection.mutable_object_id()->set_value(i);
    }
  }
  for (unsigned i = 0; i < 5; ++i) {
    auto& object = *made.mutable_global_ground_truth()->add_moving_object();
    object.mutable_id()->set_value(i);
    object.mutable_base()->mutable_position()->set_x(1.5 * i);
    object.mutable_base()->add_base_polygon()->set_x(i);
    object.set_model_reference(std::string(200, 'm'));
  }
  made.mutable_global_ground_truth()->set_country_code(276);
  return made;
}

std::string converted(Converter& converter, bool to_columns, const std::string& in,
                      bool keep_rows = false) {
  Buffer out;
  Converter::Options options;
  options.keep_rows = keep_rows;
  const auto input = exact(in);
  const Error error = to_columns
                          ? converter.to_columns(ColumnContainers::SensorView, input, out, options)
                          : converter.to_rows(ColumnContainers::SensorView, input, out, options);
  EXPECT_FALSE(error) << error.message();
  return text(out.bytes());
}

TEST(Message, OfficialClassesSeeAllButTheLists) {
  const osi3::SensorView before = sensor_view();
  Converter converter(ColumnContainers::containers);
  const std::string columns = converted(converter, true, before.SerializeAsString());
  EXPECT_EQ(converter.converted(), 2U);
  EXPECT_EQ(converter.refused(), 0U);
  osi3::SensorView seen;
  ASSERT_TRUE(seen.ParseFromString(columns));
  EXPECT_EQ(seen.lidar_sensor_view(1).reflection_size(), 0);
  EXPECT_EQ(seen.global_ground_truth().moving_object_size(), 0);
  EXPECT_EQ(seen.lidar_sensor_view(1).view_configuration().sensor_id().value(), 1U);
  EXPECT_EQ(seen.global_ground_truth().country_code(), 276U);
  EXPECT_EQ(seen.timestamp().seconds(), 17);
  // They keep the columns field as an unknown field when they write the message again.
  osi3::SensorView after;
  ASSERT_TRUE(after.ParseFromString(converted(converter, false, seen.SerializeAsString())));
  EXPECT_EQ(after.SerializeAsString(), before.SerializeAsString());
}

TEST(Message, ComesBackAsItWas) {
  const std::string before = sensor_view().SerializeAsString();
  Converter converter(ColumnContainers::containers);
  osi3::SensorView after;
  const std::string rows = converted(converter, false, converted(converter, true, before));
  EXPECT_EQ(rows.size(), before.size());  // lengths are minimal again
  ASSERT_TRUE(after.ParseFromString(rows));
  EXPECT_EQ(after.SerializeAsString(), before);
}

TEST(Message, PaddingAroundColumnsFieldsIsDropped) {
  const std::string before = sensor_view().SerializeAsString();
  Converter converter(ColumnContainers::containers);
  Buffer padded;
  ASSERT_FALSE(converter.to_columns(ColumnContainers::SensorView, bytes(before), padded));
  put_tag(padded, padding_number, wirecost::protobuf::len);
  put_varint(padded, 3);
  padded.append("abc", 3);
  EXPECT_EQ(converted(converter, false, text(padded.bytes())).size(), before.size());
}

TEST(Message, WithoutListsIsCopied) {
  osi3::SensorView view = sensor_view();
  view.mutable_lidar_sensor_view(1)->clear_reflection();
  view.mutable_global_ground_truth()->clear_moving_object();
  const std::string before = view.SerializeAsString();
  Converter converter(ColumnContainers::containers);
  EXPECT_EQ(converted(converter, true, before), before);
  EXPECT_EQ(converted(converter, false, before), before);
  EXPECT_EQ(converter.converted(), 0U);
}

TEST(Message, RowsAndColumnsTogether) {
  const osi3::SensorView view = sensor_view();
  Converter converter(ColumnContainers::containers);
  const std::string both = converted(converter, true, view.SerializeAsString(), true);
  osi3::SensorView seen;
  ASSERT_TRUE(seen.ParseFromString(both));
  EXPECT_EQ(seen.lidar_sensor_view(1).reflection_size(), 100);
  // Back: the rows stay, the columns go.
  osi3::SensorView back;
  ASSERT_TRUE(back.ParseFromString(converted(converter, false, both)));
  EXPECT_EQ(back.SerializeAsString(), view.SerializeAsString());
  // Once more to columns: those stay, the rows go or stay.
  ASSERT_TRUE(seen.ParseFromString(converted(converter, true, both)));
  EXPECT_EQ(seen.lidar_sensor_view(1).reflection_size(), 0);
  EXPECT_EQ(converted(converter, true, both, true), both);
}

// What a newer schema may have in a row.
TEST(Message, ListsWithUnknownFieldsStayRows) {
  osi3::SensorView view = sensor_view();
  view.mutable_lidar_sensor_view(1)->mutable_reflection(7)->mutable_unknown_fields()->append(
      from_hex("c83e01"));
  const std::string before = view.SerializeAsString();
  Converter converter(ColumnContainers::containers);
  const std::string columns = converted(converter, true, before);
  EXPECT_EQ(converter.converted(), 1U);
  EXPECT_EQ(converter.refused(), 1U);
  osi3::SensorView seen;
  ASSERT_TRUE(seen.ParseFromString(columns));
  EXPECT_EQ(seen.lidar_sensor_view(1).SerializeAsString(),
            view.lidar_sensor_view(1).SerializeAsString());
}

TEST(Message, PayloadsAreAlignedInTheWholeMessage) {
  Converter converter(ColumnContainers::containers);
  Buffer out;
  ASSERT_FALSE(converter.to_columns(ColumnContainers::SensorView,
                                    bytes(sensor_view().SerializeAsString()), out));
  // The columns of the second sensor, found by the values its column has.
  std::string columns(sizeof(double) * 100, '\0');
  for (unsigned i = 0; i < 100; ++i) {
    const double value = 0.1 * i;
    std::memcpy(columns.data() + sizeof(double) * i, &value, sizeof value);
  }
  const std::size_t at = text(out.bytes()).find(columns);
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(at % 64, 0U);
}

struct Broken {
  const char* what;
  const char* hex;
  wirecost::columns::Reason reason;
};
class BrokenMessage : public testing::TestWithParam<Broken> {};

TEST_P(BrokenMessage, IsRefused) {
  Converter converter(ColumnContainers::containers);
  Buffer out;
  out.append("x", 1);
  const auto input = exact(from_hex(GetParam().hex));
  const Error error = converter.to_rows(ColumnContainers::LidarSensorView, input, out);
  EXPECT_EQ(error.reason, GetParam().reason) << error.message();
  EXPECT_LE(error.position, input.size());
  EXPECT_EQ(out.size(), 1U);
}

using enum wirecost::columns::Reason;
INSTANTIATE_TEST_SUITE_P(
    Messages, BrokenMessage,
    testing::Values(Broken{"ColumnsFieldTwice",
                           "92808080 0c06 808080800e00 928080800c06 808080800e00", given_twice},
                    Broken{"ColumnsFieldAsNumber", "908080800c00", wrong_wire_type},
                    Broken{"ColumnsFieldWithoutCount", "928080800c00", no_count},
                    Broken{"CutOff", "92808080 0c07 808080800e00", bad_length},
                    Broken{"NoTag", "00", bad_tag}),
    [](const auto& info) { return info.param.what; });

// All lists of a message together: three sensors' are within the limit, ten are not.
TEST(Message, RowsOfAllItsListsAreLimited) {
  Converter converter(ColumnContainers::containers);
  for (const unsigned sensors : {3U, 10U}) {
    Buffer message;
    for (unsigned i = 0; i < sensors; ++i) {
      const auto sensor = open_message(message, osi3::SensorView::kLidarSensorViewFieldNumber);
      const auto opened = open_message(message, number_of(Part::columns, 2));
      put_tag(message, count_number, wirecost::protobuf::varint);
      put_varint(message, 100'000);
      close_message(message, opened);
      close_message(message, sensor);
    }
    Buffer out;
    const Error error = converter.to_rows(ColumnContainers::SensorView, message.bytes(), out);
    EXPECT_EQ(error.reason, sensors == 3 ? none : too_large) << error.message();
    EXPECT_EQ(converter.converted(), sensors == 3 ? 3U : converter.converted());
  }
}

TEST(Message, NestedTooDeepIsRefused) {
  // Containers that lead to themselves.
  const Edge edges[]{{1, 0}};
  const Container all[]{{"Chain", edges, {}}};
  Converter converter(Containers{all, {}, {}});
  std::string chain;
  for (int i = 0; i < 200; ++i) {
    std::string around = "\x0a";
    std::size_t size = chain.size();
    for (; size >= 0x80; size >>= 7U) around += static_cast<char>(size | 0x80U);
    around += static_cast<char>(size);
    chain = around + chain;
  }
  Buffer out;
  EXPECT_EQ(converter.to_columns(0, bytes(chain), out).reason, nested_too_deep);
  EXPECT_EQ(converter.to_rows(0, bytes(chain), out).reason, nested_too_deep);
}

TEST(Holders, BecomeColumnsAndComeBack) {
  std::vector<Reflections::Holder> holders(50);
  for (std::size_t i = 0; i < holders.size(); ++i) {
    holders[i].time_of_flight = 0.5 * static_cast<double>(i);
    if (i % 2 == 0) holders[i].object_id.touch().value = i;
  }
  wire::osi3::LidarSensorViewReflectionColumnsConverter converter;
  Buffer out;
  ASSERT_FALSE(converter.to_columns(holders, out));
  View<Reflections> view;
  ASSERT_FALSE(view.read(out.bytes()));
  EXPECT_EQ(view[Reflections::time_of_flight][49], 24.5);
  EXPECT_TRUE(view[Reflections::object_id.value].has(48));
  EXPECT_FALSE(view[Reflections::object_id.value].has(49));
  wirecost::Sequence<Reflections::Holder> again;
  ASSERT_FALSE(converter.to_rows(out.bytes(), again));
  EXPECT_TRUE(std::equal(again.begin(), again.end(), holders.begin(), holders.end()));
  const std::string hostile = from_hex("808080800effffff1f");  // as many elements as may be
  EXPECT_EQ(converter.to_rows(bytes(hostile), again).reason, too_large);
  Buffer reduced;
  const std::vector<Reduction> all(Reflections::nodes.size(), {Reduce::automatic});
  ASSERT_FALSE(converter.to_columns(holders, reduced, all));
  EXPECT_LT(reduced.size(), out.size());
}

}  // namespace
