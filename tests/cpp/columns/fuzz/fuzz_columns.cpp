// SPDX-License-Identifier: Apache-2.0
// libFuzzer over everything that reads columns or rows. The first byte says what the others are:
// columns of one of the schemas, rows of one, or a whole SensorView. What becomes rows becomes
// columns again, and those the same rows.
#include <cstdlib>

#include "columns/fuzz/columns_walk.hpp"
#include "conformance/columns2/columns_proto2.columns.hpp"
#include "conformance/columns3/columns_proto3.columns.hpp"
#include "osi3/columns_containers.hpp"

namespace {

using namespace wirecost::columns;
using wirecost::test::walk;
using Bytes = std::span<const std::byte>;

constexpr Limits limits{.max_count = 1U << 12U};
constexpr ConversionLimits sizes{.memory = 1U << 22U, .memory_per_byte = 0};

void require(bool holds) {
  if (!holds) std::abort();
}

bool equal(const Buffer& a, const Buffer& b) {
  return a.size() == b.size() && std::equal(a.data(), a.data() + a.size(), b.data());
}

// The rows in `list`, each behind a tag of one byte, as columns; false if they are refused.
bool transposed(const Schema& schema, const Buffer& list, Reduce form, Buffer& in_columns) {
  static Transposer transposer;
  static std::vector<Reduction> reductions;
  reductions.clear();
  for (const Node& node : schema.nodes) {
    const Reduction wanted{form};
    reductions.push_back(can_reduce(node, wanted) ? wanted : Reduction{});
  }
  transposer.begin(schema, sizes);
  wirecost::Reading reading(list.data(), 0, 0, wirecost::no_limits);
  const auto* const end = list.data() + list.size();
  for (const auto* p = list.data(); p != end;) {
    std::string_view row;
    p = wirecost::protobuf::read_text(p + 1, end, reading, row);
    require(p != nullptr);
    if (transposer.row(std::as_bytes(std::span(row)))) return false;
  }
  in_columns.clear();
  return !transposer.finish(reductions, in_columns);
}

void again(const Schema& schema, const Buffer& rows) {
  static Reader reader;
  static RowWriter writer;
  static Buffer in_columns;
  static Buffer same;
  for (const Reduce form : {Reduce::exact, Reduce::automatic}) {
    if (!transposed(schema, rows, form, in_columns)) continue;
    require(!reader.read(in_columns.bytes(), schema, limits));
    same.clear();
    if (!writer.write(reader, 1, same, sizes)) require(equal(rows, same));
  }
}

void columns(const Schema& schema, Bytes in) {
  static Reader reader;
  static RowWriter writer;
  static Buffer rows;
  if (const Error error = reader.read(in, schema, limits)) {
    require(error.position <= in.size());
    return;
  }
  walk(reader);
  rows.clear();
  if (!writer.write(reader, 1, rows, sizes)) again(schema, rows);
}

// Any rows: what comes back of them is what comes back of that.
void rows(const Schema& schema, Bytes in) {
  static Reader reader;
  static RowWriter writer;
  static Transposer transposer;
  static Buffer in_columns;
  static Buffer made;
  transposer.begin(schema, sizes);
  for (std::size_t at = 0; at < in.size();) {
    const std::size_t size =
        std::min<std::size_t>(static_cast<unsigned char>(in[at]), in.size() - at - 1);
    if (transposer.row(in.subspan(at + 1, size))) return;
    at += size + 1;
  }
  in_columns.clear();
  made.clear();
  if (transposer.finish({}, in_columns)) return;
  require(!reader.read(in_columns.bytes(), schema, limits));
  if (!writer.write(reader, 1, made, sizes)) again(schema, made);
}

// What is found lies in the message.
void found(Bytes in) {
  static std::vector<FoundColumns> lists;
  constexpr auto container = wire::osi3::ColumnContainers::SensorView;
  const Error error = find<wire::osi3::LidarSensorViewReflectionColumns>(
      wire::osi3::ColumnContainers::containers, container, in, lists);
  require(error.position <= in.size());
  for (const FoundColumns& list : lists) {
    require(!error && list.position <= in.size());
    require(list.content.size() <= in.size() - list.position);
    columns(wire::osi3::LidarSensorViewReflectionColumns::schema, list.content);
  }
}

void message(Bytes in) {
  static Converter converter(wire::osi3::ColumnContainers::containers);
  static Buffer made;
  static Buffer back;
  constexpr auto container = wire::osi3::ColumnContainers::SensorView;
  const Converter::Options options{false, limits, sizes};
  for (const bool to_columns : {false, true}) {
    made.clear();
    back.clear();
    if (to_columns) {
      if (converter.to_columns(container, in, made, options)) continue;
      static_cast<void>(converter.to_rows(container, made.bytes(), back, options));
    } else if (!converter.to_rows(container, in, made, options)) {
      static_cast<void>(converter.to_columns(container, made.bytes(), back, options));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static const Schema schemas[]{wire::conformance::columns2::SampleColumns::schema,
                                wire::conformance::columns3::SampleColumns::schema,
                                wire::osi3::LidarSensorViewReflectionColumns::schema,
                                wire::osi3::MovingObjectColumns::schema};
  if (size == 0) return 0;
  const auto in = std::as_bytes(std::span(data, size)).subspan(1);
  const unsigned what = data[0] % 9;
  if (what < 4) columns(schemas[what], in);
  if (what >= 4 && what < 8) rows(schemas[what - 4], in);
  if (what == 8) {
    message(in);
    found(in);
  }
  return 0;
}
