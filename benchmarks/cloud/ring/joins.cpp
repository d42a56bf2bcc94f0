// SPDX-License-Identifier: Apache-2.0
#include "cloud/ring/joins.hpp"

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace wirecost::cloud {
namespace {

void joins_between(const RingKey* keys, std::size_t begin, std::size_t end,
                   const RingOptions& options, std::uint64_t* bits) {
  for (std::size_t i = begin; i < end; ++i) {
    const RingKey& one = keys[i];
    const RingKey& next = keys[i + 1];
    const std::uint64_t joined =
        joins(one.azimuth, one.distance, next.azimuth, next.distance, options);
    if (i % 64 == 0) bits[i / 64] = 0;
    bits[i / 64] |= joined << i % 64;
  }
}

#ifdef __x86_64__
// Without FMA: every product must be rounded as in `joins`.
#define WIRECOST_AVX2 __attribute__((target("avx2")))

struct Eight {
  __m256 azimuth;
  __m256 distance;
};

/// Eight keys in the order 0 1 4 5 2 3 6 7, which `mask_of` puts right.
WIRECOST_AVX2 inline Eight load_eight(const RingKey* keys) {
  const __m256 low = _mm256_loadu_ps(&keys->azimuth);
  const __m256 high = _mm256_loadu_ps(&keys[4].azimuth);
  return {_mm256_shuffle_ps(low, high, 0x88), _mm256_shuffle_ps(low, high, 0xdd)};
}

WIRECOST_AVX2 inline std::uint64_t mask_of(__m256 lanes) {
  const __m256d ordered = _mm256_permute4x64_pd(_mm256_castps_pd(lanes), 0xd8);
  return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castpd_ps(ordered)));
}

WIRECOST_AVX2 inline __m256 less(__m256 one, __m256 other) {
  return _mm256_cmp_ps(one, other, _CMP_LT_OQ);
}

template <bool as_published>
WIRECOST_AVX2 inline std::uint64_t joins_of_eight(const RingKey* keys, const RingOptions& options) {
  const Eight one = load_eight(keys);
  const Eight next = load_eight(keys + 1);
  const __m256 ratio = _mm256_set1_ps(options.distance_ratio);
  const __m256 turn = _mm256_set1_ps(full_turn);
  const __m256 apart = _mm256_sub_ps(next.azimuth, one.azimuth);
  if constexpr (as_published) {
    const __m256 backwards = less(apart, _mm256_setzero_ps());
    const __m256 step = _mm256_add_ps(apart, _mm256_and_ps(backwards, turn));
    // Operands in the order in which these treat NaN as std::max and std::min do.
    const __m256 far = _mm256_max_ps(next.distance, one.distance);
    const __m256 near = _mm256_min_ps(next.distance, one.distance);
    return mask_of(_mm256_and_ps(less(far, _mm256_mul_ps(near, ratio)),
                                 less(step, _mm256_set1_ps(published_azimuth_step))));
  } else {
    const __m256 sign = _mm256_set1_ps(-0.0F);
    const __m256 allowed = _mm256_set1_ps(options.azimuth_step);
    const __m256 step = _mm256_andnot_ps(sign, apart);
    const __m256 other_way = _mm256_andnot_ps(sign, _mm256_sub_ps(turn, step));
    const __m256 close = _mm256_or_ps(less(step, allowed), less(other_way, allowed));
    const __m256 level = _mm256_and_ps(less(one.distance, _mm256_mul_ps(next.distance, ratio)),
                                       less(next.distance, _mm256_mul_ps(one.distance, ratio)));
    return mask_of(_mm256_and_ps(close, level));
  }
}

template <bool as_published>
WIRECOST_AVX2 void find_joins_avx2(const RingKey* keys, std::size_t count,
                                   const RingOptions& options, std::uint64_t* bits) {
  if (count < 2) return;
  const std::size_t pairs = count - 1;
  const std::size_t whole = pairs - pairs % 64;
  for (std::size_t i = 0; i < whole; i += 64) {
    std::uint64_t word = 0;
    for (std::size_t j = 0; j < 64; j += 8)
      word |= joins_of_eight<as_published>(keys + i + j, options) << j;
    bits[i / 64] = word;
  }
  joins_between(keys, whole, pairs, options, bits);
}

WIRECOST_AVX2 void find_joins_avx2(const RingKey* keys, std::size_t count,
                                   const RingOptions& options, std::uint64_t* bits) {
  if (options.as_published) {
    find_joins_avx2<true>(keys, count, options, bits);
  } else {
    find_joins_avx2<false>(keys, count, options, bits);
  }
}
#endif

}  // namespace

void find_joins_portable(const RingKey* keys, std::size_t count, const RingOptions& options,
                         std::uint64_t* bits) {
  if (count > 1) joins_between(keys, 0, count - 1, options, bits);
}

FindJoins find_joins() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) return find_joins_avx2;
#endif
  return find_joins_portable;
}

}  // namespace wirecost::cloud
