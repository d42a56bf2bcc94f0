// SPDX-License-Identifier: Apache-2.0
// Unpacked chunks of MCAP: where their messages lie, and their checksum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace wirecost::arrow {

/// Where the data of messages begin, their bytes, when each was recorded and its channel.
struct Heads {
  std::vector<std::uint64_t> begins, sizes;
  std::vector<std::int64_t> times;
  std::vector<std::uint16_t> channels;
};

/// Finds the messages that begin at the offsets; those are left out that are not whole, or of
/// another channel. Times behind the last one that a column can have become that one.
Heads message_heads(std::span<const std::byte> chunk, std::span<const std::uint64_t> offsets,
                    std::span<const std::uint16_t> channels);

/// The CRC-32 of zlib and MCAP.
std::uint32_t crc32(std::span<const std::byte> bytes);

}  // namespace wirecost::arrow
