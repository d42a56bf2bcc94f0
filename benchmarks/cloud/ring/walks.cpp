// SPDX-License-Identifier: Apache-2.0
#include "cloud/ring/walks.hpp"

#include <algorithm>
#include <bit>

namespace wirecost::cloud {
namespace {

constexpr std::uint32_t longest_run = 32;  // of joins, that is looked for as bits
constexpr std::uint64_t all = ~std::uint64_t{0};

/// One behind the last point of the walk that `begin` is in; `count` bounds it.
std::size_t walk_end(std::span<const std::uint64_t> joined, std::size_t begin, std::size_t count) {
  const std::size_t next = begin + 1;
  if (next >= count) return count;
  std::size_t word = next / 64;
  std::uint64_t apart = ~joined[word] & all << next % 64;
  while (apart == 0) {
    if (++word == joined.size()) return count;
    apart = ~joined[word];
  }
  return std::min(count, word * 64 + static_cast<std::size_t>(std::countr_zero(apart)));
}

/// Where the last walk begins.
std::size_t last_walk(std::span<const std::uint64_t> joined, std::size_t count) {
  std::size_t at = count - 1;
  while ((joined[at / 64] >> at % 64 & 1) != 0) --at;
  return at;
}

}  // namespace

std::span<const std::uint64_t> RingWalks::operator()(std::span<const PointXYZIRC> points,
                                                     std::span<const std::uint64_t> joined,
                                                     bool around) {
  if (kept_.size() < joined.size()) kept_.resize(joined.size());
  find_long_walks(joined);
  judge_short_walks(points, joined);
  if (around) join_around(points, joined);
  if (points.size() % 64 != 0) kept_[joined.size() - 1] &= all >> (64 - points.size() % 64);
  return {kept_.data(), joined.size()};
}

/// Keeps walks of more than `many_points` without looking at each: a run of that many joins, in one
/// place, holds all points that it reaches.
void RingWalks::find_long_walks(std::span<const std::uint64_t> joined) {
  const std::uint32_t many = options_.many_points;
  if (many > longest_run) {
    std::fill_n(kept_.begin(), joined.size(), 0);
    return;
  }
  std::uint64_t before = 0;  // where runs begin in the word before
  for (std::size_t word = 0; word < joined.size(); ++word) {
    const std::uint64_t here = joined[word];
    const std::uint64_t behind = word + 1 < joined.size() ? joined[word + 1] : 0;
    std::uint64_t runs = all;
    for (std::uint32_t i = 1; i <= many; ++i) runs &= here >> i | behind << (64 - i);
    std::uint64_t kept = runs;
    for (std::uint32_t i = 1; i <= many; ++i) kept |= runs << i | before >> (64 - i);
    kept_[word] = kept;
    before = runs;
  }
}

/// Keeps those of the other walks that are long in metres.
void RingWalks::judge_short_walks(std::span<const PointXYZIRC> points,
                                  std::span<const std::uint64_t> joined) {
  // A single point is long only where no length is asked for.
  const bool singles = !(options_.object_length * options_.object_length > 0);
  for (std::size_t word = 0; word < joined.size(); ++word) {
    const std::uint64_t here = joined[word];
    const std::uint64_t behind = word + 1 < joined.size() ? joined[word + 1] : 0;
    std::uint64_t begins = ~here & ~kept_[word];
    if (!singles) begins &= here >> 1 | behind << 63;
    for (; begins != 0; begins &= begins - 1) {
      const std::size_t begin = word * 64 + static_cast<std::size_t>(std::countr_zero(begins));
      if (begin >= points.size()) break;
      const std::size_t end = walk_end(joined, begin, points.size());
      if (stays(points[begin], points[end - 1], end - begin, options_)) set_kept(begin, end, true);
    }
  }
}

/// Judges the last walk together with the first one, in which it goes on.
void RingWalks::join_around(std::span<const PointXYZIRC> points,
                            std::span<const std::uint64_t> joined) {
  const std::size_t count = points.size();
  const std::size_t first_end = walk_end(joined, 0, count);
  if (first_end == count) return;
  const std::size_t last = last_walk(joined, count);
  const bool kept = stays(points[last], points[first_end - 1], count - last + first_end, options_);
  set_kept(0, first_end, kept);
  set_kept(last, count, kept);
}

void RingWalks::set_kept(std::size_t begin, std::size_t end, bool kept) {
  for (std::size_t at = begin; at < end;) {
    const std::size_t word = at / 64;
    const std::size_t next = std::min(end, (word + 1) * 64);
    const std::uint64_t mask = all >> (64 - (next - at)) << at % 64;
    kept_[word] = kept ? kept_[word] | mask : kept_[word] & ~mask;
    at = next;
  }
}

}  // namespace wirecost::cloud
