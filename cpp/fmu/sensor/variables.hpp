// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "osmp/model.hpp"

/// FMI 2 value references, each unique within its type.
namespace wirecost::fmu::sensor {

inline constexpr std::uint32_t sensor_view_in = 0, sensor_data_out = 3;  // three integers each
inline constexpr std::uint32_t config_request = 6, config = 9;           // three integers each
inline constexpr std::uint32_t count = 12, read_sum = 13;                // integers
inline constexpr std::uint32_t valid = 0, published = 1, read_all = 2;   // booleans
inline constexpr std::uint32_t nominal_range = 0;                        // real
inline constexpr std::uint32_t log_folder = 0;                           // string

extern const Declaration declaration;
void initialize(Variables& variables);

}  // namespace wirecost::fmu::sensor
