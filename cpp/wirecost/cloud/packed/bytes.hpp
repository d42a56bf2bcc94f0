// SPDX-License-Identifier: Apache-2.0
// Bytes of a packed cloud, written to a growing buffer and read within bounds.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace wirecost::cloud::packed {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie");

[[noreturn]] inline void refuse(const char* what) {
  throw std::invalid_argument(std::string("packed cloud: ") + what);
}

/// Keeps its memory, and does not clear it before it is written.
class ByteWriter {
 public:
  void clear() { size_ = 0; }
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(bytes_).first(size_)); }
  std::size_t size() const { return size_; }

  template <class Number>
  void number(Number value) {
    std::memcpy(room(sizeof value), &value, sizeof value);
  }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) number(static_cast<std::uint8_t>(value | 0x80));
    number(static_cast<std::uint8_t>(value));
  }
  void text(std::string_view value) {
    varint(value.size());
    bytes(std::as_bytes(std::span(value)));
  }
  void bytes(std::span<const std::byte> value) {
    if (!value.empty()) std::memcpy(room(value.size()), value.data(), value.size());
  }
  /// Room at the end, which `cut` gives back.
  std::uint8_t* room(std::size_t size) {
    const std::size_t at = size_;
    size_ += size;
    if (size_ > bytes_.size()) bytes_.resize(2 * size_);
    return bytes_.data() + at;
  }
  void cut(const std::uint8_t* end) { size_ = static_cast<std::size_t>(end - bytes_.data()); }
  void set(std::size_t at, std::uint32_t value) {
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }

 private:
  std::vector<std::uint8_t> bytes_;
  std::size_t size_ = 0;
};

/// Throws std::invalid_argument at the end of its bytes.
class ByteReader {
 public:
  ByteReader() = default;
  explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  std::size_t left() const { return rest_.size(); }
  std::span<const std::byte> take(std::size_t size) {
    if (size > rest_.size()) refuse("ends too early");
    const auto taken = rest_.first(size);
    rest_ = rest_.subspan(size);
    return taken;
  }
  template <class Number>
  Number number() {
    Number value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = number<std::uint8_t>();
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return value;
    }
    refuse("a number has more than ten bytes");
  }
  /// A varint that may not exceed a limit.
  std::size_t count(std::size_t most) {
    const std::uint64_t value = varint();
    if (value > most) refuse("a count is larger than what it counts");
    return static_cast<std::size_t>(value);
  }

 private:
  std::span<const std::byte> rest_;
};

}  // namespace wirecost::cloud::packed
