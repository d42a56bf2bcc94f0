// SPDX-License-Identifier: Apache-2.0
// Floats as multiples of a step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace wirecost::cloud::packed {

/// The largest size of those that are finite.
double largest(std::span<const float> values);
double largest(std::span<const double> values);

/// Write the multiple nearest to each value, and return how many values are further from theirs
/// than `error`; with 0, whose bits differ. `numbers` has anything there.
std::size_t place(std::span<const float> values, double step, double error, std::int32_t* numbers);
std::size_t place(std::span<const double> values, double step, double error, std::int32_t* numbers);

/// Whether one is near enough to its multiple.
bool is_near(float value, double step, double error, std::int32_t number);
bool is_near(double value, double step, double error, std::int32_t number);

}  // namespace wirecost::cloud::packed
