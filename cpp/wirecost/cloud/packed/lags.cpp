// SPDX-License-Identifier: Apache-2.0
#include "wirecost/cloud/packed/lags.hpp"

#include "wirecost/cloud/packed/clones.hpp"
#include "wirecost/cloud/packed/groups.hpp"
#include "wirecost/cloud/packed/stream.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace wirecost::cloud::packed {
namespace {

/// Lags that are tried: near the one before, for a point more or less came back …
constexpr int near_ones = 3;
/// … and each so many blocks, and in the first ones, all up to the longest so far and some more, …
constexpr std::size_t blocks_between = 32;
constexpr int further = 8;
/// … in the first ones up to this: a lidar may have any number of beams.
constexpr int longest = 160;
/// Points of a block by which it is judged.
constexpr std::size_t judged_points = lag_block / 2;

/// The best of some lags for a block. The cost of a difference is its logarithm, nearly: what its
/// bits as a float begin with.
WIRECOST_CLONES
int best_lag(const std::int32_t* one, const std::int32_t* other, int first, int last) {
  std::int32_t least = std::numeric_limits<std::int32_t>::max();
  int best = first;
  for (int lag = first; lag <= last; ++lag) {
    std::int32_t cost = 0;
    for (std::size_t at = 0; at < judged_points; ++at)
      for (const std::int32_t* values : {one, other}) {
        const std::int32_t difference = wrapped_difference(values[at], (values - lag)[at]);
        const std::int32_t size = (difference ^ difference >> 31) | 1;
        cost += std::bit_cast<std::int32_t>(static_cast<float>(size)) >> 16;
      }
    if (cost < least) least = cost, best = lag;
  }
  return best;
}

}  // namespace

void find_lags(std::span<const std::int32_t> x, std::span<const std::int32_t> y,
               std::vector<std::uint8_t>& lags) {
  lags.assign(block_count(x.size()), least_lag);
  int lag = least_lag, reach = 0;
  for (std::size_t block = 0; block < x.size() / lag_block; ++block) {
    const std::size_t begin = block * lag_block;
    const bool is_early = begin <= std::size_t{longest};
    const bool tries_many = is_early || block % blocks_between == 0;
    const int first = tries_many ? least_lag : std::max<int>(least_lag, lag - near_ones);
    const int last = is_early ? std::min(longest, static_cast<int>(begin))
                              : (tries_many ? reach : std::min(longest, lag + near_ones));
    if (first <= last) lag = best_lag(x.data() + begin, y.data() + begin, first, last);
    reach = std::clamp(lag + further, reach, longest);
    lags[block] = static_cast<std::uint8_t>(lag);
  }
  if (!lags.empty()) lags.back() = static_cast<std::uint8_t>(lag);
}

}  // namespace wirecost::cloud::packed
