// SPDX-License-Identifier: Apache-2.0
#include "cloud/area/detection_areas.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace wirecost::cloud {
namespace {

// Building bands costs about as much as this many questions to Boost.
constexpr std::size_t worth_building = 6;
constexpr std::size_t first_block = 128;

float below(double value) {
  const auto nearest = static_cast<float>(value);
  return std::nextafter(nearest, -std::numeric_limits<float>::infinity());
}

float above(double value) {
  const auto nearest = static_cast<float>(value);
  return std::nextafter(nearest, std::numeric_limits<float>::infinity());
}

PlaneBox box_of(const Area& area) {
  const auto [left, right] = std::ranges::minmax(area.outer(), {}, [](auto& v) { return v.x(); });
  const auto [low, high] = std::ranges::minmax(area.outer(), {}, [](auto& v) { return v.y(); });
  return {below(left.x()), above(right.x()), below(low.y()), above(high.y())};
}

#ifdef __x86_64__
__attribute__((target("avx2"))) void find_in_box_avx2(const PlaneBlock& block, const PlaneBox& box,
                                                      std::size_t words, std::uint64_t* bits) {
  const __m256 low_x = _mm256_set1_ps(box.low_x);
  const __m256 high_x = _mm256_set1_ps(box.high_x);
  const __m256 low_y = _mm256_set1_ps(box.low_y);
  const __m256 high_y = _mm256_set1_ps(box.high_y);
  for (std::size_t i = 0; i < words * 64; i += 64) {
    std::uint64_t word = 0;
    for (std::size_t j = 0; j < 64; j += 8) {
      const __m256 x = _mm256_load_ps(&block.x[i + j]);
      const __m256 y = _mm256_load_ps(&block.y[i + j]);
      const __m256 in_x =
          _mm256_and_ps(_mm256_cmp_ps(x, low_x, _CMP_GE_OQ), _mm256_cmp_ps(x, high_x, _CMP_LE_OQ));
      const __m256 in_y =
          _mm256_and_ps(_mm256_cmp_ps(y, low_y, _CMP_GE_OQ), _mm256_cmp_ps(y, high_y, _CMP_LE_OQ));
      const int mask = _mm256_movemask_ps(_mm256_and_ps(in_x, in_y));
      word |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(mask)) << j;
    }
    bits[i / 64] = word;
  }
}
#endif

}  // namespace

void find_in_box_portable(const PlaneBlock& block, const PlaneBox& box, std::size_t words,
                          std::uint64_t* bits) {
  for (std::size_t i = 0; i < words * 64; i += 64) {
    std::uint64_t word = 0;
    for (std::size_t j = 0; j < 64; ++j) {
      const float x = block.x[i + j];
      const float y = block.y[i + j];
      const bool in = x >= box.low_x && x <= box.high_x && y >= box.low_y && y <= box.high_y;
      word |= std::uint64_t{in} << j;
    }
    bits[i / 64] = word;
  }
}

FindInBox find_in_box() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) return find_in_box_avx2;
#endif
  return find_in_box_portable;
}

void DetectionAreas::operator()(const PlanePoints& points, std::span<const Area> areas, Ask ask,
                                std::vector<Inside>& inside) {
  inside.resize(areas.size());
  if (watches_.size() < areas.size()) watches_.resize(areas.size());
  for (std::size_t a = 0; a < areas.size(); ++a) {
    inside[a].reset(ask, points.size());
    watches_[a].box = box_of(areas[a]);
    watches_[a].asked = 0;
    watches_[a].built = false;
  }
  // Small blocks first: the first point inside is often found at once.
  std::size_t block = ask == Ask::first ? first_block : block_points;
  for (std::size_t from = 0; from < points.size();) {
    const std::size_t count = std::min(block, points.size() - from);
    const std::size_t words = (count + 63) / 64;
    for (std::size_t i = 0; i < count; ++i) {
      const XY point = points[from + i];
      block_.x[i] = point.x;
      block_.y[i] = point.y;
    }
    for (std::size_t i = count; i < words * 64; ++i)
      block_.x[i] = std::numeric_limits<float>::quiet_NaN();
    bool looking = false;
    for (std::size_t a = 0; a < areas.size(); ++a) {
      if (ask == Ask::first && inside[a].first != nowhere) continue;
      look(watches_[a], areas[a], from, words, ask, inside[a]);
      looking = looking || ask == Ask::all || inside[a].first == nowhere;
    }
    if (!looking) return;
    from += count;
    block = std::min(block * 2, block_points);
  }
}

void DetectionAreas::look(Watch& watch, const Area& area, std::size_t from, std::size_t words,
                          Ask ask, Inside& inside) {
  std::array<std::uint64_t, block_points / 64> bits;
  find_(block_, watch.box, words, bits.data());
  for (std::size_t word = 0; word < words; ++word) {
    std::uint64_t found = 0;
    for (std::uint64_t left = bits[word]; left != 0; left &= left - 1) {
      const auto bit = static_cast<std::size_t>(std::countr_zero(left));
      const std::size_t i = word * 64 + bit;
      if (!holds(watch, area, {block_.x[i], block_.y[i]})) continue;
      if (inside.first == nowhere) inside.first = from + i;
      if (ask == Ask::first) return;
      found |= std::uint64_t{1} << bit;
    }
    if (found != 0) inside.mask[from / 64 + word] = found;
  }
}

bool DetectionAreas::holds(Watch& watch, const Area& area, XY point) {
  if (watch.built) {
    const Side side = watch.bands.side(point);
    if (side != Side::unclear) return side == Side::inside;
  } else if (++watch.asked >= worth_building) {
    watch.bands.build(area);
    watch.built = true;
  }
  // Infinity may be in a box whose border is beyond the largest float.
  return finite(point) && within(point, area);
}

}  // namespace wirecost::cloud
