// SPDX-License-Identifier: Apache-2.0
// Random rows of several schemas through columns and back, and rows that no columns can hold.
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <memory>

#include "columns/conversions.hpp"
#include "compile/random_message.hpp"
#include "conformance/columns2/columns_proto2.columns.hpp"
#include "conformance/columns3/columns_proto3.columns.hpp"
#include "osi3/osi_object.columns.hpp"
#include "osi3/osi_sensorview.columns.hpp"

namespace {

using namespace wirecost::columns;
using namespace wirecost::test;
namespace pb = google::protobuf;
using Sample2 = wire::conformance::columns2::SampleColumns;
using Sample3 = wire::conformance::columns3::SampleColumns;

// Google's messages of all schemas.
class Messages {
 public:
  Messages() {
    pb::SetLogHandler(nullptr);  // of random maps some keys are given twice
    for (const char* const path : {WIRECOST_OSI_DESCRIPTORS, WIRECOST_COLUMNS_DESCRIPTORS}) {
      std::ifstream in(path, std::ios::binary);
      pb::FileDescriptorSet set;
      EXPECT_TRUE(set.ParseFromIstream(&in)) << path;
      for (const auto& file : set.file()) {
        if (pool_.FindFileByName(file.name()) == nullptr) pool_.BuildFile(file);
      }
    }
  }
  std::unique_ptr<pb::Message> make(std::string_view name) {
    const auto* const type = pool_.FindMessageTypeByName(std::string(name));
    return std::unique_ptr<pb::Message>(factory_.GetPrototype(type)->New());
  }

