// SPDX-License-Identifier: Apache-2.0
// Floors, no wires: bare memory that only the same program on the same machine can read.
#pragma once

#include <array>
#include <cstring>

#include "bench/repeated/carrier.hpp"

namespace wirecost::bench::repeated {

/// The plain elements as they lie, copied at once.
template <class Repeated_>
class Memcpy {
 public:
  using Repeated = Repeated_;
  using Element = typename Repeated::Element;
  static_assert(std::is_trivially_copyable_v<Element>);

  void encode(std::span<const Element> elements) {
    buffer_.resize(elements.size_bytes());
    std::memcpy(buffer_.data(), elements.data(), elements.size_bytes());
  }
  std::span<std::byte> buffer() {
    return std::as_writable_bytes(std::span(buffer_.data(), buffer_.size()));
  }
  bool decode(auto& out) {
    const std::size_t count = buffer_.size() / sizeof(Element);
    const auto* elements = reinterpret_cast<const Element*>(buffer_.data());
    out.begin(count);
    for (std::size_t i = 0; i < count; ++i) out.element(i, elements[i]);
    return true;
  }

 private:
  columns::Buffer buffer_;
};

/// An array for each field, each on a multiple of 64 bytes: columns without a wire around them.
template <class Repeated_>
class BareArrays {
 public:
  using Repeated = Repeated_;

  void encode(std::span<const typename Repeated::Element> elements) {
    count_ = elements.size();
    std::array<std::size_t, field_count<Repeated>> begins;
    std::size_t end = 0;
    for_each_field<Repeated>([&](const auto&, auto index) {
      begins[index] = (end + columns::alignment - 1) / columns::alignment * columns::alignment;
      end = begins[index] + count_ * sizeof(StoredOf<Repeated, index>);
    });
    buffer_.resize(end);
    for_each_field<Repeated>([&](const auto&, auto index) {
      using Stored = StoredOf<Repeated, index>;
      auto* const begin = reinterpret_cast<Stored*>(buffer_.data() + begins[index]);
      std::get<index>(spans_) = {begin, count_};
    });
    scatter<Repeated>(elements, spans_);
  }
  std::span<std::byte> buffer() {
    return std::as_writable_bytes(std::span(buffer_.data(), buffer_.size()));
  }
  bool decode(auto& out) {
    out.begin(count_);
    for_each_field<Repeated>(
        [&](const auto&, auto index) { out.template column<index>(std::get<index>(spans_)); });
    return true;
  }

 private:
  columns::Buffer buffer_;
  Spans<Repeated> spans_;
  std::size_t count_ = 0;
};

template <class Repeated>
void add_floors(Contenders& all) {
  add<BareArrays<Repeated>>(all, {"arrays", "reused", "none", "none", "trusting; a floor"});
  add<Memcpy<Repeated>>(all, {"memcpy", "reused", "none", "none", "trusting; a floor"});
}

}  // namespace wirecost::bench::repeated
