// SPDX-License-Identifier: Apache-2.0
#include "wirecost/cloud/packed/groups.hpp"

#include "wirecost/cloud/packed/clones.hpp"
#include "wirecost/cloud/packed/stream.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

#if defined(__x86_64__) && !defined(WIRECOST_PORTABLE)
#include <immintrin.h>
#define WIRECOST_AVX2 __attribute__((target("avx2"), always_inline)) inline
#define WIRECOST_FOR_AVX2 __attribute__((target("avx2")))
#endif

namespace wirecost::cloud::packed {
namespace {

/// Wider groups have whole numbers: others lie in four bytes from the byte that they begin in.
constexpr unsigned widest = 25, whole = 32;
/// Of which four numbers fit eight bytes.
constexpr unsigned widest_half = 16;
constexpr unsigned last_code = 15;
/// Bytes from a group's first on that reading it may touch.
constexpr std::size_t touched = 32;

using Group = std::array<std::uint32_t, group>;
/// Bits of a group's numbers by the code of its width.
using Widths = std::array<std::uint8_t, last_code + 1>;

Widths widths_from(unsigned lowest) {
  Widths widths{};
  for (unsigned code = 1; code <= last_code; ++code) {
    const unsigned width = lowest + code - 1;
    widths[code] = static_cast<std::uint8_t>(code < last_code && width <= widest ? width : whole);
  }
  return widths;
}

/// Two halves of a group, of four numbers each. Writes up to eight bytes more than there are.
inline std::uint8_t* put_halves(std::uint64_t lower, std::uint64_t upper, unsigned width,
                                std::uint8_t* at) {
  // The upper half begins in the middle of a byte if the width is odd.
  const unsigned before = width / 2, shared = 4 * (width % 2);
  const std::uint64_t last = upper << shared | (shared > 0 ? lower >> 8 * before : 0);
  std::memcpy(at, &lower, sizeof lower);
  std::memcpy(at + before, &last, sizeof last);
  return at + width;
}

inline std::uint8_t* put_one_by_one(const std::uint32_t* values, unsigned width, std::uint8_t* at) {
  std::uint64_t held = 0;
  unsigned filled = 0;
  for (std::size_t each = 0; each < group; ++each) {
    held |= std::uint64_t{values[each]} << filled;
    filled += width;
    std::memcpy(at, &held, sizeof held);
    at += filled >> 3;
    held >>= filled & ~7U;
    filled &= 7;
  }
  return at;
}

/// The numbers of whole groups, whose widths have these codes: as many bytes as each has bits.
std::uint8_t* put_groups_anywhere(const std::uint32_t* values, std::size_t count,
                                  const std::uint8_t* codes, const Widths& widths,
                                  std::uint8_t* at) {
  for (std::size_t each = 0; each < count; ++each, values += group) {
    const unsigned width = widths[codes[each]];
    const auto four = [=](const std::uint32_t* first) {
      return first[0] | std::uint64_t{first[1]} << width | std::uint64_t{first[2]} << 2 * width |
             std::uint64_t{first[3]} << 3 * width;
    };
    at = width <= widest_half ? put_halves(four(values), four(values + 4), width, at)
                              : put_one_by_one(values, width, at);
  }
  return at;
}

#ifdef WIRECOST_FOR_AVX2
WIRECOST_FOR_AVX2
std::uint8_t* put_groups_quickly(const std::uint32_t* values, std::size_t count,
                                 const std::uint8_t* codes, const Widths& widths,
                                 std::uint8_t* at) {
  for (std::size_t each = 0; each < count; ++each, values += group) {
    const unsigned width = widths[codes[each]];
    if (width > widest_half) {
      at = put_one_by_one(values, width, at);
      continue;
    }
    const __m128i one = _mm_cvtsi32_si128(static_cast<int>(width));
    const __m128i two = _mm_cvtsi32_si128(static_cast<int>(2 * width));
    const __m256i numbers = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values));
    const __m256i odd = _mm256_sll_epi64(_mm256_srli_epi64(numbers, 32), one);
    const __m256i even = _mm256_blend_epi32(numbers, _mm256_setzero_si256(), 0b10101010);
    const __m256i pairs = _mm256_or_si256(even, odd);
    const __m256i fours =
        _mm256_or_si256(pairs, _mm256_srli_si256(_mm256_sll_epi64(pairs, two), 8));
    at = put_halves(
        static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm256_castsi256_si128(fours))),
        static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm256_extracti128_si256(fours, 1))), width,
        at);
  }
  return at;
}
#endif

