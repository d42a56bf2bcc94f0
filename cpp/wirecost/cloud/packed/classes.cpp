// SPDX-License-Identifier: Apache-2.0
#include "wirecost/cloud/packed/classes.hpp"

#include "wirecost/cloud/packed/clones.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

namespace wirecost::cloud::packed {
namespace {

constexpr unsigned longest = 11;
/// A code of no bits, where all numbers have one class.
constexpr std::uint8_t only = 15;
constexpr std::size_t lanes = 4;

using Lengths = std::array<std::uint8_t, class_count>;

unsigned class_of(std::uint32_t value) { return static_cast<unsigned>(std::bit_width(value)); }
unsigned bits_behind(unsigned of_class) { return of_class > 0 ? of_class - 1 : 0; }

/// Lengths of a Huffman code, none above `longest`.
Lengths code_lengths(ClassCounts counts) {
  Lengths lengths{};
  const auto used = std::ranges::count_if(counts, [](auto count) { return count > 0; });
  if (used == 1) {
    const auto at = std::ranges::find_if(counts, [](auto count) { return count > 0; });
    lengths[static_cast<std::size_t>(at - counts.begin())] = only;
    return lengths;
  }
  for (;; std::ranges::transform(counts, counts.begin(),
                                 [](auto count) { return count ? (count + 1) / 2 : 0; })) {
    struct Node {
      std::uint64_t count;
      int parent = -1;
    };
    std::array<Node, 2 * class_count> nodes;
    std::array<int, class_count> waiting{};
    std::size_t made = 0, open = 0;
    for (std::size_t at = 0; at < class_count; ++at) {
      nodes[made++] = {counts[at]};
      if (counts[at]) waiting[open++] = static_cast<int>(at);
    }
    const auto more = [&](int one, int other) { return nodes[one].count > nodes[other].count; };
    std::make_heap(waiting.begin(), waiting.begin() + open, more);
    while (open > 1) {
      std::pop_heap(waiting.begin(), waiting.begin() + open, more);
      const int least = waiting[--open];
      std::pop_heap(waiting.begin(), waiting.begin() + open, more);
      const int next = waiting[open - 1];
      nodes[made] = {nodes[least].count + nodes[next].count};
      nodes[least].parent = nodes[next].parent = static_cast<int>(made);
      waiting[open - 1] = static_cast<int>(made++);
      std::push_heap(waiting.begin(), waiting.begin() + open, more);
    }
    unsigned deepest = 0;
    for (std::size_t at = 0; at < class_count; ++at) {
      unsigned depth = 0;
      if (counts[at])
        for (int node = static_cast<int>(at); nodes[node].parent >= 0; node = nodes[node].parent)
          ++depth;
      deepest = std::max(deepest, depth);
      lengths[at] = static_cast<std::uint8_t>(std::min(depth, 255U));
    }
    if (deepest <= longest) return lengths;
  }
}

/// Canonical codes, their first bit lowest.
std::array<std::uint16_t, class_count> codes_of(const Lengths& lengths) {
  std::array<std::uint16_t, class_count> codes{};
  unsigned next = 0;
  for (unsigned length = 1; length <= longest; ++length, next <<= 1)
    for (std::size_t at = 0; at < class_count; ++at)
      if (lengths[at] == length) {
        unsigned reversed = 0;
        for (unsigned bit = 0; bit < length; ++bit)
          reversed |= (next >> bit & 1) << (length - 1 - bit);
        codes[at] = static_cast<std::uint16_t>(reversed);
        ++next;
      }
  return codes;
}

struct Entry {
  std::uint8_t length, behind;
  std::uint8_t both;
  std::uint8_t first;  ///< the first bit of the number, 0 for the number 0
};
Entry entry_of(unsigned length, unsigned of_class) {
  const unsigned behind = bits_behind(of_class);
  return {static_cast<std::uint8_t>(length), static_cast<std::uint8_t>(behind),
          static_cast<std::uint8_t>(length + behind), of_class > 0};
}
using Table = std::array<Entry, 1U << longest>;

Table table_of(const Lengths& lengths) {
  Table table{};
  const auto single = std::ranges::find(lengths, only);
  if (single != lengths.end()) {
    if (std::ranges::count(lengths, 0) != class_count - 1) refuse("a code beside the only one");
    table.fill(entry_of(0, static_cast<unsigned>(single - lengths.begin())));
    return table;
  }
  unsigned filled = 0;
  for (const unsigned length : lengths) {
    if (length > longest) refuse("a code is too long");
    if (length) filled += 1U << (longest - length);
  }
  if (filled != table.size()) refuse("codes do not fill their table");
  const auto codes = codes_of(lengths);
  for (std::size_t at = 0; at < class_count; ++at)
    if (lengths[at])
      for (std::size_t code = codes[at]; code < table.size(); code += std::size_t{1} << lengths[at])
        table[code] = entry_of(lengths[at], static_cast<unsigned>(at));
  return table;
}

class Lane {
 public:
  Lane() = default;
  explicit Lane(std::span<const std::byte> bytes)
      : at_(reinterpret_cast<const std::uint8_t*>(bytes.data())), end_(at_ + bytes.size()) {}

