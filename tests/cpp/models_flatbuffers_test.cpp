// SPDX-License-Identifier: Apache-2.0
// Both models over the codecs of FlatBuffers, and its readers on broken input, under sanitizers.
#include "models.hpp"
#include "wirecost/codec/flatbuffers_object.hpp"
#include "wirecost/codec/flatbuffers_struct.hpp"
#include "wirecost/codec/flatbuffers_table.hpp"

namespace wirecost::test {

namespace {

std::unique_ptr<IndependentReader> tables() {
  return flatbuffer::make_reader(schema("osi_table.bfbs"));
}
std::unique_ptr<IndependentReader> structs() {
  return flatbuffer::make_reader(schema("osi_struct.bfbs"));
}

using Tables = Tested<flatbuffer::TableCodec, tables>;
using Structs = Tested<flatbuffer::StructCodec, structs>;

using Codecs = testing::Types<Tables, Tested<flatbuffer::ObjectCodec, tables>, Structs>;
INSTANTIATE_TYPED_TEST_SUITE_P(FlatBuffers, Models, Codecs);

TEST(IndependentReader, SurvivesBrokenTables) { torture_independent_reader<Tables>(); }
TEST(IndependentReader, SurvivesBrokenStructs) { torture_independent_reader<Structs>(); }
TEST(IndependentReader, RefusesTheOtherWire) {
  const std::string bytes = small_view<flatbuffer::TableCodec>();
  EXPECT_THROW(
      protobuf::make_reader(schema("osi.fds"))->read("SensorView", std::as_bytes(std::span(bytes))),
      MalformedMessage);
}

}  // namespace
}  // namespace wirecost::test
