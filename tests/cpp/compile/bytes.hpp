// SPDX-License-Identifier: Apache-2.0
// Bytes of messages as tests write and compare them.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wirecost::test {

using Bytes = std::span<const std::byte>;

inline Bytes bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

inline std::string text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// "0a ff" → two bytes.
inline std::string from_hex(std::string_view hex) {
  std::string made;
  std::string digits;
  for (const char digit : hex) {
    if (digit != ' ') digits += digit;
    if (digits.size() < 2) continue;
    made += static_cast<char>(std::stoi(digits, nullptr, 16));
    digits.clear();
  }
  return made;
}

inline std::string to_hex(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string made;
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    made += {digits[value >> 4U], digits[value & 15U]};
  }
  return made;
}

// A heap block of just this size: the sanitizer sees every access beyond it.
inline std::vector<std::byte> exact(std::string_view text) {
  const Bytes from = bytes(text);
  return {from.begin(), from.end()};
}

}  // namespace wirecost::test
