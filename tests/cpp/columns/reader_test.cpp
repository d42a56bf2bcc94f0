// SPDX-License-Identifier: Apache-2.0
// What a reader takes and refuses, made field by field: beyond the golden vectors.
#include "wirecost/columns/reader.hpp"

#include <gtest/gtest.h>

#include <string>

#include "compile/bytes.hpp"
#include "wirecost/columns/layout.hpp"
#include "wirecost/columns/rows.hpp"

namespace {

using namespace wirecost::columns;
using namespace wirecost::test;
using wirecost::protobuf::WireType;

// A schema made at run time, with a node of each kind that .proto files cannot show together.
const std::vector<Node>& nodes() {
  static const std::vector<Node> made{
      {.name = "real",
       .number = 1,
       .end = 1,
       .type = Type::float64,
       .coding = Coding::fixed,
       .optional = true},
      {.name = "small", .number = 2, .end = 2, .type = Type::int8},
      {.name = "middle", .number = 3, .end = 3, .type = Type::uint16},
      {.name = "flag", .number = 4, .end = 4, .type = Type::boolean},
      {.name = "text", .number = 5, .end = 5, .type = Type::text, .optional = true},
      {.name = "choice", .number = 6, .end = 6, .type = Type::enumeration},
      {.name = "inner", .number = 7, .end = 8, .type = Type::message, .optional = true},
      {.name = "inner.wide",
       .number = 1,
       .parent = 6,
       .end = 8,
       .type = Type::int64,
       .optional = true},
      {.name = "many",
       .number = 8,
       .end = 9,
       .type = Type::int32,
       .repeated = true,
       .packed = true},
      {.name = "items", .number = 9, .end = 11, .type = Type::message, .repeated = true},
      {.name = "items.flag", .number = 1, .parent = 9, .end = 11, .type = Type::boolean},
  };
  return made;
}

const Schema& schema() {
  static const Schema made{"made.Element", nodes()};
  return made;
}

std::string varint(std::uint64_t value) {
  Buffer made;
  put_varint(made, value);
  return text(made.bytes());
}
std::string tag(Part part, std::uint32_t field, std::uint32_t wire_type) {
  return varint(std::uint64_t{number_of(part, field)} << 3U | wire_type);
}
std::string field(Part part, std::uint32_t number, const std::string& content) {
  return tag(part, number, WireType::len) + varint(content.size()) + content;
}
std::string count(std::uint64_t value) {
  return tag(Part::own, 0, WireType::varint) + varint(value);
}
template <class T>
std::string raw(std::initializer_list<T> values) {
  return {reinterpret_cast<const char*>(values.begin()), sizeof(T) * values.size()};
}
std::string real(Part part, std::uint32_t number, double value) {
  return tag(part, number, WireType::i64) + raw({value});
}
std::string constant(std::uint32_t number, std::uint32_t value) {
  return tag(Part::constant, number, WireType::i32) + raw({value});
}
std::string offsets(std::uint32_t number, std::initializer_list<std::uint32_t> at) {
  return field(Part::offsets, number, raw(at));
}

Error read(Reader& reader, const std::string& content) {
  static std::vector<std::byte> input;
  input = exact(content);
  return reader.read(input, schema());
}

struct Given {
  const char* what;
  std::string content;
  wirecost::columns::Reason reason;
};
class ColumnsFields : public testing::TestWithParam<Given> {};

TEST_P(ColumnsFields, AreReadOrRefused) {
  Reader reader;
  const Error error = read(reader, GetParam().content);
  EXPECT_EQ(error.reason, GetParam().reason) << error.message();
}

// Every beginning is read or refused without a look beyond it.
TEST_P(ColumnsFields, MayBeCutOffAnywhere) {
  Reader reader;
  for (std::size_t size = 0; size < GetParam().content.size(); ++size) {
    const Error error = read(reader, GetParam().content.substr(0, size));
    EXPECT_LE(error.position, size);
  }
}

using enum wirecost::columns::Reason;
constexpr auto column = Part::column;
const std::string eight(8, '\0');

INSTANTIATE_TEST_SUITE_P(
    Read, ColumnsFields,
    testing::Values(
        Given{"Empty", count(0), none},
        Given{"CountLast", field(column, 1, eight) + count(1), none},
        Given{"PaddingAnywhere",
              field(Part::own, 1, "abc") + count(1) + field(Part::own, 1, "") +
                  field(column, 7, field(Part::own, 1, "x")),
              none},
        Given{"UnknownNumbers",
              count(1) + field(column, 100, "x") + field(Part::presence, 100, "x") +
                  field(Part::columns, 1, "x") + field(Part::own, 2, "x") + tag(column, 101, 3) +
                  tag(column, 101, 4) + tag(Part::constant, 0, 0) + "\1",
              none},
        Given{"Pieces",
              count(2) + field(column, 1, eight) + field(column, 1, "") + field(column, 1, eight),
              none},
        Given{"PiecesOfOffsets",
              count(2) + offsets(8, {0}) + field(column, 8, raw({1})) + offsets(8, {1, 2}) +
                  field(column, 8, raw({2})),
              none},
        Given{"OffsetsBehindTheirMessage",
              count(1) + field(column, 9, field(column, 1, "\1\1")) + offsets(9, {0, 2}), none},
        Given{"EmptyRepeated", count(1) + offsets(8, {0, 0}), none},
        Given{"ConstantOfInt8", count(1) + constant(2, 0xFFFFFF80U), none},
        Given{"ConstantOfUint16", count(1) + constant(3, 0xFFFF), none},
        Given{"ScaledModuloItsWidth",
              count(1) + field(column, 2, "\xFF") + real(Part::scale, 2, 1) +
                  real(Part::base, 2, 100),
              none},
        Given{"EnumsOfFourBytes", count(1) + field(column, 6, raw({-5})), none},
        Given{"RunsOfNoElements", count(0) + offsets(1, {0}) + field(column, 1, ""), none},
        Given{"EmptyTexts", count(2) + offsets(5, {0, 0, 0}), none},
        Given{"TextsThatAreThere",
              count(2) + field(Part::presence, 5, "\1") + offsets(5, {0, 2, 2}) +
                  field(column, 5, "ab"),
              none}));

INSTANTIATE_TEST_SUITE_P(
    Refused, ColumnsFields,
    testing::Values(
        Given{"ConstantBeyondInt8", count(1) + constant(2, 128), out_of_range},
        Given{"ConstantBelowInt8", count(1) + constant(2, 0xFFFFFF7FU), out_of_range},
        Given{"ConstantBeyondUint16", count(1) + constant(3, 0x10000), out_of_range},
        Given{"PresenceOfAFieldWithout",
              count(1) + field(column, 2, "x") + field(Part::presence, 2, "\1"), not_for_this_type},
        Given{"PresenceOfARepeatedField",
              count(1) + offsets(8, {0, 0}) + field(Part::presence, 8, "\1"), not_for_this_type},
        Given{"PresenceOfAnAbsentMessage", count(1) + field(Part::presence, 7, "\1"), no_column},
        Given{"OffsetsOfAMessage", count(1) + field(column, 7, "") + offsets(7, {0, 1}),
              not_for_this_type},
        Given{"ConstantMessage", count(1) + field(Part::constant, 7, ""), not_for_this_type},
        Given{"ScaledText", count(1) + offsets(5, {0, 0}) + real(Part::scale, 5, 1),
              not_for_this_type},
        Given{"ScaledEnum",
              count(1) + field(column, 6, "x") + real(Part::scale, 6, 1) + real(Part::base, 6, 1),
              not_for_this_type},
        Given{"ConstantTextWithOffsets",
              count(1) + field(Part::constant, 5, "x") + offsets(5, {0, 0}), column_and_constant},
        Given{"ScaleOfAConstant",
              count(1) + tag(Part::constant, 1, 1) + eight + real(Part::scale, 1, 1) +
                  real(Part::base, 1, 1),
              column_and_constant},
        Given{
            "WidthOfFiveScaled",
            count(1) + field(column, 1, "12345") + real(Part::scale, 1, 1) + real(Part::base, 1, 1),
            bad_width},
        Given{"ScaledPieces",
              count(2) + field(column, 1, "1") + field(column, 1, "2") + real(Part::scale, 1, 1) +
                  real(Part::base, 1, 1),
              given_twice},
        Given{"RepeatedWithRuns", count(1) + offsets(8, {0, 1, 1}) + field(column, 8, raw({1})),
              bad_offsets},
        Given{"MoreRunsThanElements",
              count(1) + offsets(1, {0, 1, 2}) + field(column, 1, eight + eight), bad_runs},
        Given{"FallingRuns",
              count(3) + offsets(1, {0, 2, 1, 3}) + field(column, 1, eight + eight + eight),
              bad_runs},
        Given{"NoOffsets", count(1) + field(Part::offsets, 5, ""), bad_offsets},
        Given{"InnerCount", count(1) + field(column, 9, count(1)) + offsets(9, {0, 1}),
              inner_count},
        Given{"CountOfItemsInside",
              count(1) + field(column, 9, field(column, 1, "\1\1\1")) + offsets(9, {0, 2}),
              bad_width},
        Given{"TooManyItems", count(1) + field(column, 9, "") + offsets(9, {0, 0x7FFFFFFF}),
              too_many},
        Given{"CountAsBytes", field(Part::own, 0, "1"), wrong_wire_type},
        Given{"EndOfAGroup", count(1) + tag(column, 1, 4), bad_tag}));

TEST(Reader, TakesManyElements) {
  constexpr std::uint32_t many = 1U << 24U;
  Reader reader;
  ASSERT_FALSE(read(reader, count(many) + field(column, 4, std::string(many, '\1'))));
  EXPECT_EQ(reader.count(), many);
  EXPECT_EQ(reader[3].size, many);
  EXPECT_TRUE(value_at(reader[3], many - 1, false));
}

TEST(Reader, ManyElementsBecomeRows) {
  constexpr std::uint32_t many = 1U << 20U;
  Reader reader;
  const std::string flags(many, '\1');
  ASSERT_FALSE(read(reader, count(many) + field(column, 4, flags) + constant(3, 7)));
  RowWriter writer;
  Buffer rows;
  ASSERT_FALSE(writer.write(reader, 1, rows));
  EXPECT_EQ(rows.size(), std::size_t{many} * 6);
}

TEST(Reader, OneElement) {
  Reader reader;
  ASSERT_FALSE(read(reader, count(1) + field(column, 1, raw({2.5}))));
  EXPECT_TRUE(reader.has(0, 0));
  EXPECT_FALSE(reader.has(6, 0));
  EXPECT_EQ(value_at(reader[0], 0, 0.0), 2.5);
}

// Integers of 8 and 16 bits are varints in rows.
TEST(Reader, ShortIntegersOfRows) {
  Transposer transposer;
  transposer.begin(schema());
  const std::string row = from_hex("10fbffffffffffffffff01 18ffff03");
  for (int i = 0; i < 2; ++i) ASSERT_FALSE(transposer.row(bytes(row)));
  Buffer made;
  ASSERT_FALSE(transposer.finish({}, made));
  Reader reader;
  ASSERT_FALSE(reader.read(made.bytes(), schema()));
  EXPECT_EQ(value_at(reader[1], 1, std::int8_t{}), -5);
  EXPECT_EQ(value_at(reader[2], 1, std::uint16_t{}), 0xFFFF);
  RowWriter writer;
  Buffer rows;
  ASSERT_FALSE(writer.write(reader, 1, rows));
  const std::string one = to_hex(varint(10) + varint(row.size()) + row);
  EXPECT_EQ(to_hex(text(rows.bytes())), one + one);
}

TEST(Reader, NamesPositionAndColumn) {
  Reader reader;
  const std::string inner = field(column, 1, "1234567");
  const Error error = read(reader, count(1) + field(column, 7, inner));
  EXPECT_EQ(error.column, "inner.wide");
  EXPECT_EQ(error.position, count(1).size() + 2);
  EXPECT_EQ(error.message(),
            "byte 8, column inner.wide: the length is no width of this type for each value");
}

}  // namespace