 private:
  pb::DescriptorPool pool_;
  pb::DynamicMessageFactory factory_;
};

Messages& messages() {
  static Messages made;
  return made;
}

std::string canonical(const pb::Message& message) {
  std::string made;
  {
    pb::io::StringOutputStream stream(&made);
    pb::io::CodedOutputStream out(&stream);
    out.SetSerializationDeterministic(true);
    EXPECT_TRUE(message.SerializePartialToCodedStream(&out));
  }
  return made;
}

class RandomRows : public testing::TestWithParam<Schema> {};

TEST_P(RandomRows, ComeBackAsTheyWere) {
  const Schema schema = GetParam();
  Random random(7);
  for (unsigned round = 0; round < 40; ++round) {
    std::vector<std::string> rows(below(random, 30));
    for (std::string& row : rows) {
      const auto message = messages().make(schema.name);
      if (below(random, 5) != 0) fill(*message, random, 3);
      row = canonical(*message);
      if (!message->IsInitialized()) row.clear();
    }
    if (schema.name == Sample2::schema.name) std::erase(rows, "");
    for (const Reduction reduction : {Reduction{}, Reduction{Reduce::automatic}}) {
      ASSERT_EQ(rows_in(rows_of(schema, columns_of(schema, rows, reduction))), rows);
    }
    for (const Reduction reduction : {Reduction{Reduce::float32}, Reduction{Reduce::error, 0.1}}) {
      ASSERT_EQ(rows_in(rows_of(schema, columns_of(schema, rows, reduction))).size(), rows.size());
    }
  }
}

TEST_P(RandomRows, MayBeWrittenByOthers) {
  const Schema schema = GetParam();
  Random random(8);
  unsigned converted = 0;
  for (unsigned round = 0; round < 200; ++round) {
    const auto message = messages().make(schema.name);
    fill(*message, random, 2);
    const std::string row = scrambled(canonical(*message), *message->GetDescriptor(), random);
    Transposer transposer;
    transposer.begin(schema);
    if (const Error error = transposer.row(bytes(row))) {
      ASSERT_EQ(error.reason, wirecost::columns::Reason::unknown_field) << error.message();
      continue;
    }
    ++converted;
    const auto again = messages().make(schema.name);
    ASSERT_TRUE(again->ParseFromString(rows_in(rows_of(schema, columns_of(schema, {row})))[0]));
    const auto theirs = messages().make(schema.name);
    ASSERT_TRUE(theirs->ParseFromString(row));
    ASSERT_EQ(canonical(*again), canonical(*theirs));
  }
  EXPECT_GT(converted, 0U);
}

TEST_P(RandomRows, BrokenOnesAreRefusedOrRead) {
  const Schema schema = GetParam();
  Random random(9);
  for (unsigned round = 0; round < 500; ++round) {
    const auto message = messages().make(schema.name);
    fill(*message, random, 2);
    std::string row = canonical(*message).substr(0, below(random, 400));
    if (!row.empty()) row[below(random, static_cast<unsigned>(row.size()))] ^= 1 << random() % 8;
    Transposer transposer;
    transposer.begin(schema);
    const auto input = exact(row);
    const Error error = transposer.row(input);
    EXPECT_LE(error.position, row.size());
    Buffer out;
    if (!error) static_cast<void>(transposer.finish({}, out));
  }
}

// Damaged columns are refused, or give rows that can be read.
TEST_P(RandomRows, DamagedColumnsAreRefusedOrRead) {
  const Schema schema = GetParam();
  Random random(10);
  Reader reader;
  RowWriter writer;
  for (unsigned round = 0; round < 100; ++round) {
    std::vector<std::string> rows(1 + below(random, 20));
    for (std::string& row : rows) {
      const auto message = messages().make(schema.name);
      fill(*message, random, 2);
      row = canonical(*message);
    }
    const Reduction reduction{random() % 2 == 0 ? Reduce::exact : Reduce::automatic};
    const std::string columns = columns_of(schema, rows, reduction);
    for (unsigned n = 0; n < 30; ++n) {
      std::string damaged = columns;
      damaged[below(random, static_cast<unsigned>(damaged.size()))] ^= 1 << random() % 8;
      const auto input = exact(damaged);
      if (reader.read(input, schema, {.max_count = 1000})) continue;
      Buffer out;
      if (writer.write(reader, 1, out, {.memory = 1 << 24})) continue;
      EXPECT_EQ(rows_in(text(out.bytes())).size(), reader.count());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Schemas, RandomRows,
                         testing::Values(Sample2::schema, Sample3::schema,
                                         wire::osi3::MovingObjectColumns::schema,
                                         wire::osi3::LidarSensorViewReflectionColumns::schema),
                         [](const auto& info) {
                           std::string name(info.param.name);
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

struct Refused {
  const char* what;
  const char* row;
  wirecost::columns::Reason reason;
};

class RefusedRow : public testing::TestWithParam<Refused> {};

constexpr const char* required = "a00101 c20100";

TEST_P(RefusedRow, HasItsReason) {
  Transposer transposer;
  transposer.begin(Sample2::schema);
  ASSERT_FALSE(transposer.row(bytes(from_hex(required))));
  Error error = transposer.row(exact(from_hex(GetParam().row)));
  Buffer out;
  if (!error) error = transposer.finish({}, out);
  EXPECT_EQ(error.reason, GetParam().reason) << error.message();
  EXPECT_TRUE(out.empty());
}

using enum wirecost::columns::Reason;
INSTANTIATE_TEST_SUITE_P(
    Rows, RefusedRow,
    testing::Values(Refused{"UnknownField", "a00101 c20100 c83e01", unknown_field},
                    Refused{"UnknownInnerField", "a00101 c201021801", unknown_field},
                    Refused{"AnotherWireType", "a00101 c20100 0a00", unknown_field},
                    Refused{"RepeatedOfAnotherWireType", "a00101 c20100 c50200000000",
                            unknown_field},
                    Refused{"TwoOfAOneof", "a00101 c20100 b80401 c2040161", two_of_oneof},
                    Refused{"NoRequiredNumber", "c20100", missing_required},
                    Refused{"NoRequiredMessage", "a00101", missing_required},
                    Refused{"CutOff", "a00101 c2010a", bad_length},
                    Refused{"CutOffNumber", "09000000", truncated},
                    Refused{"EndlessVarint", "a001ffffffffffffffffffff01", bad_varint},
                    Refused{"OpenGroup", "9b01", bad_tag},
                    Refused{"WrongEndOfGroup", "9b01a401", bad_group},
                    Refused{"HalfAPackedNumber", "ca020400000000", bad_length}),
    [](const auto& info) { return info.param.what; });

TEST(Rows, TheSameMemberOfAOneofTwiceIsOne) {
  const std::string row = from_hex(std::string(required) + "b80401 b80402");
  EXPECT_EQ(to_hex(rows_of(Sample2::schema, columns_of(Sample2::schema, {row}))),
            "0a09a00101c20100b80402");
}

TEST(Rows, WhatHasNoPresenceIsLeftOutWhereItIsDefault) {
  const std::string empty = columns_of(Sample3::schema, {"", ""});
  EXPECT_EQ(columns_of(Sample3::schema, {from_hex("090000000000000000"), from_hex("7200")}), empty);
  EXPECT_NE(columns_of(Sample3::schema, {from_hex("090000000000000080"), ""}), empty);
  EXPECT_EQ(columns_of(Sample3::schema, {from_hex("1801 1800"), ""}), empty);
}

// A few bytes that stand for many rows.
TEST(Rows, AreLimited) {
  const std::string columns = from_hex("808080800effffff1f 898080800a000000000000e03f");
  Reader reader;
  ASSERT_FALSE(reader.read(bytes(columns), Sample2::schema));
  EXPECT_EQ(reader.count(), (1U << 26U) - 1);
  Buffer out;
  RowWriter writer;
  EXPECT_EQ(writer.write(reader, 1, out).reason, too_large);
  EXPECT_EQ(out.capacity(), 0U);
  EXPECT_EQ(reader.read(bytes(columns), Sample2::schema, {.max_count = 1000}).reason, too_many);
}

// `count` elements that all have the same number.
std::string constant_columns(std::uint32_t count) {
  Buffer columns;
  put_tag(columns, count_number, wirecost::protobuf::varint);
  put_varint(columns, count);
  columns.append(from_hex("898080800a000000000000e03f").data(), 13);
  return text(columns.bytes());
}

// The limit is 64 MiB and 256 bytes for each byte of the columns; each row, and each field of it,
// there or not, counts 16.
TEST(Rows, AreLimitedInProportionToTheColumns) {
  constexpr std::size_t flat = std::size_t{64} << 20U;
  Reader reader;
  RowWriter writer;
  Buffer out;
  const std::string one = constant_columns(1);
  ASSERT_FALSE(reader.read(bytes(one), Sample2::schema));
  const auto fields = static_cast<std::size_t>(std::count_if(
      reader.slots().begin(), reader.slots().end(), [](const Slot& s) { return s.elements == 1; }));
  EXPECT_GT(fields, 40U);  // those of lists in it count where they have elements
  const auto most = [&](std::size_t size) {
    return static_cast<std::uint32_t>((flat + 256 * size) / (16 * (1 + fields)));
  };
  const std::string fits = constant_columns(most(constant_columns(most(0)).size()));
  ASSERT_FALSE(reader.read(bytes(fits), Sample2::schema));
  EXPECT_FALSE(writer.write(reader, 1, out));
  EXPECT_EQ(rows_in(text(out.bytes())).size(), reader.count());
  const std::string exceeds = constant_columns(reader.count() + 1);
  ASSERT_EQ(exceeds.size(), fits.size());
  ASSERT_FALSE(reader.read(bytes(exceeds), Sample2::schema));
  out.clear();
  EXPECT_EQ(writer.write(reader, 1, out).reason, too_large);
  EXPECT_FALSE(writer.write(reader, 1, out, {.memory = 2 * flat}));
}

TEST(Rows, PlacesOfAbsentFieldsAreLimited) {
  Transposer transposer;
  transposer.begin(Sample3::schema, {.memory = 1000, .memory_per_byte = 0});
  const std::string row = from_hex("1801");
  for (int i = 0; i < 1000; ++i) ASSERT_FALSE(transposer.row(bytes("")));
  EXPECT_EQ(transposer.row(bytes(row)).reason, too_large);
}

}  // namespace
