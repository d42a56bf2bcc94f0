// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "osmp/model.hpp"

/// FMI 2 value references, each unique within its type.
namespace wirecost::fmu::source {

inline constexpr std::uint32_t sensor_view_out = 0;                                // three integers
inline constexpr std::uint32_t count = 3, reflections = 4, objects = 5, seed = 6;  // integers
inline constexpr std::uint32_t valid = 0, varied = 1, published = 2, distinct = 3;  // booleans
inline constexpr std::uint32_t log_folder = 0;                                      // string

extern const Declaration declaration;
void initialize(Variables& variables);

}  // namespace wirecost::fmu::source
