// SPDX-License-Identifier: Apache-2.0
// Reads lines of a type's number and a message in hexadecimal, prints each message as generated C++
// writes it.
#pragma once
#include <cstddef>
#include <iostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

using Bytes = std::vector<std::byte>;
using Again = bool (*)(Bytes&);

#define AGAIN(wire_, space, name)                           \
  [](Bytes& bytes) {                                        \
    space::name message;                                    \
    if (space::wire_::decode(bytes, message)) return false; \
    bytes.resize(space::wire_::encoded_size(message));      \
    return !space::wire_::encode(message, bytes).error;     \
  }

#define AGAIN_CLASS(name)                                                       \
  [](Bytes& bytes) {                                                            \
    name message;                                                               \
    if (!message.ParseFromArray(bytes.data(), int(bytes.size()))) return false; \
    bytes.resize(message.ByteSizeLong());                                       \
    return message.SerializeToArray(bytes.data(), int(bytes.size()));           \
  }

inline int answer(std::span<const Again> every) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::size_t number = 0;
  while (std::cin >> number) {
    std::string line;
    std::getline(std::cin, line);
    Bytes bytes;
    for (std::size_t i = 1; i + 1 < line.size(); i += 2)
      bytes.push_back(std::byte(std::stoi(line.substr(i, 2), nullptr, 16)));
    if (!every[number](bytes)) {
      std::cerr << "type " << number << " is refused\n";
      return 1;
    }
    for (const std::byte byte : bytes)
      std::cout << digits[std::size_t(byte) >> 4] << digits[std::size_t(byte) & 15];
    std::cout << '\n';
  }
  return 0;
}
