// SPDX-License-Identifier: Apache-2.0
// Columns of rows as messages: the inverse of pass.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "wirecost/arrow/plan.hpp"

namespace wirecost::arrow {

/// The values of a column as ColumnData has them; `begins` where its kind has offsets.
struct ColumnValues {
  std::span<const std::byte> values;
  std::span<const std::int64_t> begins;
};

/// Messages one behind the other, and where each of them ends.
struct WrittenMessages {
  std::vector<std::uint8_t> memory;
  std::vector<std::uint64_t> ends;
};

/// Writes rows from `first` on, in little-endian order, until they have so many bytes. `by_node`
/// has the columns of the plan's nodes. Parts that are not kept are zeros, as are gaps. Throws
/// std::invalid_argument where columns contradict each other or the plan, std::out_of_range where
/// the wire cannot hold a value.
WrittenMessages write_messages(const Plan& plan, std::span<const ColumnValues> by_node,
                               std::size_t rows, std::size_t first, std::size_t most_bytes);

}  // namespace wirecost::arrow
