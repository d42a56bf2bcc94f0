// SPDX-License-Identifier: Apache-2.0
// Members of holders that can be absent or empty, for programs of other libraries.
#pragma once

#include "holders.hpp"

namespace message_bench {

// What a oneof holds, if that is its alternative I.
template <std::size_t I, class V>
auto* choice(const V& value) {
  auto* const found = std::get_if<I>(&value);
  if constexpr (requires { found->has_value(); }) {
    return found != nullptr ? &**found : nullptr;
  } else {
    return found;
  }
}
template <class T>
auto& unboxed(T& value) {
  if constexpr (requires { value.touch(); }) {
    return value.touch();
  } else {
    return value;
  }
}
// What is empty by default is left out then.
template <class T>
const T* filled(const T& value) {
  return value.size() != 0 ? &value : nullptr;
}
template <class T>
auto* present(const T& value) {
  return value.has_value() ? &*value : nullptr;
}

template <class T>
void resize(T& list, std::size_t size) {
  if constexpr (requires { list.resize(size); }) list.resize(size);
  require(list.size() == size, "it has another length");
}
// Bytes from where another library has them.
template <class T>
void put_octets(const std::uint8_t* data, std::size_t size, T& to) {
  if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    to = std::string_view(reinterpret_cast<const char*>(data), size);
  } else {
    resize(to, size);
    std::copy_n(data, size, to.begin());
  }
}

}  // namespace message_bench
