// SPDX-License-Identifier: Apache-2.0
// Our generated holders and views, on the wire whose functions are given. `Repeated::Wirecost` has
// Message, rows(message or view), fill(element, row) and value(row).
#pragma once

#include "bench/repeated/carrier.hpp"

namespace wirecost::bench::repeated {

inline constexpr const char* generated_by = "wirecost compile " WIRECOST_VERSION;

/// `Functions` has static encoded_size, encode, decode and view; `Received` is the message or its
/// view. The message is used again and again: what is set once is set every time.
template <class Repeated_, class Functions, class Received>
class WirecostRows {
 public:
  using Repeated = Repeated_;
  using Wirecost = typename Repeated::Wirecost;

  void encode(std::span<const typename Repeated::Element> elements) {
    auto& rows = Wirecost::rows(sent_);
    rows.resize(elements.size());
    for (std::size_t i = 0; i < elements.size(); ++i) Wirecost::fill(elements[i], rows[i]);
    buffer_.resize(Functions::encoded_size(sent_));
    // Space of the exact size: the only thing that could fail.
    static_cast<void>(Functions::encode(sent_, buffer()));
  }
  std::span<std::byte> buffer() {
    return std::as_writable_bytes(std::span(buffer_.data(), buffer_.size()));
  }
  bool decode(auto& out) {
    const auto failed = [&] {
      if constexpr (std::is_same_v<Received, typename Wirecost::Message>)
        return static_cast<bool>(Functions::decode(buffer_.bytes(), received_));
      else
        return static_cast<bool>(Functions::view(buffer_.bytes(), received_));
    }();
    if (failed) return false;
    const auto& rows = Wirecost::rows(received_);
    out.begin(rows.size());
    std::size_t i = 0;
    for (const auto& row : rows) out.element(i++, Wirecost::value(row));
    return true;
  }

 private:
  columns::Buffer buffer_;
  typename Wirecost::Message sent_;
  Received received_;
};

template <class Repeated, class Functions>
void add_wirecost_rows(Contenders& all, const char* name, const char* wire) {
  using Message = typename Repeated::Wirecost::Message;
  add<WirecostRows<Repeated, Functions, Message>>(
      all, {name, "reused", wire, generated_by, "owning, validating"});
  add<WirecostRows<Repeated, Functions, typename Functions::View>>(
      all, {name, "view", wire, generated_by, "borrowing, validating"});
}

}  // namespace wirecost::bench::repeated