  bool has_eight() const { return end_ - at_ >= 8; }

  /// Needs eight bytes.
  std::uint32_t next_quickly(const Table& table) {
    std::uint64_t more;
    std::memcpy(&more, at_, sizeof more);
    bits_ |= more << filled_;
    at_ += (63 - filled_) >> 3;
    filled_ |= 56;
    return taken(table[bits_ & (table.size() - 1)]);
  }
  std::uint32_t next(const Table& table) {
    for (; filled_ <= 56 && at_ < end_; filled_ += 8) bits_ |= std::uint64_t{*at_++} << filled_;
    const Entry entry = table[bits_ & (table.size() - 1)];
    if (entry.both > filled_) refuse("ends within a number");
    return taken(entry);
  }

 private:
  std::uint32_t taken(Entry entry) {
    const std::uint64_t behind = bits_ >> entry.length & ((std::uint64_t{1} << entry.behind) - 1);
    bits_ >>= entry.both;
    filled_ -= entry.both;
    return static_cast<std::uint32_t>(std::uint64_t{entry.first} << entry.behind | behind);
  }

  const std::uint8_t* at_ = nullptr;
  const std::uint8_t* end_ = nullptr;
  std::uint64_t bits_ = 0;
  unsigned filled_ = 0;
};

std::size_t lane_length(std::size_t count) { return (count + lanes - 1) / lanes; }

template <class Values>
Values lane_of(Values values, std::size_t lane) {
  const std::size_t length = lane_length(values.size());
  const std::size_t begin = std::min(values.size(), lane * length);
  return values.subspan(begin, std::min(length, values.size() - begin));
}

struct Code {
  std::uint32_t bits;
  std::uint8_t length, behind;
};
using Codes = std::array<Code, class_count>;

WIRECOST_CLONES
std::uint8_t* put_lane(const std::uint32_t* values, std::size_t count, const Codes& codes,
                       std::uint8_t* at) {
  std::uint64_t held = 0;
  unsigned filled = 0;
  for (; count; --count) {
    const std::uint32_t value = *values++;
    const Code code = codes[class_of(value)];
    const std::uint64_t behind = value & ((std::uint64_t{1} << code.behind) - 1);
    held |= (code.bits | behind << code.length) << filled;
    filled += code.length + code.behind;
    std::memcpy(at, &held, sizeof held);
    at += filled >> 3;
    held >>= filled & ~7U;
    filled &= 7;
  }
  if (filled) *at++ = static_cast<std::uint8_t>(held);
  return at;
}

using Sides = std::array<Lane, lanes>;

/// Numbers of all lanes while none is near its end; how many of each.
WIRECOST_CLONES
std::size_t take_quickly(Sides& sides, const Table& table, std::size_t count,
                         const std::array<std::uint32_t*, lanes>& to) {
  auto [a, b, c, d] = sides;
  std::size_t done = 0;
  for (; done < count && a.has_eight() && b.has_eight() && c.has_eight() && d.has_eight(); ++done) {
    to[0][done] = a.next_quickly(table);
    to[1][done] = b.next_quickly(table);
    to[2][done] = c.next_quickly(table);
    to[3][done] = d.next_quickly(table);
  }
  sides = {a, b, c, d};
  return done;
}

WIRECOST_CLONES
void count_classes(const std::uint32_t* values, std::size_t count, ClassCounts& one,
                   ClassCounts& other) {
  // Two tables: a number often has the class of the one before.
  for (; count > 1; count -= 2, values += 2) {
    ++one[class_of(values[0])];
    ++other[class_of(values[1])];
  }
  if (count) ++one[class_of(values[0])];
}

}  // namespace

ClassCounts counted(std::span<const std::uint32_t> values) {
  ClassCounts counts{}, others{};
  count_classes(values.data(), values.size(), counts, others);
  for (std::size_t each = 0; each < class_count; ++each) counts[each] += others[each];
  return counts;
}

double estimated_bits(const ClassCounts& counts) {
  double all = 0, bits = 0;
  for (const auto count : counts) all += count;
  for (std::size_t at = 0; at < class_count; ++at)
    if (counts[at])
      bits += counts[at] * (std::log2(all / counts[at]) + bits_behind(static_cast<unsigned>(at)));
  return bits;
}

void encode_classes(std::span<const std::uint32_t> values, const ClassCounts& counts,
                    ByteWriter& out) {
  if (values.empty()) return;
  const Lengths lengths = code_lengths(counts);
  const auto codes = codes_of(lengths);
  std::size_t bits = 0;
  unsigned highest = 0;
  Codes all{};
  for (unsigned at = 0; at < class_count; ++at) {
    if (!counts[at]) continue;
    highest = at;
    all[at] = {codes[at], static_cast<std::uint8_t>(lengths[at] == only ? 0 : lengths[at]),
               static_cast<std::uint8_t>(bits_behind(at))};
    bits += std::size_t{counts[at]} * (all[at].length + bits_behind(at));
  }
  out.number(static_cast<std::uint8_t>(highest + 1));
  for (unsigned at = 0; at <= highest; at += 2)
    out.number(static_cast<std::uint8_t>(lengths[at] | (at < highest ? lengths[at + 1] << 4 : 0)));
  const std::size_t sizes = out.size();
  std::uint8_t* at = out.room(4 * (lanes - 1) + bits / 8 + 9 * lanes) + 4 * (lanes - 1);
  std::array<std::uint32_t, lanes> written{};
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const std::uint8_t* begin = at;
    const auto some = lane_of(values, lane);
    at = put_lane(some.data(), some.size(), all, at);
    written[lane] = static_cast<std::uint32_t>(at - begin);
  }
  out.cut(at);
  for (std::size_t lane = 0; lane + 1 < lanes; ++lane) out.set(sizes + 4 * lane, written[lane]);
}

