// SPDX-License-Identifier: Apache-2.0
#include "layout.hpp"

#include <array>

namespace wirecost::tensor {

namespace {

constexpr auto crc_table = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320U : 0);
    table[i] = crc;
  }
  return table;
}();

bool table_is_right(const Header& header) {
  std::uint64_t end = header.prefix.header_bytes;
  for (std::size_t i = 0; i < header.prefix.segments; ++i) {
    const auto [offset, length] = segment_at(header.table, i);
    if (length == 0 && offset == 0) continue;
    if (length == 0 || offset % alignment != 0 || offset < end || length > header.prefix.total ||
        offset > header.prefix.total - length)
      return false;
    end = offset + length;
  }
  return true;
}

}  // namespace

std::uint32_t crc32(Bytes bytes, std::uint32_t crc) {
  crc = ~crc;
  for (const std::uint8_t byte : bytes) crc = (crc >> 8) ^ crc_table[(crc ^ byte) & 0xFF];
  return ~crc;
}

std::optional<Header> header_of(Bytes buffer) {
  Header found{};
  Prefix& prefix = found.prefix;
  if (buffer.size() < sizeof prefix) return std::nullopt;
  std::memcpy(&prefix, buffer.data(), sizeof prefix);
  if (std::memcmp(prefix.magic, "WCTF", 4) != 0 || prefix.version != 1 || prefix.flags != 0 ||
      prefix.reserved != 0 || prefix.total > buffer.size() || prefix.segments > most_segments)
    return std::nullopt;
  const std::size_t table_end = sizeof prefix + prefix.segments * sizeof(Segment);
  if (prefix.header_bytes < table_end || prefix.header_bytes > prefix.total ||
      prefix.header_bytes > most_header)
    return std::nullopt;
  const Bytes header = buffer.first(prefix.header_bytes);
  constexpr std::size_t before_crc = sizeof prefix - sizeof prefix.crc;
  if (crc32(header.subspan(sizeof prefix), crc32(header.first(before_crc))) != prefix.crc)
    return std::nullopt;
  found.table = header.data() + sizeof prefix;
  found.description = header.subspan(table_end);
  if (!table_is_right(found)) return std::nullopt;
  return found;
}

}  // namespace wirecost::tensor