WIRECOST_CLONES
void find_widths(const std::uint32_t* values, std::size_t count, std::uint8_t* widths) {
  for (std::size_t each = 0; each < count; ++each, values += group) {
    std::array<std::uint64_t, group / 2> pairs;
    std::memcpy(pairs.data(), values, sizeof pairs);
    const std::uint64_t all = pairs[0] | pairs[1] | pairs[2] | pairs[3];
    widths[each] = static_cast<std::uint8_t>(
        std::bit_width(static_cast<std::uint32_t>(all) | static_cast<std::uint32_t>(all >> 32)));
  }
}

inline void fold(const std::int32_t* values, std::size_t lag, std::size_t count,
                 std::uint32_t* to) {
  const std::int32_t* before = values - lag;
  for (std::size_t at = 0; at < count; ++at)
    to[at] = folded(wrapped_difference(values[at], before[at]));
}

/// Whole blocks, before whose values others lie.
WIRECOST_CLONES
void fold_blocks(const std::int32_t* values, const std::uint8_t* lags, std::size_t count,
                 std::uint32_t* to) {
  for (std::size_t block = 0; block < count; ++block)
    fold(values + block * lag_block, lags[block], lag_block, to + block * lag_block);
}

/// The lowest width with which numbers take the fewest bytes; how many are of each width is given.
unsigned best_lowest(const std::array<std::uint32_t, whole + 1>& counts) {
  unsigned best = 1;
  std::uint64_t fewest = std::numeric_limits<std::uint64_t>::max();
  for (unsigned lowest = 1; lowest <= widest; ++lowest) {
    const unsigned highest = std::min(lowest + last_code - 2, widest);
    std::uint64_t bytes = 0;
    for (unsigned width = 1; width <= whole; ++width)
      bytes += std::uint64_t{counts[width]} * (width > highest ? whole : std::max(width, lowest));
    if (bytes < fewest) best = lowest, fewest = bytes;
  }
  return best;
}

std::uint8_t code_of(unsigned width, unsigned lowest) {
  if (width == 0) return 0;
  const unsigned code = width < lowest ? 1 : width - lowest + 1;
  return static_cast<std::uint8_t>(width > widest ? last_code : std::min(code, last_code));
}

/// The numbers of a group, behind which eight more bytes may be read.
Group group_at(const std::uint8_t* at, unsigned width) {
  Group values;
  for (std::size_t each = 0; each < group; ++each) {
    const std::size_t bit = each * width;
    std::uint64_t number = 0;
    std::memcpy(&number, at + bit / 8, sizeof number);
    values[each] =
        static_cast<std::uint32_t>(number >> bit % 8 & ((std::uint64_t{1} << width) - 1));
  }
  return values;
}

/// Takes one group after the other.
class GroupReader {
 public:
  GroupReader(ByteReader& in, std::size_t values) {
    const auto lowest = in.number<std::uint8_t>();
    if (lowest < 1 || lowest > widest) refuse("no such width");
    widths_ = widths_from(lowest);
    const std::size_t size = in.number<std::uint32_t>();
    const std::size_t count = (values + group - 1) / group;
    codes_ = bytes_of(in.take((count + 1) / 2));
    const auto bytes = in.take(size);
    at_ = bytes_of(bytes);
    end_ = at_ + size;
  }

  unsigned width(std::size_t group) const {
    return widths_[codes_[group / 2] >> 4 * (group % 2) & last_code];
  }
  /// Whether a group can be taken without looking at the end.
  bool has_room() const { return static_cast<std::size_t>(end_ - at_) >= touched; }
  const std::uint8_t* take(unsigned width) {
    const std::uint8_t* at = at_;
    at_ += width;
    return at;
  }
  /// The group of that number, which may be the last one.
  Group next(std::size_t number) {
    const unsigned bytes = width(number);
    if (static_cast<std::size_t>(end_ - at_) < bytes) refuse("ends within a group");
    std::array<std::uint8_t, whole + sizeof(std::uint64_t)> padded{};
    std::memcpy(padded.data(), at_, bytes);
    at_ += bytes;
    return group_at(padded.data(), bytes);
  }
  void finish() const {
    if (at_ != end_) refuse("bytes behind the last group");
  }

