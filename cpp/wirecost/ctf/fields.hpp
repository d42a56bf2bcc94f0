// SPDX-License-Identifier: Apache-2.0
// Reads the fields of packets and events, within the bounds of their bytes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "layout.hpp"

namespace wirecost::ctf {

struct Values {
  std::array<std::int64_t, slots> numbers{};
  std::array<std::string_view, text_slots> texts{};
  std::array<std::vector<std::uint64_t>, list_slots> lists{};
  std::uint64_t clock = 0;  ///< of the last field that told the time

  void reset_event() {
    for (int i = slot_value; i < slot_values_end; ++i) numbers[static_cast<std::size_t>(i)] = 0;
    texts.fill({});
    for (auto& list : lists) list.clear();
  }
};

class FieldReader {
 public:
  FieldReader(const Layout& layout, Values& values) : layout_(&layout), values_(&values) {}

  void open(std::span<const std::uint8_t> bytes, std::uint64_t bit, std::uint64_t end) {
    data_ = bytes.data();
    bit_ = bit;
    end_ = end;
  }

  /// False where the fields end beyond the bytes, or no option of a variant is chosen.
  bool read(Range range) {
    for (std::uint32_t i = range.first; i != range.last; ++i)
      if (!read(layout_->steps[i])) return false;
    return true;
  }

  std::uint64_t bit() const { return bit_; }
  std::uint64_t end() const { return end_; }

 private:
  bool read(const Step& step);
  bool integer(const Step& step);
  bool skip(std::uint64_t bits);
  bool text(const Step& step);
  bool characters(const Step& step);
  bool repeat(const Step& step, std::uint64_t count);
  bool variant(const Step& step);
  bool align(std::uint32_t bits);
  bool has(std::uint64_t bits) const { return bits <= end_ - bit_; }
  std::uint64_t bits_at(std::uint64_t bit, unsigned size, bool big_endian) const;

  const Layout* layout_;
  Values* values_;
  const std::uint8_t* data_ = nullptr;
  std::uint64_t bit_ = 0, end_ = 0;
};

}  // namespace wirecost::ctf
