// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "osmp/model.hpp"

/// FMI 2 value references, each unique within its type.
namespace wirecost::fmu::player {

inline constexpr std::uint32_t sensor_view_out = 0;                 // three integers
inline constexpr std::uint32_t count = 3, frames = 4;               // integers
inline constexpr std::uint32_t valid = 0, loop = 1, published = 2;  // booleans
inline constexpr std::uint32_t trace = 0, log_folder = 1;           // strings

extern const Declaration declaration;
void initialize(Variables& variables);

}  // namespace wirecost::fmu::player
