// SPDX-License-Identifier: Apache-2.0
// How many points before theirs the points of a block lie nearest: a turn of a lidar's beams less
// those that are missing, which changes along a scan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace wirecost::cloud::packed {

/// Fill `lags`, one for each block. Two columns say where the points lie.
void find_lags(std::span<const std::int32_t> x, std::span<const std::int32_t> y,
               std::vector<std::uint8_t>& lags);

}  // namespace wirecost::cloud::packed
