// SPDX-License-Identifier: Apache-2.0
#include "cloud/area/winding.hpp"

#include <cmath>
#include <cstddef>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace wirecost::cloud {

Side side_portable(std::span<const EightEdges> edges, float px, float py) {
  int winding = 0;
  for (const EightEdges& eight : edges) {
    for (std::size_t i = 0; i < 8; ++i) {
      const float cross = eight.dx[i] * (py - eight.y[i]) - eight.dy[i] * (px - eight.x[i]);
      if (std::fabs(cross) <= eight.margin[i]) return Side::unclear;
      const bool begins_below = eight.y[i] <= py;
      const bool ends_below = eight.end_y[i] <= py;
      winding += static_cast<int>(begins_below && !ends_below && cross > 0);
      winding -= static_cast<int>(!begins_below && ends_below && cross < 0);
    }
  }
  return winding == 0 ? Side::outside : Side::inside;
}

#ifdef __x86_64__
namespace {

// The same, step by step, with eight edges in each register.
__attribute__((target("avx2,popcnt"))) Side side_avx2(std::span<const EightEdges> edges, float px,
                                                      float py) {
  const __m256 x = _mm256_set1_ps(px);
  const __m256 y = _mm256_set1_ps(py);
  const __m256 zero = _mm256_setzero_ps();
  const __m256 sign = _mm256_set1_ps(-0.0F);
  int winding = 0;
  for (const EightEdges& eight : edges) {
    const __m256 begin_y = _mm256_load_ps(eight.y.data());
    const __m256 end_y = _mm256_load_ps(eight.end_y.data());
    const __m256 above = _mm256_sub_ps(y, begin_y);
    const __m256 beside = _mm256_sub_ps(x, _mm256_load_ps(eight.x.data()));
    const __m256 cross = _mm256_sub_ps(_mm256_mul_ps(_mm256_load_ps(eight.dx.data()), above),
                                       _mm256_mul_ps(_mm256_load_ps(eight.dy.data()), beside));
    const __m256 near = _mm256_cmp_ps(_mm256_andnot_ps(sign, cross),
                                      _mm256_load_ps(eight.margin.data()), _CMP_LE_OQ);
    if (_mm256_movemask_ps(near) != 0) return Side::unclear;
    const __m256 begins_below = _mm256_cmp_ps(begin_y, y, _CMP_LE_OQ);
    const __m256 ends_below = _mm256_cmp_ps(end_y, y, _CMP_LE_OQ);
    const __m256 left = _mm256_cmp_ps(cross, zero, _CMP_GT_OQ);
    const __m256 right = _mm256_cmp_ps(cross, zero, _CMP_LT_OQ);
    const __m256 up = _mm256_and_ps(_mm256_andnot_ps(ends_below, begins_below), left);
    const __m256 down = _mm256_and_ps(_mm256_andnot_ps(begins_below, ends_below), right);
    winding += _mm_popcnt_u32(static_cast<unsigned>(_mm256_movemask_ps(up))) -
               _mm_popcnt_u32(static_cast<unsigned>(_mm256_movemask_ps(down)));
  }
  return winding == 0 ? Side::outside : Side::inside;
}

}  // namespace
#endif

SideOf quickest_side() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt")) return side_avx2;
#endif
  return side_portable;
}

}  // namespace wirecost::cloud
