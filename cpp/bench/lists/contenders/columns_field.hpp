// SPDX-License-Identifier: Apache-2.0
// A message whose list is in columns: writing that field, and reading it again.
#pragma once

#include <stdexcept>

#include "bench/lists/list.hpp"
#include "wirecost/columns/view.hpp"
#include "wirecost/support_protobuf.hpp"

namespace wirecost::bench::lists {

template <class List>
class ColumnsField {
 public:
  columns::Builder<typename List::Table>& builder() { return builder_; }

  void begin(std::size_t count) {
    buffer_.clear();
    std::uint8_t* p = buffer_.room(tag_bytes);
    for (std::uint64_t rest = tag; p != nullptr; rest >>= 7) {
      *p++ = static_cast<std::uint8_t>(rest > 0x7f ? rest | 0x80 : rest);
      if (rest <= 0x7f) break;
    }
    buffer_.advance(p);
    buffer_.append_zeros(columns::length_bytes);
    start_ = buffer_.size();
    builder_.begin(static_cast<std::uint32_t>(count));
  }
  /// Appends what was announced. Throws std::length_error beyond 2 GiB.
  void place() {
    if (builder_.place(buffer_)) throw std::length_error("a list beyond 2 GiB");
    const std::size_t size = buffer_.size() - start_;
    std::uint8_t* length = buffer_.data() + start_ - columns::length_bytes;
    for (unsigned i = 0; i + 1 < columns::length_bytes; ++i)
      *length++ = static_cast<std::uint8_t>((size >> 7 * i & 0x7f) | 0x80);
    *length = static_cast<std::uint8_t>(size >> 7 * (columns::length_bytes - 1));
  }
  std::span<std::byte> bytes() {
    return std::as_writable_bytes(std::span(buffer_.data(), buffer_.size()));
  }

  /// Every element of these lists has every field, so that whole columns mean something.
  bool decode(auto& out) {
    const std::span<const std::byte> found = content();
    if (found.empty() || view_.read(found)) return false;
    out.begin(view_.size());
    for_each_field<List>([&](const auto& field, auto index) {
      out.template column<index>(view_[field.token].span(std::get<index>(spare_)));
    });
    return true;
  }

 private:
  static constexpr std::uint32_t tag = columns::number_of(columns::Part::columns, List::rows) << 3 | 2;
  static constexpr std::size_t tag_bytes = 10;

  /// What the columns field holds; empty if the message is malformed or has none.
  std::span<const std::byte> content() const {
    const auto* p = buffer_.data();
    const auto* const end = p + buffer_.size();
    Reading reading(p, 0, buffer_.size(), Limits{});
    while (p != nullptr && p != end) {
      std::uint32_t found = 0;
      p = protobuf::read_tag(p, end, reading, found);
      if (p == nullptr) break;
      if (found == tag) {
        std::size_t size = 0;
        p = protobuf::read_length(p, end, reading, size);
        if (p == nullptr) break;
        return {reinterpret_cast<const std::byte*>(p), size};
      }
      p = protobuf::skip(p, end, reading, found);
    }
    return {};
  }

  columns::Buffer buffer_;
  columns::Builder<typename List::Table> builder_;
  columns::View<typename List::Table> view_;
  Arrays<List> spare_;
  std::size_t start_ = 0;
};

}  // namespace wirecost::bench::lists
