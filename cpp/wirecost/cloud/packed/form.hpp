// SPDX-License-Identifier: Apache-2.0
// What packer and unpacker agree on: docs/formats/clouds.md.
#pragma once

#include "wirecost/cloud/cloud_view.hpp"
#include "wirecost/cloud/packed/bytes.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

namespace wirecost::cloud::packed {

constexpr std::uint32_t magic = 0x31435057;  // "WPC1"
constexpr std::size_t most_fields = 256, longest_name = 255;
/// Bytes of a point's fields for each of its own: fields may lie over others, as `rgb` does.
constexpr std::size_t most_overlap = 4;
constexpr std::uint64_t most_points = std::uint64_t{1} << 31;

enum class Order : std::uint8_t {
  own,
  beams,  ///< columns may be sorted by beam
  lags,   ///< columns may have differences to points that lie a lag before
};
constexpr std::uint8_t order_count = 3;

/// How the column of a field is stored.
enum class Mode : std::uint8_t {
  constant,    ///< one value
  integers,    ///< every bit: integers, and floats as integers of the same order
  wide,        ///< every bit of eight bytes
  grid,        ///< multiples of a step, and exceptions with every bit
  cone,        ///< `grid` beside the height that a beam has at this distance
  exact_cone,  ///< `integers` beside that
  beam,        ///< the number of the beam
};
constexpr std::uint8_t mode_count = 7;
/// Beside the mode: the points are sorted by beam.
constexpr std::uint8_t sorted_flag = 0x80;

constexpr bool is_float(Type type) { return type == Type::f32 || type == Type::f64; }

/// Integers in the order of floats, minus zero just below zero. Its own inverse.
constexpr std::int32_t ordered(std::int32_t bits) { return bits ^ (bits >> 31 & 0x7FFFFFFF); }
constexpr std::int64_t ordered(std::int64_t bits) {
  return bits ^ (bits >> 63 & 0x7FFFFFFFFFFFFFFF);
}
inline float float_of(std::int32_t order) { return std::bit_cast<float>(ordered(order)); }
inline std::int32_t order_of(float value) { return ordered(std::bit_cast<std::int32_t>(value)); }

/// 1.5 * 2^52: the last bits of a sum with it are the nearest integer, to even from the middle.
constexpr double integer_shift = 6755399441055744.0;

/// The nearest integer, below 2^31.
inline std::int32_t rounded(double value) {
  return static_cast<std::int32_t>(std::bit_cast<std::int64_t>(value + integer_shift));
}
/// The same as a double.
inline double nearest(double value) { return value + integer_shift - integer_shift; }

}  // namespace wirecost::cloud::packed
