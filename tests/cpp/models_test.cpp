// SPDX-License-Identifier: Apache-2.0
// Models and readers on input that is no message, under sanitizers.
#include "models.hpp"
#include "wirecost/codec/columns.hpp"
#include "wirecost/codec/flatbuffers_table.hpp"
#include "wirecost/codec/protobuf.hpp"
#include "wirecost/codec/protobuf_view.hpp"

namespace wirecost::test {

std::vector<Frame> protobuf_frames(int reflections, int objects, bool published, int steps) {
  using Protobuf = Tested<protobuf::FreshCodec, "protobuf", "osi.fds">;
  return simulate<Protobuf>(reflections, objects, published, steps);
}

namespace {

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

TEST(IndependentReader, RefusesTheOtherWire) {
  const std::string bytes = small_view<flatbuffer::TableCodec>();
  const auto reader = make_reader("protobuf", schema("osi.fds"));
  EXPECT_THROW(reader->read("SensorView", std::as_bytes(std::span(bytes))), MalformedMessage);
}

TEST(OwnReader, SurvivesBrokenProtobuf) { torture_own_reader<compiled::RowsCodec>(); }
TEST(OwnReader, SurvivesBrokenColumns) { torture_own_reader<compiled::ColumnsCodec>(); }
TEST(OwnReader, SurvivesBrokenFlatBuffers) { torture_own_reader<flatbuffer::VerifiedTableCodec>(); }

}  // namespace
}  // namespace wirecost::test
