// SPDX-License-Identifier: Apache-2.0
// What is used again for alike content allocates nothing.
#include <gtest/gtest.h>

#include "columns/allocations.hpp"
#include "columns/conversions.hpp"
#include "osi3/columns_containers.hpp"
#include "osi3/osi_sensorview.columns_holders.hpp"

namespace {

using namespace wirecost::columns;
using namespace wirecost::test;
using Columns = wire::osi3::LidarSensorViewReflectionColumns;

// Calls f a few times; how many allocations the last call made.
template <class F>
std::size_t steady(F&& f) {
  for (int i = 0; i < 3; ++i) f();
  const std::size_t before = allocations();
  f();
  return allocations() - before;
}

TEST(Steady, BuilderAndView) {
  Buffer buffer;
  Builder<Columns> builder;
  View<Columns> view;
  std::vector<double> strengths(1000, 0.5);
  strengths[3] = 0.25;
  std::vector<double> spare;
  double sum = 0.0;
  EXPECT_EQ(steady([&] {
              buffer.clear();
              const std::size_t opened = open_message(buffer, 7);
              builder.begin(1000);
              builder.announce(Columns::time_of_flight);
              builder.announce(Columns::signal_strength, strengths, {Reduce::automatic});
              builder.announce(Columns::normal_to_surface, Presence::some);
              ASSERT_FALSE(builder.place(buffer));
              close_message(buffer, opened);
              for (double& value : builder.values(Columns::time_of_flight)) value = 1.0;
              ASSERT_FALSE(view.read(buffer.bytes().subspan(opened))) << view.error().message();
              sum += view[Columns::signal_strength].span(spare)[3];
            }),
            0U);
  EXPECT_EQ(sum, 1.0);
}

// A column in two pieces is joined in memory that is kept.
TEST(Steady, JoinedPieces) {
  Buffer content;
  put_tag(content, count_number, wirecost::protobuf::varint);
  put_varint(content, 4);
  for (int piece = 0; piece < 2; ++piece) {
    put_tag(content, 2, wirecost::protobuf::len);
    put_varint(content, 16);
    content.push(piece + 1.0);
    content.push(piece + 1.5);
  }
  View<Columns> view;
  EXPECT_EQ(steady([&] { ASSERT_FALSE(view.read(content.bytes())) << view.error().message(); }),
            0U);
  const auto column = view[Columns::time_of_flight].span();
  ASSERT_EQ(column.size(), 4U);
  EXPECT_EQ(column[3], 2.5);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(column.data()) % 64, 0U);
}

TEST(Steady, RowsMessagesAndHolders) {
  std::vector<Columns::Holder> holders(500);
  for (std::size_t i = 0; i < holders.size(); ++i) {
    holders[i].time_of_flight = static_cast<double>(i);
    if (i % 7 == 0) holders[i].normal_to_surface.touch().x = 1.0;
  }
  const std::vector<Reduction> all(Columns::nodes.size(), {Reduce::automatic});
  wire::osi3::LidarSensorViewReflectionColumnsConverter holder_converter;
  Converter converter(wire::osi3::ColumnContainers::containers);
  Buffer content;
  Buffer message;
  Buffer rows;
  wirecost::Sequence<Columns::Holder> again;
  constexpr auto container = wire::osi3::ColumnContainers::LidarSensorView;
  EXPECT_EQ(steady([&] {
              for (Buffer* const buffer : {&content, &message, &rows}) buffer->clear();
              const auto at = open_message(content, number_of(Part::columns, 2));
              ASSERT_FALSE(holder_converter.to_columns(holders, content, all));
              close_message(content, at);
              ASSERT_FALSE(holder_converter.to_rows(content.bytes().subspan(at), again));
              ASSERT_FALSE(converter.to_rows(container, content.bytes(), rows));
              ASSERT_FALSE(converter.to_columns(container, rows.bytes(), message));
            }),
            0U);
  EXPECT_EQ(again.size(), holders.size());
  EXPECT_EQ(converter.converted(), 1U);
}

}  // namespace
