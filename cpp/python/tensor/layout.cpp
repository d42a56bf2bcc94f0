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

}  // namespace

std::uint32_t crc32(Bytes bytes, std::uint32_t crc) {
  crc = ~crc;
  for (const std::uint8_t byte : bytes) crc = (crc >> 8) ^ crc_table[(crc ^ byte) & 0xFF];
  return ~crc;
}

std::optional<Header> Header::copied(Bytes buffer) {
  Header made;
  Prefix& prefix = made.prefix_;
  if (buffer.size() < sizeof prefix) return std::nullopt;
  std::memcpy(&prefix, buffer.data(), sizeof prefix);
  if (prefix.header_bytes < sizeof prefix || prefix.header_bytes > most_header ||
      prefix.header_bytes > buffer.size())
    return std::nullopt;
  const Bytes there = buffer.first(prefix.header_bytes);
  made.bytes_.assign(there.begin(), there.end());
  // What was copied counts, also if it has changed since.
  std::memcpy(&prefix, made.bytes_.data(), sizeof prefix);
  if (std::memcmp(prefix.magic, "WCTF", 4) != 0 || prefix.version != 1 || prefix.flags != 0 ||
      prefix.reserved != 0 || prefix.header_bytes != made.bytes_.size() ||
      prefix.total > buffer.size() || prefix.total < prefix.header_bytes ||
      prefix.segments > most_segments ||
      prefix.header_bytes < sizeof prefix + prefix.segments * sizeof(Segment))
    return std::nullopt;
  const Bytes whole(made.bytes_);
  constexpr std::size_t before_crc = sizeof prefix - sizeof prefix.crc;
  if (crc32(whole.subspan(sizeof prefix), crc32(whole.first(before_crc))) != prefix.crc)
    return std::nullopt;
  if (!made.table_is_right()) return std::nullopt;
  return made;
}

Segment Header::segment(std::size_t index) const {
  Segment found;
  std::memcpy(&found, bytes_.data() + sizeof(Prefix) + index * sizeof found, sizeof found);
  return found;
}

Bytes Header::description() const {
  return Bytes(bytes_).subspan(sizeof(Prefix) + segments() * sizeof(Segment));
}

bool Header::table_is_right() const {
  std::uint64_t end = prefix_.header_bytes;
  for (std::size_t i = 0; i < segments(); ++i) {
    const auto [offset, length] = segment(i);
    if (length == 0 && offset == 0) continue;
    if (length == 0 || offset % alignment != 0 || offset < end || length > total() ||
        offset > total() - length)
      return false;
    end = offset + length;
  }
  return true;
}

}  // namespace wirecost::tensor
