// SPDX-License-Identifier: Apache-2.0
// Which block size serves a request: steps of 16 bytes up to 128, then four a doubling, so that at
// most a fifth of a block is unused.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace wirecost::heap {

inline constexpr std::size_t page_bytes = 4096;
inline constexpr std::size_t small_max = 32768;
inline constexpr std::size_t class_count = 40;

/// The class by arithmetic.
constexpr std::size_t class_by_formula(std::size_t bytes) {
  if (bytes <= 128) return bytes == 0 ? 0 : (bytes - 1) / 16;
  const std::size_t last = bytes - 1;
  const auto power = static_cast<std::size_t>(std::bit_width(last)) - 1;
  return 8 + (power - 7) * 4 + ((last >> (power - 2)) & 3);
}

/// Classes of the sizes that are asked for most, by multiples of 16 bytes.
inline constexpr std::size_t looked_up_max = 1024;
inline constexpr auto class_by_size = [] {
  std::array<std::uint8_t, looked_up_max / 16 + 1> classes{};
  for (std::size_t i = 0; i < classes.size(); ++i) {
    classes[i] = static_cast<std::uint8_t>(class_by_formula(i * 16));
  }
  return classes;
}();

/// The class of a request of at most `small_max` bytes.
constexpr std::size_t class_of(std::size_t bytes) {
  if (bytes <= looked_up_max) return class_by_size[(bytes + 15) / 16];
  return class_by_formula(bytes);
}

inline constexpr auto class_bytes = [] {
  std::array<std::uint32_t, class_count> sizes{};
  for (std::uint32_t c = 0; c < class_count; ++c) {
    const std::uint32_t doubling = c < 8 ? 0 : (c - 8) / 4;
    sizes[c] = c < 8 ? (c + 1) * 16 : (128U << doubling) + ((c - 8) % 4 + 1) * (32U << doubling);
  }
  return sizes;
}();
static_assert(class_bytes[class_count - 1] == small_max && class_of(small_max) == class_count - 1);

/// Blocks that move between a thread and the central list at once.
inline constexpr auto batch_blocks = [] {
  std::array<std::uint32_t, class_count> counts{};
  for (std::size_t c = 0; c < class_count; ++c) {
    const std::uint32_t fitting = 16384 / class_bytes[c];
    counts[c] = fitting < 1 ? 1 : (fitting > 64 ? 64 : fitting);
  }
  return counts;
}();

/// Pages that a class takes from the pool at once: room for eight blocks, 64 KiB at least.
constexpr std::uint32_t span_pages(std::size_t c) {
  const std::size_t pages = 8 * std::size_t{class_bytes[c]} / page_bytes;
  return static_cast<std::uint32_t>(pages < 16 ? 16 : pages);
}

}  // namespace wirecost::heap
