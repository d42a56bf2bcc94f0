// SPDX-License-Identifier: Apache-2.0
// Rows and columns as strings.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "compile/bytes.hpp"
#include "wirecost/columns/rows.hpp"

namespace wirecost::test {

// The rows of a message `{ repeated M rows = 1; }`.
inline std::vector<std::string> rows_in(std::string_view message) {
  std::vector<std::string> rows;
  Reading reading(nullptr, 0, 0, no_limits);
  const auto* p = reinterpret_cast<const Byte*>(message.data());
  const auto* const end = p + message.size();
  while (p != end) {
    std::uint32_t tag = 0;
    std::string_view row;
    p = protobuf::read_tag(p, end, reading, tag);
    if (p != nullptr) p = protobuf::read_text(p, end, reading, row);
    if (p == nullptr || tag != 10) throw std::runtime_error("no list of rows");
    rows.emplace_back(row);
  }
  return rows;
}

// That reduction for every node that can take it, exact for the others.
inline std::vector<columns::Reduction> everywhere(const columns::Schema& schema,
                                                  columns::Reduction reduction) {
  std::vector<columns::Reduction> made;
  for (const columns::Node& node : schema.nodes) {
    made.push_back(columns::can_reduce(node, reduction) ? reduction : columns::Reduction{});
  }
  return made;
}

// The content of the columns field. Throws the reason as a string.
inline std::string columns_of(const columns::Schema& schema, const std::vector<std::string>& rows,
                              columns::Reduction reduction = {}) {
  static columns::Transposer transposer;
  transposer.begin(schema);
  for (const std::string& row : rows) {
    if (const auto error = transposer.row(exact(row))) throw std::runtime_error(error.message());
  }
  columns::Buffer made;
  if (const auto error = transposer.finish(everywhere(schema, reduction), made))
    throw std::runtime_error(error.message());
  return text(made.bytes());
}

// The elements of a columns field as `{ repeated M rows = 1; }`. Throws the reason as a string.
inline std::string rows_of(const columns::Schema& schema, const std::string& columns) {
  static columns::Reader reader;
  static columns::RowWriter writer;
  const auto input = exact(columns);
  if (const auto error = reader.read(input, schema)) throw std::runtime_error(error.message());
  columns::Buffer made;
  if (const auto error = writer.write(reader, 1, made)) throw std::runtime_error(error.message());
  return text(made.bytes());
}

}  // namespace wirecost::test
