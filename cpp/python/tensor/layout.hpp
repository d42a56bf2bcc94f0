// SPDX-License-Identifier: Apache-2.0
// Prefix and segment table of a frame (docs/formats/tensor-frame.md).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

namespace wirecost::tensor {

static_assert(std::endian::native == std::endian::little);

using Bytes = std::span<const std::uint8_t>;

struct Segment {
  std::uint64_t offset, length;
};

struct Prefix {
  char magic[4];
  std::uint16_t version, flags;
  std::uint64_t total;
  std::uint32_t header_bytes, segments, reserved, crc;
};
static_assert(sizeof(Prefix) == 32 && sizeof(Segment) == 16);

constexpr std::size_t alignment = 64;
constexpr std::size_t most_segments = 256;
// Of a header that is handled here; Python takes the others.
constexpr std::size_t most_header = 1 << 16;

constexpr std::uint64_t aligned(std::uint64_t offset) {
  return (offset + alignment - 1) & ~std::uint64_t{alignment - 1};
}

// CRC-32 as zlib has it, continued from `crc`.
std::uint32_t crc32(Bytes bytes, std::uint32_t crc = 0);

// A header whose sizes, checksum and table are right, in a copy: whoever shares the memory of a
// buffer may write there at any time.
class Header {
 public:
  // At the start of `buffer`. None for what is wrong, large, or has a checksum of its data: Python
  // reads these, or says what is wrong.
  static std::optional<Header> copied(Bytes buffer);

  std::uint64_t total() const { return prefix_.total; }
  std::size_t segments() const { return prefix_.segments; }
  Segment segment(std::size_t index) const;
  Bytes description() const;
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }

 private:
  bool table_is_right() const;

  Prefix prefix_{};
  std::vector<std::uint8_t> bytes_;
};

}  // namespace wirecost::tensor
