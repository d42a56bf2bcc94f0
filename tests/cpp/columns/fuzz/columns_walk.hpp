// SPDX-License-Identifier: Apache-2.0
// Reads every value of every column, by every accessor.
#pragma once

#include <cstring>

#include "wirecost/columns/column.hpp"
#include "wirecost/columns/reduce.hpp"

namespace wirecost::test {

namespace detail {

template <class T>
void walk_values(const columns::Values<T>& values) {
  static std::vector<typename columns::Values<T>::Stored> spare;
  const auto all = values.span(spare);
  if (all.size() != values.size()) std::abort();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto one = static_cast<typename columns::Values<T>::Stored>(values[i]);
    if (!std::is_same_v<T, bool> && std::memcmp(&one, &all[i], sizeof one) != 0) std::abort();
  }
}

// By both accessors, NaNs change their bits alike from float to double and back.
template <class T>
void walk_scalar(const columns::Reader& reader, std::uint32_t node) {
  if (reader.schema().nodes[node].repeated) {
    const columns::RepeatedColumn<T> column(reader, node);
    for (std::size_t i = 0; i < column.size(); ++i) {
      const columns::Range range = column[i];
      if (range.end < range.begin || range.end > column.total()) std::abort();
    }
    return walk_values<T>(column.values());
  }
  const columns::Column<T> column(reader, node);
  std::size_t having = 0;
  for (std::size_t i = 0; i < column.size(); ++i) {
    static_cast<void>(column[i]);
    having += column.has(i) ? 1 : 0;
  }
  if (having > column.size()) std::abort();
  walk_values<T>(columns::Values<T>(reader[node], column.size(), T{}));
}

inline void walk_texts(const columns::TextColumn& column) {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < column.size(); ++i) {
    for (const char c : column[i].substr(0, 16)) sum += static_cast<unsigned char>(c);
    if (!column[i].empty()) sum += static_cast<unsigned char>(column[i].back());
  }
  if (sum == SIZE_MAX) std::abort();
}

}  // namespace detail

inline void walk(const columns::Reader& reader) {
  enum class Choice : std::int32_t {};
  using columns::Type;
  for (std::uint32_t node = 0; node < reader.schema().nodes.size(); ++node) {
    switch (reader.schema().nodes[node].type) {
      case Type::boolean: detail::walk_scalar<bool>(reader, node); break;
      case Type::int8: detail::walk_scalar<std::int8_t>(reader, node); break;
      case Type::uint8: detail::walk_scalar<std::uint8_t>(reader, node); break;
      case Type::int16: detail::walk_scalar<std::int16_t>(reader, node); break;
      case Type::uint16: detail::walk_scalar<std::uint16_t>(reader, node); break;
      case Type::int32: detail::walk_scalar<std::int32_t>(reader, node); break;
      case Type::uint32: detail::walk_scalar<std::uint32_t>(reader, node); break;
      case Type::int64: detail::walk_scalar<std::int64_t>(reader, node); break;
      case Type::uint64: detail::walk_scalar<std::uint64_t>(reader, node); break;
      case Type::float32: detail::walk_scalar<float>(reader, node); break;
      case Type::float64: detail::walk_scalar<double>(reader, node); break;
      case Type::enumeration: detail::walk_scalar<Choice>(reader, node); break;
      case Type::text: detail::walk_texts({reader, node}); break;
      case Type::message:
        for (std::size_t i = 0; i < reader[node].elements; ++i) {
          if (reader.schema().nodes[node].repeated) {
            static_cast<void>(columns::RangesColumn(reader, node)[i]);
          } else {
            static_cast<void>(columns::MessageColumn(reader, node).has(i));
          }
        }
    }
  }
}

}  // namespace wirecost::test
