// SPDX-License-Identifier: Apache-2.0
#include "wirecost/cloud/packed/stream.hpp"

#include "wirecost/cloud/packed/classes.hpp"
#include "wirecost/cloud/packed/clones.hpp"
#include "wirecost/cloud/packed/groups.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <type_traits>

namespace wirecost::cloud::packed {
namespace {

enum Way : std::uint8_t {
  zeros,    ///< nothing follows
  classes,  ///< all numbers
  runs,     ///< how many zeros are before each other number, and these numbers less one
  groups,   ///< all numbers
};

/// Numbers of which a way is judged, in stretches from everywhere.
constexpr std::size_t stretch = 512, stretches = 6;
/// Blocks of which it is judged for groups.
constexpr std::size_t looked_at = 24;

template <class Number>
using Unsigned = std::make_unsigned_t<Number>;

WIRECOST_CLONES
std::int32_t least_of(const std::int32_t* values, std::size_t count) {
  std::int32_t least = values[0];
  for (std::size_t at = 1; at < count; ++at) least = values[at] < least ? values[at] : least;
  return least;
}
std::int64_t least_of(const std::int64_t* values, std::size_t count) {
  return *std::min_element(values, values + count);
}

/// Where numbers begin: with `former` and `straight`, the first is no difference.
template <class Number>
Number base_of(std::span<const Number> values, Beside beside) {
  if (values.empty()) return 0;
  return beside == Beside::least ? least_of(values.data(), values.size()) : values.front();
}

template <class Number, class Put>
void differences(std::span<const Number> values, Beside beside, Number base, Put put) {
  using U = Unsigned<Number>;
  if (beside == Beside::least) {
    for (const Number value : values)
      put(static_cast<U>(static_cast<U>(value) - static_cast<U>(base)));
    return;
  }
  U former = static_cast<U>(base), step = 0;
  for (const Number value : values) {
    const U now = static_cast<U>(value);
    const U difference = now - former;
    former = now;
    put(folded(static_cast<Number>(difference - step)));
    if (beside == Beside::straight) step = difference;
  }
}

template <class Number, class Get>
void sums(std::span<Number> values, Beside beside, Number base, Get get) {
  using U = Unsigned<Number>;
  U former = static_cast<U>(base), step = 0;
  switch (beside) {
    case Beside::least:
      for (std::size_t at = 0; at < values.size(); ++at)
        values[at] = static_cast<Number>(former + get(at));
      return;
    case Beside::former:
      for (std::size_t at = 0; at < values.size(); ++at)
        values[at] = static_cast<Number>(former += static_cast<U>(unfolded(get(at))));
      return;
    case Beside::straight:
      for (std::size_t at = 0; at < values.size(); ++at) {
        step += static_cast<U>(unfolded(get(at)));
        values[at] = static_cast<Number>(former += step);
      }
      return;
    case Beside::lagged: return;  // read as groups
  }
}

/// Numbers behind how many bytes they take.
void put_classes(std::span<const std::uint32_t> values, const ClassCounts& counts,
                 ByteWriter& out) {
  const std::size_t at = out.size();
  out.number(std::uint32_t{0});
  encode_classes(values, counts, out);
  out.set(at, static_cast<std::uint32_t>(out.size() - at - 4));
}

Beside beside_of(std::uint8_t number, std::uint8_t count) {
  if (number >= count) refuse("no such difference");
  return static_cast<Beside>(number);
}

}  // namespace

void Streams::encode_small(std::span<const std::uint32_t> values, ByteWriter& out) {
  if (in_groups_) {
    out.number(std::uint8_t{groups});
    return encode_groups(values, widths_, out);
  }
  const ClassCounts counts = counted(values);
  const std::size_t zero_count = counts[0];
  if (zero_count == values.size()) {
    out.number(std::uint8_t{zeros});
    return;
  }
  if (2 * zero_count > values.size()) {
    gaps_.clear();
    others_.clear();
    std::uint32_t gap = 0;
    for (const std::uint32_t value : values) {
      if (value == 0) {
        ++gap;
        continue;
      }
      gaps_.push_back(gap);
      others_.push_back(value - 1);
      gap = 0;
    }
    const ClassCounts of_gaps = counted(gaps_), of_others = counted(others_);
    if (estimated_bits(of_gaps) + estimated_bits(of_others) <
        std::max(estimated_bits(counts), double(values.size()))) {
      out.number(std::uint8_t{runs});
      out.varint(gaps_.size());
      put_classes(gaps_, of_gaps, out);
      return put_classes(others_, of_others, out);
    }
  }
  out.number(std::uint8_t{classes});
  put_classes(values, counts, out);
}

void Streams::decode_small(ByteReader& in, std::span<std::uint32_t> values) {
  switch (in.number<std::uint8_t>()) {
    case zeros: std::ranges::fill(values, 0); return;
    case classes: return decode_classes(ByteReader(in.take(in.number<std::uint32_t>())), values);
    case runs: {
      const std::size_t count = in.count(values.size());
      gaps_.resize(count);
      others_.resize(count);
      for (auto* some : {&gaps_, &others_})
        decode_classes(ByteReader(in.take(in.number<std::uint32_t>())), *some);
      std::ranges::fill(values, 0);
      std::size_t at = 0;
      for (std::size_t each = 0; each < count; ++each, ++at) {
        at += gaps_[each];
        if (at >= values.size()) refuse("more zeros than numbers");
        values[at] = others_[each] + 1;
      }
      return;
    }
    case groups: return decode_groups(in, values);
    default: refuse("no such stream");
  }
}

void Streams::encode(std::span<const std::int32_t> values, Beside beside, ByteWriter& out) {
  const std::int32_t base = base_of(values, beside);
  out.number(static_cast<std::uint8_t>(beside));
  out.number(base);
  small_.resize(values.size());
  if (beside == Beside::lagged)
    lagged_differences(values, lags_, base, 0, small_);
  else
    differences(values, beside, base,
                [to = small_.data()](std::uint32_t value) mutable { *to++ = value; });
  encode_small(small_, out);
}

void Streams::decode(ByteReader& in, std::span<std::int32_t> values) {
  const Beside beside =
      beside_of(in.number<std::uint8_t>(), lags_.empty() ? wide_beside_count : beside_count);
  const auto base = in.number<std::int32_t>();
  if (beside == Beside::lagged) {
    if (in.number<std::uint8_t>() != groups) refuse("no such stream");
    return decode_lagged(in, lags_, base, values);
  }
  small_.resize(values.size());
  decode_small(in, small_);
  sums(values, beside, base, [this](std::size_t at) { return small_[at]; });
}

void Streams::encode(std::span<const std::int64_t> values, ByteWriter& out) {
  const auto some = values.first(std::min(values.size(), stretch * stretches));
  Beside best = Beside::least;
  double fewest = std::numeric_limits<double>::infinity();
  for (const Beside beside : {Beside::least, Beside::former, Beside::straight}) {
    small_.clear();
    high_.clear();
    differences(some, beside, base_of(some, beside), [this](std::uint64_t value) {
      small_.push_back(static_cast<std::uint32_t>(value));
      high_.push_back(static_cast<std::uint32_t>(value >> 32));
    });
    const double bits = estimated_bits(counted(small_)) + estimated_bits(counted(high_));
    if (bits < fewest) best = beside, fewest = bits;
  }
  const std::int64_t base = base_of(values, best);
  out.number(static_cast<std::uint8_t>(best));
  out.number(base);
  small_.clear();
  high_.clear();
  differences(values, best, base, [this](std::uint64_t value) {
    small_.push_back(static_cast<std::uint32_t>(value));
    high_.push_back(static_cast<std::uint32_t>(value >> 32));
  });
  encode_small(small_, out);
  encode_small(high_, out);
}

void Streams::decode(ByteReader& in, std::span<std::int64_t> values) {
  const Beside beside = beside_of(in.number<std::uint8_t>(), wide_beside_count);
  const auto base = in.number<std::int64_t>();
  small_.resize(values.size());
  high_.resize(values.size());
  decode_small(in, small_);
  decode_small(in, high_);
  sums(values, beside, base,
       [this](std::size_t at) { return std::uint64_t{high_[at]} << 32 | small_[at]; });
}

Choice chosen(std::span<const std::int32_t> values) {
  std::array<ClassCounts, wide_beside_count> counts{};
  std::size_t seen = 0;
  const std::size_t apart = std::max(stretch, values.size() / stretches);
  const std::int32_t least = base_of(values, Beside::least);
  for (std::size_t begin = 0; begin < values.size(); begin += apart) {
    const auto some = values.subspan(begin, std::min(stretch, values.size() - begin));
    seen += some.size();
    for (const Beside beside : {Beside::least, Beside::former, Beside::straight})
      differences(some, beside, beside == Beside::least ? least : some.front(),
                  [&](std::uint32_t value) {
                    ++counts[static_cast<std::size_t>(beside)][std::bit_width(value)];
                  });
  }
  Choice best{Beside::least, std::numeric_limits<double>::infinity()};
  for (std::uint8_t at = 0; at < wide_beside_count; ++at)
    if (const double bits = estimated_bits(counts[at]); bits < best.bits)
      best = {static_cast<Beside>(at), bits};
  if (seen) best.bits *= static_cast<double>(values.size()) / static_cast<double>(seen);
  return best;
}

Beside chosen_in_groups(std::span<const std::int32_t> values, std::span<const std::uint8_t> lags) {
  std::array<std::size_t, beside_count> bytes{};
  const std::size_t apart = std::max(lag_block, values.size() / looked_at / lag_block * lag_block);
  std::array<std::uint32_t, lag_block> numbers;
  std::int32_t least = std::numeric_limits<std::int32_t>::max();
  for (std::size_t begin = 0; begin + lag_block <= values.size(); begin += apart)
    least = std::min(least, least_of(values.data() + begin, lag_block));
  for (std::size_t begin = 0; begin + lag_block <= values.size(); begin += apart) {
    const auto some = values.subspan(begin, lag_block);
    for (std::uint8_t each = 0; each < beside_count; ++each) {
      const auto beside = static_cast<Beside>(each);
      if (beside == Beside::lagged)
        lagged_differences(values, lags, values.front(), begin, numbers);
      else
        differences(some, beside, beside == Beside::least ? least : some.front(),
                    [to = numbers.data()](std::uint32_t value) mutable { *to++ = value; });
      bytes[each] += bytes_in_groups(numbers);
    }
  }
  return static_cast<Beside>(std::ranges::min_element(bytes) - bytes.begin());
}

}  // namespace wirecost::cloud::packed
