// SPDX-License-Identifier: Apache-2.0
#include "cloud/ring/pack.hpp"

#include <array>
#include <cstring>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace wirecost::cloud {
namespace {

#ifdef __x86_64__
struct alignas(32) Parts {
  std::array<std::int32_t, 8> of_two;
};

/// For the bits of two points: which of their 32-bit parts come first.
constexpr std::array<Parts, 4> parts{{{{0, 1, 2, 3, 4, 5, 6, 7}},
                                      {{0, 1, 2, 3, 4, 5, 6, 7}},
                                      {{4, 5, 6, 7, 4, 5, 6, 7}},
                                      {{0, 1, 2, 3, 4, 5, 6, 7}}}};

__attribute__((target("avx2"))) inline __m256i two_points(const PointXYZIRC* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

__attribute__((target("avx2"))) inline void write_two(PointXYZIRC* to, __m256i points,
                                                      std::uint64_t kept) {
  const __m256i order = _mm256_load_si256(reinterpret_cast<const __m256i*>(&parts[kept & 3]));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_permutevar8x32_epi32(points, order));
}

__attribute__((target("avx2,popcnt"))) std::size_t pack_points_avx2(
    PointXYZIRC* to, const PointXYZIRC* from, std::span<const std::uint64_t> kept) {
  const PointXYZIRC* const begin = to;
  for (const std::uint64_t word : kept) {
    const PointXYZIRC* four = from;
    for (std::uint64_t left = word; left != 0; left >>= 4, four += 4) {
      // All are read before any is written.
      const __m256i one = two_points(four);
      const __m256i other = two_points(four + 2);
      write_two(to, one, left);
      to += _mm_popcnt_u64(left & 3);
      write_two(to, other, left >> 2);
      to += _mm_popcnt_u64(left >> 2 & 3);
    }
    from += 64;
  }
  return static_cast<std::size_t>(to - begin);
}
#endif

}  // namespace

std::size_t pack_points_portable(PointXYZIRC* to, const PointXYZIRC* from,
                                 std::span<const std::uint64_t> kept) {
  const PointXYZIRC* const begin = to;
  for (const std::uint64_t word : kept) {
    if (word == ~std::uint64_t{0}) {
      if (to != from) std::memmove(to, from, 64 * sizeof(PointXYZIRC));
      to += 64;
    } else {
      // Every point is written and only those that stay count: nothing here is left to guessing.
      const PointXYZIRC* one = from;
      for (std::uint64_t left = word; left != 0; left >>= 1, ++one) {
        *to = *one;
        to += left & 1;
      }
    }
    from += 64;
  }
  return static_cast<std::size_t>(to - begin);
}

Pack pack_points() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt")) return pack_points_avx2;
#endif
  return pack_points_portable;
}

}  // namespace wirecost::cloud
