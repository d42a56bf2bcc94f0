// SPDX-License-Identifier: Apache-2.0
// Every list is a file in lists/ that defines one of these functions.
#pragma once

#include "bench/lists/contender.hpp"

namespace wirecost::bench::lists {

/// A field as the driver must know it: `type` as NumPy names it, little-endian; `error` the largest
/// absolute error of the reduced contender, 0 if it has none.
struct FieldDescription {
  std::string name, type;
  double error = 0;
};

struct ListDescription {
  std::string name, message;
  std::uint32_t rows = 0;
  std::vector<FieldDescription> fields;
  Contenders (*contenders)() = nullptr;
};

template <class List>
ListDescription describe(Contenders (*contenders)()) {
  ListDescription list{List::name, List::message, List::rows, {}, contenders};
  for_each_field<List>([&](const auto& field, auto index) {
    using Stored = StoredOf<List, index>;
    const char* const kind = std::is_floating_point_v<Stored> ? "f"
                             : std::is_unsigned_v<Stored>     ? "u"
                                                              : "i";
    list.fields.push_back(
        {field.name, kind + std::to_string(sizeof(Stored)), field.reduction.error});
  });
  return list;
}

ListDescription radar_reflection();
ListDescription radar_detection();
ListDescription lidar_reflection();
ListDescription lidar_detection();
ListDescription moving_object();
ListDescription point();

}  // namespace wirecost::bench::lists