 private:
  static const std::uint8_t* bytes_of(std::span<const std::byte> bytes) {
    return reinterpret_cast<const std::uint8_t*>(bytes.data());
  }

  Widths widths_{};
  const std::uint8_t* codes_ = nullptr;
  const std::uint8_t* at_ = nullptr;
  const std::uint8_t* end_ = nullptr;
};

#ifdef WIRECOST_FOR_AVX2
/// Where a number's four bytes begin within those of its half of a group, and its bit in them.
struct Places {
  alignas(32) std::array<std::uint8_t, 32> bytes;
  alignas(32) std::array<std::uint32_t, group> bits;
};
constexpr std::array<Places, whole + 1> places = [] {
  std::array<Places, whole + 1> made{};
  for (unsigned width = 0; width <= whole; ++width)
    for (unsigned each = 0; each < group; ++each) {
      const unsigned half_begins = each < 4 ? 0 : 4 * width / 8 * 8;
      const unsigned bit = each * width - half_begins;
      for (unsigned byte = 0; byte < 4; ++byte)
        made[width].bytes[4 * each + byte] = static_cast<std::uint8_t>((bit / 8 + byte) & 15);
      made[width].bits[each] = bit % 8;
    }
  return made;
}();

WIRECOST_AVX2 __m256i eight(const std::uint8_t* at, unsigned width) {
  const auto* lower = reinterpret_cast<const __m128i*>(at);
  const auto* upper = reinterpret_cast<const __m128i*>(at + width / 2);
  const __m256i bytes = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(lower)),
                                                _mm_loadu_si128(upper), 1);
  const auto& [byte_places, bits] = places[width];
  const __m256i words = _mm256_shuffle_epi8(
      bytes, _mm256_load_si256(reinterpret_cast<const __m256i*>(byte_places.data())));
  const __m256i numbers =
      _mm256_srlv_epi32(words, _mm256_load_si256(reinterpret_cast<const __m256i*>(bits.data())));
  const __m256i mask = _mm256_set1_epi32(
      static_cast<std::int32_t>(static_cast<std::uint32_t>((std::uint64_t{1} << width) - 1)));
  return _mm256_and_si256(numbers, mask);
}

WIRECOST_AVX2 __m256i unfolded_eight(__m256i values) {
  const __m256i sign =
      _mm256_sub_epi32(_mm256_setzero_si256(), _mm256_and_si256(values, _mm256_set1_epi32(1)));
  return _mm256_xor_si256(_mm256_srli_epi32(values, 1), sign);
}

/// Groups that are whole and not near the end; how many.
WIRECOST_FOR_AVX2
std::size_t take_groups(GroupReader& in, std::size_t count, std::uint32_t* to) {
  std::size_t done = 0;
  for (; done < count && in.has_room(); ++done) {
    const unsigned width = in.width(done);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + done * group),
                        eight(in.take(width), width));
  }
  return done;
}

/// From a group on before whose values others lie.
WIRECOST_FOR_AVX2
std::size_t take_lagged(GroupReader& in, const std::uint8_t* lags, std::size_t first,
                        std::size_t count, std::int32_t* to) {
  GroupReader own = in;
  std::size_t done = first;
  for (; done < count && own.has_room(); ++done) {
    const unsigned width = own.width(done);
    std::int32_t* at = to + done * group;
    const __m256i before =
        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at - lags[done / (lag_block / group)]));
    const __m256i differences = unfolded_eight(eight(own.take(width), width));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(at), _mm256_add_epi32(before, differences));
  }
  in = own;
  return done;
}

bool has_avx2() { return __builtin_cpu_supports("avx2"); }

std::uint8_t* put_groups(const std::uint32_t* values, std::size_t count, const std::uint8_t* codes,
                         const Widths& widths, std::uint8_t* at) {
  return (has_avx2() ? put_groups_quickly : put_groups_anywhere)(values, count, codes, widths, at);
}
#else
constexpr auto put_groups = put_groups_anywhere;
std::size_t take_groups(GroupReader&, std::size_t, std::uint32_t*) { return 0; }
std::size_t take_lagged(GroupReader&, const std::uint8_t*, std::size_t first, std::size_t,
                        std::int32_t*) {
  return first;
}
bool has_avx2() { return false; }
#endif

}  // namespace

