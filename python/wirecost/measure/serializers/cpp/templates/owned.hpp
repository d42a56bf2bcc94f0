// SPDX-License-Identifier: Apache-2.0
// New and reused holders by the codec of the namespace `mine`, which is there before this header.
#pragma once

#include "holders.hpp"

namespace message_bench {
namespace {

inline std::span<const std::byte> encoded_by_mine(const Holder& made, std::span<std::byte> buffer) {
  const auto encoded = mine::encode(made, buffer);
  require(!encoded.error, "it does not encode");
  return encoded.bytes;
}

struct New {
  using Holder = message_bench::Holder;
  static constexpr const char* mode = "new";
  static std::size_t size_of(const Holder& value) { return mine::encoded_size(value); }
  Bytes buffer;
  std::span<const std::byte> sent;
  std::optional<Holder> made, parsed;

  void fill(const Holder& value) { made.emplace(value); }
  void encode() { sent = encoded_by_mine(*made, buffer); }
  void decode() { require(!mine::decode(sent, parsed.emplace()), "it does not decode"); }
  void read(Sum& sum) const { add(sum, *parsed); }
  void destroy() {
    made.reset();
    parsed.reset();
  }
  std::optional<Bytes> again() const { return bytes_of(*parsed); }
};

struct Reused {
  using Holder = message_bench::Holder;
  static constexpr const char* mode = "reused";
  static std::size_t size_of(const Holder& value) { return mine::encoded_size(value); }
  Bytes buffer;
  std::span<const std::byte> sent;
  Holder made, parsed;

  void fill(const Holder& value) { made = value; }
  void encode() { sent = encoded_by_mine(made, buffer); }
  void decode() { require(!mine::decode(sent, parsed), "it does not decode"); }
  void read(Sum& sum) const { add(sum, parsed); }
  void destroy() {}
  std::optional<Bytes> again() const { return bytes_of(parsed); }
};

inline void add_new_and_reused(Contenders& all, const Content<Holder>& content) {
  all.push_back(std::make_unique<Runner<New>>(content));
  all.push_back(std::make_unique<Runner<Reused>>(content));
}

}  // namespace
}  // namespace message_bench
