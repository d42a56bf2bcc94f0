// SPDX-License-Identifier: Apache-2.0
#include "wirecost/cloud/packed/cones.hpp"

#include "wirecost/cloud/packed/clones.hpp"
#include "wirecost/cloud/packed/form.hpp"

#include <cmath>
#include <limits>

namespace wirecost::cloud::packed {
namespace {

constexpr double most_steps = 0x7FFFFFFF;

WIRECOST_CLONES
void heights_of_grids(const std::int32_t* x, double x_step, const std::int32_t* y, double y_step,
                      double slope, std::size_t count, std::int32_t* to) {
  for (std::size_t at = 0; at < count; ++at) {
    const double across = x[at] * x_step, along = y[at] * y_step;
    const double steps = std::sqrt(across * across + along * along) * slope;
    const std::int32_t height = rounded(steps);
    to[at] = std::abs(steps) < most_steps ? height : 0;
  }
}

double away(const Side& side, std::size_t at) {
  return side.step > 0 ? side.values[at] * side.step : double{float_of(side.values[at])};
}

}  // namespace

void heights(const Side& x, const Side& y, double slope, bool in_steps, std::size_t begin,
             std::size_t end, std::int32_t* to) {
  if (x.step > 0 && y.step > 0 && in_steps)
    return heights_of_grids(x.values.data() + begin, x.step, y.values.data() + begin, y.step, slope,
                            end - begin, to);
  for (std::size_t at = begin; at < end; ++at) {
    const double across = away(x, at), along = away(y, at);
    const double height = std::sqrt(across * across + along * along) * slope;
    if (in_steps)
      *to++ = std::abs(height) < most_steps ? rounded(height) : 0;
    else
      *to++ = std::abs(height) <= std::numeric_limits<float>::max()
                  ? order_of(static_cast<float>(height))
                  : 0;
  }
}

}  // namespace wirecost::cloud::packed