void decode_classes(ByteReader in, std::span<std::uint32_t> values) {
  if (values.empty()) return;
  Lengths lengths{};
  const std::size_t used = in.number<std::uint8_t>();
  if (used == 0 || used > class_count) refuse("no such class");
  for (std::size_t at = 0; at < used; at += 2) {
    const auto pair = in.number<std::uint8_t>();
    lengths[at] = pair & 15;
    if (at + 1 < used) lengths[at + 1] = pair >> 4;
  }
  const Table table = table_of(lengths);
  std::array<std::size_t, lanes> sizes{};
  for (std::size_t lane = 0; lane + 1 < lanes; ++lane) sizes[lane] = in.number<std::uint32_t>();
  Sides sides;
  std::array<std::uint32_t*, lanes> to{};
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    sides[lane] = Lane(in.take(lane + 1 < lanes ? sizes[lane] : in.left()));
    to[lane] = lane_of(values, lane).data();
  }
  const std::size_t done = take_quickly(sides, table, lane_of(values, lanes - 1).size(), to);
  for (std::size_t lane = 0; lane < lanes; ++lane)
    for (std::size_t at = done; at < lane_of(values, lane).size(); ++at)
      to[lane][at] = sides[lane].next(table);
}

}  // namespace wirecost::cloud::packed
