// SPDX-License-Identifier: Apache-2.0
// Numbers in groups of eight, each group's in as many bits as its largest has: no code to look up.
#pragma once

#include "wirecost/cloud/packed/bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace wirecost::cloud::packed {

constexpr std::size_t group = 8;
/// Points for which one lag holds: how many points before theirs the ones lie that they are like.
constexpr std::size_t lag_block = 32;
constexpr std::uint8_t least_lag = group, most_lag = 255;

constexpr std::size_t block_count(std::size_t points) {
  return (points + lag_block - 1) / lag_block;
}

/// Each value less the one before it by its block's lag, folded, from the block on that begins at
/// `begin`. Before the first value lies `base`.
void lagged_differences(std::span<const std::int32_t> values, std::span<const std::uint8_t> lags,
                        std::int32_t base, std::size_t begin, std::span<std::uint32_t> differences);

/// Bytes that whole groups of these numbers take.
std::size_t bytes_in_groups(std::span<const std::uint32_t> values);

/// `widths` is memory that is kept.
void encode_groups(std::span<const std::uint32_t> values, std::vector<std::uint8_t>& widths,
                   ByteWriter& out);

/// Throws std::invalid_argument.
void decode_groups(ByteReader& in, std::span<std::uint32_t> values);

/// The values of which `encode_groups` got the lagged differences. Throws std::invalid_argument.
void decode_lagged(ByteReader& in, std::span<const std::uint8_t> lags, std::int32_t base,
                   std::span<std::int32_t> values);

}  // namespace wirecost::cloud::packed
