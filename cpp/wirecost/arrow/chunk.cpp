// SPDX-License-Identifier: Apache-2.0
#include "wirecost/arrow/chunk.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace wirecost::arrow {

static_assert(std::endian::native == std::endian::little);

namespace {

template <class Value>
Value load(const std::byte* from) {
  Value value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// A message's record: opcode, bytes behind these two, channel, sequence, log and publish time.
constexpr std::byte message_opcode{5};
constexpr std::size_t length_at = 1, content_at = 9, channel_at = 9, log_time_at = 15, data_at = 31;

constexpr std::uint32_t polynomial = 0xEDB88320;

/// For each byte what it adds to the checksum, with 0 to 7 bytes behind it.
constexpr auto tables = [] {
  std::array<std::array<std::uint32_t, 256>, 8> made{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1U) ^ ((value & 1U) != 0 ? polynomial : 0);
    made[0][byte] = value;
  }
  for (std::size_t behind = 1; behind < made.size(); ++behind)
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = made[behind - 1][byte];
      made[behind][byte] = (before >> 8U) ^ made[0][before & 0xFFU];
    }
  return made;
}();

std::uint32_t by_tables(std::uint32_t crc, std::span<const std::byte> bytes) {
  while (bytes.size() >= 8) {
    const std::uint64_t eight = load<std::uint64_t>(bytes.data()) ^ crc;
    crc = 0;
    for (std::size_t i = 0; i < 8; ++i) crc ^= tables[7 - i][(eight >> (8 * i)) & 0xFFU];
    bytes = bytes.subspan(8);
  }
  for (const std::byte byte : bytes)
    crc = (crc >> 8U) ^ tables[0][(crc ^ std::to_integer<std::uint32_t>(byte)) & 0xFFU];
  return crc;
}

#ifdef __x86_64__
constexpr std::size_t block = 16, folded_at_least = 4 * block;

// Remainders of the powers of x by which a block is moved ahead by four blocks.
constexpr std::int64_t high_by_four = 0x01c6e41596, low_by_four = 0x0154442bd4;

/// Moves four blocks as one and adds the next four, until fewer are left; returns these.
__attribute__((target("avx512f,vpclmulqdq"))) const __m128i* fold_wide(__m128i* sums,
                                                                       const __m128i* at,
                                                                       const __m128i* end) {
  const __m512i by_four = _mm512_set4_epi64(high_by_four, low_by_four, high_by_four, low_by_four);
  __m512i sum = _mm512_loadu_si512(sums);
  for (; end - at >= 4; at += 4) {
    const __m512i low = _mm512_clmulepi64_epi128(sum, by_four, 0x00);
    const __m512i high = _mm512_clmulepi64_epi128(sum, by_four, 0x11);
    sum = _mm512_xor_si512(_mm512_xor_si512(low, high), _mm512_loadu_si512(at));
  }
  _mm512_storeu_si512(sums, sum);
  return at;
}

/// Of bytes in whole blocks, four of them at least, by products without carries: V. Gopal and
/// others, "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ", Intel, 2009.
__attribute__((target("pclmul,sse4.1"))) std::uint32_t by_folding(
    std::uint32_t crc, std::span<const std::byte> bytes) {
  const auto* at = reinterpret_cast<const __m128i*>(bytes.data());
  const auto* const end = at + bytes.size() / block;
  const __m128i by_four = _mm_set_epi64x(high_by_four, low_by_four);
  const __m128i by_one = _mm_set_epi64x(0x00ccaa009e, 0x01751997d0);
  const __m128i to_word = _mm_set_epi64x(0, 0x0163cd6124);
  const __m128i barrett = _mm_set_epi64x(0x01f7011641, 0x01db710641);
  const __m128i low_words = _mm_setr_epi32(-1, 0, -1, 0);

  __m128i sums[4];
  for (__m128i& sum : sums) sum = _mm_loadu_si128(at++);
  sums[0] = _mm_xor_si128(sums[0], _mm_cvtsi32_si128(static_cast<int>(crc)));
  static const bool is_wide =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("vpclmulqdq");
  if (is_wide) at = fold_wide(sums, at, end);
  for (; end - at >= 4; at += 4)
    for (std::size_t i = 0; i < 4; ++i) {
      const __m128i low = _mm_clmulepi64_si128(sums[i], by_four, 0x00);
      const __m128i high = _mm_clmulepi64_si128(sums[i], by_four, 0x11);
      sums[i] = _mm_xor_si128(_mm_xor_si128(low, high), _mm_loadu_si128(at + i));
    }
  __m128i sum = sums[0];
  for (std::size_t i = 1; i < 4 + static_cast<std::size_t>(end - at); ++i) {
    const __m128i next = i < 4 ? sums[i] : _mm_loadu_si128(at + (i - 4));
    const __m128i low = _mm_clmulepi64_si128(sum, by_one, 0x00);
    const __m128i high = _mm_clmulepi64_si128(sum, by_one, 0x11);
    sum = _mm_xor_si128(_mm_xor_si128(low, high), next);
  }
  sum = _mm_xor_si128(_mm_srli_si128(sum, 8), _mm_clmulepi64_si128(sum, by_one, 0x10));
  const __m128i word = _mm_clmulepi64_si128(_mm_and_si128(sum, low_words), to_word, 0x00);
  sum = _mm_xor_si128(word, _mm_srli_si128(sum, 4));
  __m128i rest = _mm_clmulepi64_si128(_mm_and_si128(sum, low_words), barrett, 0x10);
  rest = _mm_clmulepi64_si128(_mm_and_si128(rest, low_words), barrett, 0x00);
  return static_cast<std::uint32_t>(_mm_extract_epi32(_mm_xor_si128(sum, rest), 1));
}
#endif

}  // namespace

std::uint32_t crc32(std::span<const std::byte> bytes) {
  std::uint32_t crc = ~0U;
#ifdef __x86_64__
  static const bool folds = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
  if (folds && bytes.size() >= folded_at_least) {
    const std::size_t size = bytes.size() / block * block;
    crc = by_folding(crc, bytes.first(size));
    bytes = bytes.subspan(size);
  }
#endif
  return ~by_tables(crc, bytes);
}

Heads message_heads(std::span<const std::byte> chunk, std::span<const std::uint64_t> offsets,
                    std::span<const std::uint16_t> channels) {
  Heads heads;
  heads.begins.reserve(offsets.size());
  heads.sizes.reserve(offsets.size());
  heads.times.reserve(offsets.size());
  heads.channels.reserve(offsets.size());
  std::vector<bool> is_wanted(1U << 16U);
  for (const std::uint16_t channel : channels) is_wanted[channel] = true;
  for (const std::uint64_t offset : offsets) {
    if (chunk.size() < data_at || offset > chunk.size() - data_at) continue;
    const std::byte* const record = chunk.data() + offset;
    const auto length = load<std::uint64_t>(record + length_at);
    if (record[0] != message_opcode || length < data_at - content_at ||
        length > chunk.size() - offset - content_at)
      continue;
    const auto channel = load<std::uint16_t>(record + channel_at);
    if (!is_wanted[channel]) continue;
    heads.channels.push_back(channel);
    heads.begins.push_back(offset + data_at);
    heads.sizes.push_back(length - (data_at - content_at));
    const auto time = load<std::uint64_t>(record + log_time_at);
    heads.times.push_back(static_cast<std::int64_t>(std::min<std::uint64_t>(time, INT64_MAX)));
  }
  return heads;
}

}  // namespace wirecost::arrow
