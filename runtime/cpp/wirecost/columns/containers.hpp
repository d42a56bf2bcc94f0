// SPDX-License-Identifier: Apache-2.0
// Where columns can stand in the messages around them: what the schema compiler writes.
#pragma once

#include "wirecost/columns/schema.hpp"

namespace wirecost::columns {

// A single or repeated message field that leads on: its number and the index of its container.
struct Edge {
    std::uint32_t number = 0;
    std::uint32_t container = 0;
};

// A list of rows, and the columns field that it can become.
struct ColumnsField {
    std::uint32_t rows = 0;     // field number of the list
    std::uint32_t columns = 0;  // and of the message with its columns
    std::uint32_t schema = 0;   // index of the element's
};

// A message type with columns fields, or with messages in it that have some.
struct Container {
    std::string_view name{};
    std::span<const Edge> edges{};
    std::span<const ColumnsField> columns_fields{};
};

struct Containers {
    std::span<const Container> all{};
    std::span<const Schema> schemas{};
    std::span<const std::span<const Reduction>> reductions{};  // one a schema, of one a node
};

}  // namespace wirecost::columns
