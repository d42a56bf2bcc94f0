// SPDX-License-Identifier: Apache-2.0
// Messages that differ in every pass.
#pragma once

#include <cmath>

#include "harness.hpp"
#include "random.hpp"

namespace message_bench {

// Changes what a message holds and not how many bytes that takes on any wire: no two passes send
// the same, so that nothing kept of an earlier one is right.
class Alteration {
 public:
  explicit Alteration(Random& random) : random_(random) {}

  // Long messages are changed at their beginning.
  bool is_done() const { return left_ == 0; }

  template <class T>
  void number(T& value) {
    if constexpr (std::is_floating_point_v<T>) {
      using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
      if (!std::isnormal(value)) return;
      value = std::bit_cast<T>(std::bit_cast<Bits>(value) ^ static_cast<Bits>(take() % 16));
    } else if (value >= 64) {  // a varint keeps its length
      value = static_cast<T>((value / 64) * 64 + static_cast<T>(take() % 64));
    }
  }
  void text(char* data, std::size_t size) {
    if (size == 0) return;
    char& letter = data[take() % size];
    if (letter >= ' ' && letter <= '~') letter = static_cast<char>('a' + random_() % 26);
  }
  template <class T>
  void octets(T& value) {
    if (value.size() != 0) value[take() % value.size()] = static_cast<std::uint8_t>(random_());
  }

 private:
  std::uint64_t take() {
    --left_;
    return random_();
  }

  Random& random_;
  int left_ = 64;
};

template <class T>
void add_octets(Alteration& alteration, T& value) {
  if (!alteration.is_done()) alteration.octets(value);
}

template <class T>
void add(Alteration& alteration, T& value) {
  if (alteration.is_done()) return;
  if constexpr (std::is_same_v<T, bool> || std::is_enum_v<T>) {
  } else if constexpr (std::is_arithmetic_v<T>) {
    alteration.number(value);
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    alteration.text(value.data(), value.size());
  } else if constexpr (IsVariant<T>::value) {
    std::visit([&alteration](auto& held) { add(alteration, held); }, value);
  } else if constexpr (requires { Walk<T>::fields(alteration, value); }) {
    Walk<T>::fields(alteration, value);
  } else if constexpr (requires { value.settle(); }) {  // a map, in the order of its keys
  } else if constexpr (requires { value.begin(); }) {
    for (auto&& element : value) add(alteration, element);
  } else if constexpr (requires { value.has_value(); }) {
    if (value.has_value()) add(alteration, *value);
  }
}

}  // namespace message_bench
