// SPDX-License-Identifier: Apache-2.0
// Enough of JSON to print lists.
#pragma once

#include <array>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace wirecost::function {

/// Symbols may be any bytes: what is not ASCII is printed as its code.
inline std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == '"' || byte == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte > 0x7e) {
      std::array<char, 8> code{};
      std::snprintf(code.data(), code.size(), "\\u%04x", byte);
      out += code.data();
    } else {
      out += c;
    }
  }
  return out + '"';
}

template <class Items, class Print>
std::string array_of(const Items& items, Print print) {
  std::string out = "[";
  for (const auto& item : items) out += (out.size() == 1 ? "" : ",") + print(item);
  return out + "]";
}

}  // namespace wirecost::function