void lagged_differences(std::span<const std::int32_t> values, std::span<const std::uint8_t> lags,
                        std::int32_t base, std::size_t begin,
                        std::span<std::uint32_t> differences) {
  const std::size_t end = begin + differences.size();
  std::uint32_t* to = differences.data();
  while (begin < end) {
    // From here on others lie before a value, whatever the lag is.
    if (begin >= most_lag && end - begin >= lag_block) {
      const std::size_t count = (end - begin) / lag_block;
      fold_blocks(values.data() + begin, lags.data() + begin / lag_block, count, to);
      begin += count * lag_block;
      to += count * lag_block;
      continue;
    }
    const std::size_t lag = lags[begin / lag_block];
    const std::size_t next = std::min(begin + lag_block, end);
    for (; begin < next; ++begin) {
      const std::int32_t before = begin < lag ? base : values[begin - lag];
      *to++ = folded(wrapped_difference(values[begin], before));
    }
  }
}

std::size_t bytes_in_groups(std::span<const std::uint32_t> values) {
  std::size_t bytes = 0;
  for (; values.size() >= group; values = values.subspan(group)) {
    std::uint8_t width = 0;
    find_widths(values.data(), 1, &width);
    bytes += width > widest ? whole : width;
  }
  return bytes;
}

void encode_groups(std::span<const std::uint32_t> values, std::vector<std::uint8_t>& widths,
                   ByteWriter& out) {
  const std::size_t whole_ones = values.size() / group;
  const std::size_t count = (values.size() + group - 1) / group;
  Group last{};
  std::ranges::copy(values.subspan(whole_ones * group), last.begin());
  widths.resize(count);
  find_widths(values.data(), whole_ones, widths.data());
  if (count > whole_ones) find_widths(last.data(), 1, widths.data() + whole_ones);
  std::array<std::uint32_t, whole + 1> counts{};
  for (const std::uint8_t width : widths) ++counts[width];
  const unsigned lowest = best_lowest(counts);
  const Widths by_code = widths_from(lowest);
  std::array<std::uint8_t, whole + 1> codes{};
  std::size_t bytes = 0;
  for (unsigned width = 0; width <= whole; ++width) {
    codes[width] = code_of(width, lowest);
    bytes += std::size_t{counts[width]} * by_code[codes[width]];
  }
  if (bytes > std::numeric_limits<std::uint32_t>::max()) refuse("a column takes over 4 GiB");
  for (std::uint8_t& width : widths) width = codes[width];
  out.number(static_cast<std::uint8_t>(lowest));
  out.number(static_cast<std::uint32_t>(bytes));
  std::uint8_t* at = out.room((count + 1) / 2 + bytes + sizeof(std::uint64_t));
  for (std::size_t each = 0; each + 1 < count; each += 2)
    *at++ = static_cast<std::uint8_t>(widths[each] | widths[each + 1] << 4);
  if (count % 2) *at++ = widths.back();
  at = put_groups(values.data(), whole_ones, widths.data(), by_code, at);
  if (count > whole_ones) at = put_groups(last.data(), 1, &widths.back(), by_code, at);
  out.cut(at);
}

void decode_groups(ByteReader& in, std::span<std::uint32_t> values) {
  GroupReader groups(in, values.size());
  std::size_t done = has_avx2() ? take_groups(groups, values.size() / group, values.data()) : 0;
  for (; done * group < values.size(); ++done) {
    const Group numbers = groups.next(done);
    const auto to = values.subspan(done * group);
    std::copy_n(numbers.begin(), std::min(group, to.size()), to.begin());
  }
  groups.finish();
}

void decode_lagged(ByteReader& in, std::span<const std::uint8_t> lags, std::int32_t base,
                   std::span<std::int32_t> values) {
  GroupReader groups(in, values.size());
  for (std::size_t number = 0; number * group < values.size(); ++number) {
    // From here on others lie before a value, whatever the lag is.
    if (number * group == lag_block * block_count(most_lag) && has_avx2()) {
      number = take_lagged(groups, lags.data(), number, values.size() / group, values.data());
      if (number * group >= values.size()) break;
    }
    const Group numbers = groups.next(number);
    const std::size_t begin = number * group, lag = lags[begin / lag_block];
    for (std::size_t at = begin; at < std::min(begin + group, values.size()); ++at) {
      values[at] = wrapped_sum(at < lag ? base : values[at - lag], unfolded(numbers[at - begin]));
    }
  }
  groups.finish();
}

}  // namespace wirecost::cloud::packed
