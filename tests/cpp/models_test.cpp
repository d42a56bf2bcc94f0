// SPDX-License-Identifier: Apache-2.0
// Both models over the codecs of Protobuf and of bare arrays, and their readers on broken input,
// under sanitizers.
#include "models.hpp"
#include "wirecost/codec/bare_arrays.hpp"
#include "wirecost/codec/columns_also_rows.hpp"
#include "wirecost/codec/protobuf.hpp"

namespace wirecost::test {

namespace {

std::unique_ptr<IndependentReader> rows() { return protobuf::make_reader(schema("osi.fds")); }
std::unique_ptr<IndependentReader> columns() {
  return protobuf::make_reader(schema("osi_columns.fds"));
}

using Rows = Tested<protobuf::FreshCodec, rows>;
using Columns = Tested<compiled::ColumnsCodec, columns>;
using Arrays = Tested<bare::ArraysCodec, bare::make_reader>;

}  // namespace

std::vector<Frame> protobuf_frames(int reflections, int objects, bool published, int steps) {
  return simulate<Rows>(reflections, objects, published, steps);
}

namespace {

using Codecs = testing::Types<Rows, Tested<protobuf::ArenaCodec, rows>,
                              Tested<protobuf::ReuseCodec, rows>, Tested<compiled::RowsCodec, rows>,
                              Columns, Tested<compiled::AlsoRowsCodec, columns>, Arrays>;
INSTANTIATE_TYPED_TEST_SUITE_P(Protobuf, Models, Codecs);

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

TEST(IndependentReader, SurvivesBrokenProtobuf) { torture_independent_reader<Rows>(); }
TEST(IndependentReader, SurvivesBrokenColumns) { torture_independent_reader<Columns>(); }
TEST(IndependentReader, SurvivesBrokenArrays) { torture_independent_reader<Arrays>(); }
TEST(OwnReader, SurvivesBrokenProtobuf) { torture_own_reader<compiled::RowsCodec>(); }
TEST(OwnReader, SurvivesBrokenColumns) { torture_own_reader<compiled::ColumnsCodec>(); }

}  // namespace
}  // namespace wirecost::test
