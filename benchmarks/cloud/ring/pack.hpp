// SPDX-License-Identifier: Apache-2.0
// Moving points that stay together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "cloud/ring/rule.hpp"

namespace wirecost::cloud {

/// What may be read and written behind the last point that is looked at.
inline constexpr std::size_t pack_reach = 3;

/// Moves those of `from` whose bits in `kept` are set to `to`, in order; how many they are. `to` is
/// `from` or lies before it. Up to `pack_reach` points behind the last one that stays are read and
/// overwritten.
using Pack = std::size_t (*)(PointXYZIRC* to, const PointXYZIRC* from,
                             std::span<const std::uint64_t> kept);

std::size_t pack_points_portable(PointXYZIRC* to, const PointXYZIRC* from,
                                 std::span<const std::uint64_t> kept);

/// The quickest that this processor can run.
Pack pack_points();

}  // namespace wirecost::cloud
