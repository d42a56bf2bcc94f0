// SPDX-License-Identifier: Apache-2.0
// Every repeated field is a file in fields/ that defines one of these functions.
#pragma once

#include "bench/repeated/contender.hpp"

namespace wirecost::bench::repeated {

/// A field as the driver must know it: `type` as NumPy names it, little-endian; `error` the largest
/// absolute error of the reduced contender, 0 if it has none.
struct FieldDescription {
  std::string name, type;
  double error = 0;
};

struct RepeatedField {
  std::string name, message;
  std::uint32_t rows = 0;
  std::vector<FieldDescription> fields;
  Contenders (*contenders)() = nullptr;
};

template <class Repeated>
RepeatedField describe(Contenders (*contenders)()) {
  RepeatedField made{Repeated::name, Repeated::message, Repeated::rows, {}, contenders};
  for_each_field<Repeated>([&](const auto& field, auto index) {
    using Stored = StoredOf<Repeated, index>;
    const char* const kind = std::is_floating_point_v<Stored> ? "f"
                             : std::is_unsigned_v<Stored>     ? "u"
                                                              : "i";
    made.fields.push_back(
        {field.name, kind + std::to_string(sizeof(Stored)), field.reduction.error});
  });
  return made;
}

RepeatedField radar_reflection();
RepeatedField radar_detection();
RepeatedField lidar_reflection();
RepeatedField lidar_detection();
RepeatedField moving_object();
RepeatedField point();

}  // namespace wirecost::bench::repeated
