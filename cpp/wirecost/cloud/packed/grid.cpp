// SPDX-License-Identifier: Apache-2.0
#include "wirecost/cloud/packed/grid.hpp"

#include "wirecost/cloud/packed/clones.hpp"
#include "wirecost/cloud/packed/form.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace wirecost::cloud::packed {
namespace {

constexpr double most = 0x7FFFFFFF;

// Bit by bit, so that loops have no branches.
template <class Value, class Bits>
std::uint64_t far(Value value, double step, double error, double scaled, double nearest) {
  const auto back = static_cast<Value>(nearest * step);
  const bool outside = !(std::abs(scaled) < most);
  const bool off = error > 0 ? !(std::abs(double{value} - double{back}) <= error)
                             : std::bit_cast<Bits>(value) != std::bit_cast<Bits>(back);
  return static_cast<std::uint64_t>(outside) | static_cast<std::uint64_t>(off);
}

template <class Value, class Bits>
inline std::size_t place_all(const Value* values, std::size_t count, double step, double error,
                             std::int32_t* numbers) {
  const double steps = 1 / step;
  std::uint64_t all = 0;  // as wide as what is compared: vector code then narrows nothing
  for (std::size_t at = 0; at < count; ++at) {
    const double scaled = values[at] * steps;
    numbers[at] = rounded(scaled);
    all += far<Value, Bits>(values[at], step, error, scaled, nearest(scaled));
  }
  return all;
}

WIRECOST_CLONES
std::size_t place_near(const float* values, std::size_t count, double step, double error,
                       std::int32_t* numbers) {
  return place_all<float, std::uint32_t>(values, count, step, error, numbers);
}

WIRECOST_CLONES
std::uint32_t largest_bits(const float* values, std::size_t count) {
  constexpr auto infinite = std::bit_cast<std::int32_t>(std::numeric_limits<float>::infinity());
  std::int32_t largest = 0;
  for (std::size_t at = 0; at < count; ++at) {
    const std::int32_t bits = std::bit_cast<std::int32_t>(values[at]) & 0x7FFFFFFF;
    const std::int32_t finite = bits < infinite ? bits : 0;
    largest = finite > largest ? finite : largest;
  }
  return static_cast<std::uint32_t>(largest);
}

}  // namespace

double largest(std::span<const float> values) {
  return std::bit_cast<float>(largest_bits(values.data(), values.size()));
}

double largest(std::span<const double> values) {
  double largest = 0;
  for (const double value : values)
    if (std::isfinite(value) && std::abs(value) > largest) largest = std::abs(value);
  return largest;
}

std::size_t place(std::span<const float> values, double step, double error, std::int32_t* numbers) {
  return place_near(values.data(), values.size(), step, error, numbers);
}
std::size_t place(std::span<const double> values, double step, double error,
                  std::int32_t* numbers) {
  return place_all<double, std::uint64_t>(values.data(), values.size(), step, error, numbers);
}

bool is_near(float value, double step, double error, std::int32_t number) {
  return !far<float, std::uint32_t>(value, step, error, value * (1 / step), number);
}
bool is_near(double value, double step, double error, std::int32_t number) {
  return !far<double, std::uint64_t>(value, step, error, value * (1 / step), number);
}

}  // namespace wirecost::cloud::packed
