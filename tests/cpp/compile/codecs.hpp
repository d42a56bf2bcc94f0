// SPDX-License-Identifier: Apache-2.0
// Generated functions, which overloading finds by their message, as types that templates take.
#pragma once

#include <stdexcept>

#include "compile/bytes.hpp"

// Codec of `message`, in `space`, on `wire`: a type of that name with the message, its view and
// the functions for both.
#define WIRECOST_CODEC(name, space, message, wire)                                           \
  struct name {                                                                              \
    using Message = space::message;                                                          \
    using View = space::wire::message##View;                                                 \
    static std::size_t size(const Message& m) { return space::wire::encoded_size(m); }       \
    static auto encode(const Message& m, std::span<std::byte> out) {                         \
      return space::wire::encode(m, out);                                                    \
    }                                                                                        \
    static auto decode(wirecost::test::Bytes in, Message& m,                                 \
                       const wirecost::Limits& limits = {}) {                                \
      return space::wire::decode(in, m, limits);                                             \
    }                                                                                        \
    static auto view(wirecost::test::Bytes in, View& v) { return space::wire::view(in, v); } \
  }

namespace wirecost::test {

// The bytes of a message, from a buffer of just its size.
template <class Codec>
std::string encoded(const typename Codec::Message& message) {
  std::vector<std::byte> buffer(Codec::size(message));
  const auto made = Codec::encode(message, buffer);
  if (made.error) throw std::runtime_error(made.error.what());
  if (made.bytes.size() != buffer.size()) throw std::runtime_error("another size than announced");
  return text(made.bytes);
}

// The message in `in`, which must be one.
template <class Codec>
typename Codec::Message decoded(std::string_view in) {
  typename Codec::Message message;
  if (const auto error = Codec::decode(exact(in), message)) throw std::runtime_error(error.what());
  return message;
}

}  // namespace wirecost::test
