// SPDX-License-Identifier: Apache-2.0
// Values as MessagePack's own library writes them.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "layout.hpp"

namespace wirecost::tensor {

constexpr unsigned tensor_extension = 1;

struct Tensor {
  std::size_t segment;
  std::string_view type;
  std::span<const std::int64_t> shape;
  std::span<const std::int64_t> axes;  // in the order in which they lie; none for the usual order
  std::string_view framework;
};

// Every number in the fewest bytes.
class Packed {
 public:
  Bytes bytes() const { return bytes_; }

  void byte(unsigned value) { bytes_.push_back(static_cast<std::uint8_t>(value)); }
  void text(std::string_view text) { bytes_.insert(bytes_.end(), text.begin(), text.end()); }
  template <class T>
  void big(T value) {
    for (std::size_t i = sizeof value; i-- > 0;) byte(static_cast<unsigned>(value >> 8 * i) & 0xFF);
  }

  void unsigned_number(std::uint64_t value) {
    if (value < 0x80) return byte(static_cast<unsigned>(value));
    if (value <= 0xFF) return byte(0xCC), byte(static_cast<unsigned>(value));
    if (value <= 0xFFFF) return byte(0xCD), big(static_cast<std::uint16_t>(value));
    if (value <= 0xFFFFFFFF) return byte(0xCE), big(static_cast<std::uint32_t>(value));
    byte(0xCF), big(value);
  }
  void number(std::int64_t value) {
    if (value >= 0) return unsigned_number(static_cast<std::uint64_t>(value));
    const auto bits = static_cast<std::uint64_t>(value);
    if (value >= -0x20) return byte(bits & 0xFF);
    if (value >= INT8_MIN) return byte(0xD0), byte(bits & 0xFF);
    if (value >= INT16_MIN) return byte(0xD1), big(static_cast<std::uint16_t>(bits));
    if (value >= INT32_MIN) return byte(0xD2), big(static_cast<std::uint32_t>(bits));
    byte(0xD3), big(bits);
  }
  void real(double value) { byte(0xCB), big(std::bit_cast<std::uint64_t>(value)); }
  void string(std::string_view value) {
    if (value.size() < 0x20)
      byte(0xA0 | static_cast<unsigned>(value.size()));
    else
      sized(value.size(), 0xD9);
    text(value);
  }
  void binary(std::string_view value) { sized(value.size(), 0xC4), text(value); }
  // `few`: the first byte of a collection of none, `many`: that of one with a length of two bytes.
  void collection(std::size_t size, unsigned few, unsigned many) {
    if (size < 0x10) return byte(few | static_cast<unsigned>(size));
    if (size <= 0xFFFF) return byte(many), big(static_cast<std::uint16_t>(size));
    byte(many + 1), big(static_cast<std::uint32_t>(size));
  }
  void array(std::size_t size) { collection(size, 0x90, 0xDC); }
  void map(std::size_t size) { collection(size, 0x80, 0xDE); }

  void nil() { byte(0xC0); }
  void tensor(const Tensor& described) {
    Packed fields;
    fields.array(5);
    fields.unsigned_number(described.segment);
    fields.string(described.type);
    fields.numbers(described.shape);
    if (described.axes.empty())
      fields.nil();
    else
      fields.numbers(described.axes);
    fields.string(described.framework);
    extension(tensor_extension, fields.bytes());
  }
  void extension(unsigned code, Bytes payload) {
    const std::size_t size = payload.size();
    if (std::has_single_bit(size) && size <= 16)
      byte(0xD4 + static_cast<unsigned>(std::countr_zero(size)));
    else
      sized(size, 0xC7);
    byte(code);
    append(payload);
  }
  void append(Bytes packed) { bytes_.insert(bytes_.end(), packed.begin(), packed.end()); }

 private:
  void numbers(std::span<const std::int64_t> found) {
    array(found.size());
    for (const std::int64_t one : found) number(one);
  }
  // `first`: the byte before a length of one byte; those of two and four bytes have the next ones.
  void sized(std::size_t size, unsigned first) {
    if (size <= 0xFF) return byte(first), byte(static_cast<unsigned>(size));
    if (size <= 0xFFFF) return byte(first + 1), big(static_cast<std::uint16_t>(size));
    byte(first + 2), big(static_cast<std::uint32_t>(size));
  }

  std::vector<std::uint8_t> bytes_;
};

}  // namespace wirecost::tensor
