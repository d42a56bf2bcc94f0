// SPDX-License-Identifier: Apache-2.0
// Tests of models and readers that every codec must pass.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>

#include "sensor/sensor.hpp"
#include "source/source.hpp"
#include "wirecost/verify/reader.hpp"

namespace wirecost::test {

inline std::string schema(const char* name) {
  std::ifstream file(std::string(WIRECOST_SCHEMAS "/") + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A string literal as a template argument.
template <std::size_t size>
struct Text {
  constexpr Text(const char (&text)[size]) { std::copy_n(text, size, value); }
  char value[size];
};

/// A codec, its wire, and the schema of that wire's independent reader.
template <class C, Text wire, Text schema_file>
struct Tested {
  using Codec = C;
  static std::unique_ptr<IndependentReader> reader() {
    return make_reader(wire.value, schema(schema_file.value));
  }
};

struct Frame {
  std::vector<char> view, data;
  int count = 0;
};

/// Runs source and sensor as an importer would; the canonical messages of every step.
template <class T>
std::vector<Frame> simulate(int reflections, int objects, bool published, int steps) {
  namespace source = fmu::source;
  namespace sensor = fmu::sensor;
  fmu::Variables out(source::declaration), in(sensor::declaration);
  out.integers[source::reflections] = reflections;
  out.integers[source::objects] = objects;
  out.booleans[source::published] = in.booleans[sensor::published] = published;
  out.strings[source::log_folder] = in.strings[sensor::log_folder] = testing::TempDir();
  fmu::Source<typename T::Codec> first(out, "source_test");
  fmu::Sensor<typename T::Codec> second(in, "sensor_test");
  const auto reader = T::reader();
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

/// What Protobuf's codec sends and finds, with which every other is compared.
std::vector<Frame> protobuf_frames(int reflections, int objects, bool published, int steps);

template <class T>
class Models : public testing::Test {};
TYPED_TEST_SUITE_P(Models);

TYPED_TEST_P(Models, SendWhatProtobufSends) {
  for (const int reflections : {0, 1, 18, 1000}) {
    const auto expected = protobuf_frames(reflections, 12, false, 4);
    const auto frames = simulate<TypeParam>(reflections, 12, false, 4);
    for (std::size_t i = 0; i < frames.size(); ++i) {
      EXPECT_EQ(frames[i].view, expected[i].view) << reflections << " reflections, step " << i;
      EXPECT_EQ(frames[i].data, expected[i].data) << reflections << " reflections, step " << i;
      EXPECT_EQ(frames[i].count, expected[i].count);
    }
    if (reflections > 0) EXPECT_NE(frames[0].view, frames[1].view);
  }
}

TYPED_TEST_P(Models, RunAsPublished) {
  const auto frames = simulate<TypeParam>(100, 10, true, 3);
  EXPECT_GT(frames[0].view.size(), 100u);
}

TYPED_TEST_P(Models, SeeTheVehiclesAhead) {
  // Within 148.5 m of the ego (id 14) and ±30° of its lidar drive ids 11, 12, 13, 15, 17, 18, 19;
  // 10 and 16 are beside it.
  const auto frames = simulate<TypeParam>(0, 10, false, 1);
  EXPECT_EQ(frames[0].count, 7);
}

REGISTER_TYPED_TEST_SUITE_P(Models, SendWhatProtobufSends, RunAsPublished, SeeTheVehiclesAhead);

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

template <class T>
void torture_independent_reader() {
  const auto reader = T::reader();
  torture<typename T::Codec>([&](Bytes bytes) {
    try {
      reader->read("SensorView", bytes);
    } catch (const MalformedMessage&) {
    }
  });
}

/// The readers that check what they are given; the floor's and FlatBuffers' others trust it.
template <class C>
void torture_own_reader() {
  typename C::ViewReader reader;
  torture<C>([&](Bytes bytes) {
    if (reader.open(bytes)) to_scene(reader);
  });
}

}  // namespace wirecost::test
