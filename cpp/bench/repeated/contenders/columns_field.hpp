// SPDX-License-Identifier: Apache-2.0
// A message whose repeated field is in columns: writing that field, and reading it again.
#pragma once

#include <stdexcept>

#include "bench/repeated/repeated_field.hpp"
#include "wirecost/columns/view.hpp"
#include "wirecost/support_protobuf.hpp"

namespace wirecost::bench::repeated {

template <class Repeated>
class ColumnsField {
 public:
  columns::Builder<typename Repeated::Table>& builder() { return builder_; }

  void begin(std::size_t count) {
    buffer_.clear();
    start_ = columns::open_message(buffer_, number);
    builder_.begin(static_cast<std::uint32_t>(count));
  }
  /// Appends what was announced. Throws std::length_error beyond 2 GiB.
  void place() {
    if (builder_.place(buffer_)) throw std::length_error("a repeated field beyond 2 GiB");
    columns::close_message(buffer_, start_);
  }
  std::span<std::byte> bytes() {
    return std::as_writable_bytes(std::span(buffer_.data(), buffer_.size()));
  }

  /// Every element here has every field, so that whole columns mean something.
  bool decode(auto& out) {
    const std::span<const std::byte> found = content();
    if (found.empty() || view_.read(found)) return false;
    out.begin(view_.size());
    for_each_field<Repeated>([&](const auto& field, auto index) {
      out.template column<index>(view_[field.token].span(std::get<index>(spare_)));
    });
    return true;
  }

 private:
  static constexpr std::uint32_t number =
      columns::number_of(columns::Part::columns, Repeated::rows);

  /// What the columns field holds; empty if the message is malformed or has none.
  std::span<const std::byte> content() const {
    const auto* p = buffer_.data();
    const auto* const end = p + buffer_.size();
    Reading reading(p, 0, buffer_.size(), Limits{});
    while (p != nullptr && p != end) {
      std::uint32_t found = 0;
      p = protobuf::read_tag(p, end, reading, found);
      if (p == nullptr) break;
      if (found == (number << 3 | 2)) {
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
  columns::Builder<typename Repeated::Table> builder_;
  columns::View<typename Repeated::Table> view_;
  Arrays<Repeated> spare_;
  std::size_t start_ = 0;
};

}  // namespace wirecost::bench::repeated
