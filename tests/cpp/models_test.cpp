// SPDX-License-Identifier: Apache-2.0
// Both models over every codec, and the independent readers on broken input, under sanitizers.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <random>

#include "sensor/sensor.hpp"
#include "source/source.hpp"
#include "wirecost/codec/bare_arrays.hpp"
#include "wirecost/codec/columns_also_rows.hpp"
#include "wirecost/codec/flatbuffers_object.hpp"
#include "wirecost/codec/flatbuffers_struct.hpp"
#include "wirecost/codec/flatbuffers_table.hpp"
#include "wirecost/codec/independent_readers.hpp"
#include "wirecost/codec/protobuf.hpp"

namespace wirecost {
namespace {

std::string schema(const char* name) {
  std::ifstream file(std::string(WIRECOST_SCHEMAS "/") + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::unique_ptr<IndependentReader> protobuf_reader() {
  return protobuf::make_reader(schema("osi.fds"));
}

template <class C>
std::unique_ptr<IndependentReader> reader_of() {
  if constexpr (std::is_same_v<C, flatbuffer::StructCodec>)
    return flatbuffer::make_reader(schema("osi_struct.bfbs"));
  else if constexpr (std::is_base_of_v<typename C::ViewReader,
                                       flatbuffer::ViewReader<flatbuffer::TableSchema>>)
    return flatbuffer::make_reader(schema("osi_table.bfbs"));
  else if constexpr (std::is_same_v<C, bare::ArraysCodec>)
    return bare::make_reader();
  else if constexpr (std::is_same_v<typename C::ViewReader, compiled::ColumnsReader>)
    return protobuf::make_reader(schema("osi_columns.fds"));
  else
    return protobuf_reader();
}

struct Frame {
  std::vector<char> view, data;
  int count = 0;
};

/// Runs source and sensor as an importer would; the canonical messages of every step.
template <class C>
std::vector<Frame> simulate(int reflections, int objects, bool published, int steps) {
  namespace source = fmu::source;
  namespace sensor = fmu::sensor;
  fmu::Variables out(source::declaration), in(sensor::declaration);
  out.integers[source::reflections] = reflections;
  out.integers[source::objects] = objects;
  out.booleans[source::published] = in.booleans[sensor::published] = published;
  out.strings[source::log_folder] = in.strings[sensor::log_folder] = testing::TempDir();
  fmu::Source<C> first(out, "source_test");
  fmu::Sensor<C> second(in, "sensor_test");
  const auto reader = reader_of<C>();
  std::vector<Frame> frames;
  for (int step = 0; step < steps; ++step) {
    EXPECT_EQ(first.step(step * 0.02, 0.02), "");
    const Bytes view = out.message(source::sensor_view_out);
    in.set_message(sensor::sensor_view_in, view);
    EXPECT_EQ(second.step(step * 0.02, 0.02), "");
    const Bytes data = in.message(sensor::sensor_data_out);
    frames.push_back({reader->read("SensorView", view).bytes(),
                      reader->read("SensorData", data).bytes(), in.integers[sensor::count]});
  }
  return frames;
}

template <class C>
class Models : public testing::Test {};
using Codecs = testing::Types<protobuf::FreshCodec, protobuf::ArenaCodec, protobuf::ReuseCodec,
                              flatbuffer::TableCodec, flatbuffer::ObjectCodec,
                              flatbuffer::StructCodec, compiled::RowsCodec, compiled::ColumnsCodec,
                              compiled::AlsoRowsCodec, bare::ArraysCodec>;
TYPED_TEST_SUITE(Models, Codecs);

TYPED_TEST(Models, SendWhatProtobufSends) {
  for (const int reflections : {0, 1, 18, 1000}) {
    const auto expected = simulate<protobuf::FreshCodec>(reflections, 12, false, 4);
    const auto frames = simulate<TypeParam>(reflections, 12, false, 4);
    for (std::size_t i = 0; i < frames.size(); ++i) {
      EXPECT_EQ(frames[i].view, expected[i].view) << reflections << " reflections, step " << i;
      EXPECT_EQ(frames[i].data, expected[i].data) << reflections << " reflections, step " << i;
      EXPECT_EQ(frames[i].count, expected[i].count);
    }
    if (reflections > 0) EXPECT_NE(frames[0].view, frames[1].view);
  }
}

TYPED_TEST(Models, RunAsPublished) {
  const auto frames = simulate<TypeParam>(100, 10, true, 3);
  EXPECT_GT(frames[0].view.size(), 100u);
}

TYPED_TEST(Models, SeeTheVehiclesAhead) {
  // Within 148.5 m of the ego (id 14) and ±30° of its lidar drive ids 11, 12, 13, 15, 17, 18, 19;
  // 10 and 16 are beside it.
  const auto frames = simulate<TypeParam>(0, 10, false, 1);
  EXPECT_EQ(frames[0].count, 7);
}

TEST(Sensor, WithoutInputHasNoOutput) {
  fmu::Variables variables(fmu::sensor::declaration);
  fmu::Sensor<protobuf::FreshCodec> sensor(variables, "sensor_test");
  EXPECT_EQ(sensor.step(0, 0.02), "");
  EXPECT_EQ(variables.booleans[fmu::sensor::valid], 0);
  EXPECT_TRUE(variables.message(fmu::sensor::sensor_data_out).empty());
}

TEST(Sensor, RefusesBytesThatAreNoSensorView) {
  fmu::Variables variables(fmu::sensor::declaration);
  fmu::Sensor<protobuf::FreshCodec> sensor(variables, "sensor_test");
  const std::string nonsense = "not a message";
  variables.set_message(fmu::sensor::sensor_view_in, std::as_bytes(std::span(nonsense)));
  EXPECT_NE(sensor.step(0, 0.02), "");
}

TEST(Source, RefusesNegativeCounts) {
  fmu::Variables variables(fmu::source::declaration);
  variables.integers[fmu::source::reflections] = -1;
  EXPECT_THROW(fmu::Source<protobuf::FreshCodec>(variables, "source_test"), std::invalid_argument);
}

template <class C>
std::string small_view() {
  typename C::ViewWriter writer(Variant::same_work);
  const std::vector<Reflection> reflections{{1e-7, -3}, {2e-7, -4}};
  const std::vector<MovingObject> objects{highway::vehicle(0, 1), highway::vehicle(4, 1)};
  write(writer, highway::header(1), highway::lidar(), reflections, objects);
  const Bytes bytes = writer.serialize();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Every truncation and many random changes: read or refused, never out of bounds.
template <class C>
void torture(const auto& read) {
  const std::string whole = small_view<C>();
  const auto attempt = [&](const std::string& bytes) {
    // A heap copy of the exact size, so that the sanitizer sees any read past the end.
    const std::vector<std::byte> exact(
        reinterpret_cast<const std::byte*>(bytes.data()),
        reinterpret_cast<const std::byte*>(bytes.data()) + bytes.size());
    read(Bytes(exact));
  };
  for (std::size_t size = 0; size < whole.size(); ++size) attempt(whole.substr(0, size));
  std::mt19937 random(7);
  for (int i = 0; i < 20'000; ++i) {
    std::string changed = whole;
    for (int k = 0; k < 1 + i % 4; ++k)
      changed[random() % changed.size()] = static_cast<char>(random());
    attempt(changed);
  }
}

template <class C>
void torture_independent_reader() {
  const auto reader = reader_of<C>();
  torture<C>([&](Bytes bytes) {
    try {
      reader->read("SensorView", bytes);
    } catch (const MalformedMessage&) {
    }
  });
}

/// The readers that check what they are given; FlatBuffers' and the floor's trust it.
template <class C>
void torture_own_reader() {
  typename C::ViewReader reader;
  torture<C>([&](Bytes bytes) {
    if (reader.open(bytes)) to_scene(reader);
  });
}

TEST(IndependentReader, SurvivesBrokenProtobuf) {
  torture_independent_reader<protobuf::FreshCodec>();
}
TEST(IndependentReader, SurvivesBrokenTables) {
  torture_independent_reader<flatbuffer::TableCodec>();
}
TEST(IndependentReader, SurvivesBrokenStructs) {
  torture_independent_reader<flatbuffer::StructCodec>();
}
TEST(IndependentReader, SurvivesBrokenColumns) {
  torture_independent_reader<compiled::ColumnsCodec>();
}
TEST(IndependentReader, SurvivesBrokenArrays) { torture_independent_reader<bare::ArraysCodec>(); }
TEST(OwnReader, SurvivesBrokenProtobuf) { torture_own_reader<compiled::RowsCodec>(); }
TEST(OwnReader, SurvivesBrokenColumns) { torture_own_reader<compiled::ColumnsCodec>(); }

TEST(IndependentReader, RefusesTheOtherWire) {
  const std::string bytes = small_view<flatbuffer::TableCodec>();
  EXPECT_THROW(protobuf_reader()->read("SensorView", std::as_bytes(std::span(bytes))),
               MalformedMessage);
}

}  // namespace
}  // namespace wirecost
