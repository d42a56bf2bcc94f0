// SPDX-License-Identifier: Apache-2.0
#include "wirecost/cloud/ring_filter.hpp"

#include <bit>
#include <limits>
#include <stdexcept>

namespace wirecost::cloud {
namespace {

constexpr std::uint32_t longest_run = 32;  // of joins, that is looked for as bits
// A ring has room for a part more points than it had when they were counted, and for some more.
constexpr std::uint32_t more_part = 32, more_points = 8;
// A cloud that just came lies in memory; the processor's own look ahead ends at each page.
constexpr std::size_t ahead = 2048;
constexpr RingKey joins_nothing{std::numeric_limits<float>::quiet_NaN(),
                                std::numeric_limits<float>::quiet_NaN()};

/// PointXYZIRCAEDT as Autoware sends it; it begins with the output's point.
struct AutowareLayout {
  static constexpr std::size_t step = 32, channel = 14, azimuth = 16, distance = 24;

  static bool is(const RingLayout& at, std::size_t points_step) {
    return at.begins_as_output() && at.azimuth == azimuth && at.distance == distance &&
           points_step == step;
  }
  static void write(const std::byte* point, PointXYZIRC& to) { std::memcpy(&to, point, sizeof to); }
};

struct AnyLayout : RingLayout {
  std::size_t step;

  void write(const std::byte* point, PointXYZIRC& to) const { to = output_point(point, *this); }
};

}  // namespace

RingFilter::RingFilter(const RingOptions& options, FindJoins joins)
    : options_(options), find_joins_(joins) {
  check(options);
  begins_.assign(options.max_rings + 1, 0);
  ends_.resize(options.max_rings);
}

std::span<const std::byte> RingFilter::operator()(const CloudView& cloud) {
  const Points all = points(cloud);
  if (all.count == 0) return {};
  const RingLayout at = ring_layout(cloud);
  if (all.count > no_number / 2)
    throw std::invalid_argument("cloud: more than 2^31 points; split it");
  if (AutowareLayout::is(at, all.step)) {
    sort(all, AutowareLayout{});
  } else {
    sort(all, AnyLayout{at, all.step});
  }
  const std::size_t places = begins_.back();
  if (places == 0) return {};  // no point has had a ring yet
  const std::size_t words = (places + 63) / 64;
  find_joins_(keys_.get(), places, options_, joined_.data());
  end_rings();
  find_long_walks(words);
  judge_short_walks(words);
  for (std::size_t ring = 0; ring < options_.max_rings; ++ring) {
    const std::size_t begin = begins_[ring], end = ends_[ring];
    if (options_.as_published) {
      if (begin < end) set_kept(end - 1, end, false);
    } else {
      join_around(begin, end);
    }
    set_kept(end, begins_[ring + 1], false);
  }
  return std::as_bytes(std::span(records_.get(), close_up(words)));
}

void RingFilter::make_room(std::size_t places) {
  if (places <= room_) return;
  room_ = 0;  // until all of it is there
  records_ = std::make_unique<PointXYZIRC[]>(places);
  keys_ = std::make_unique<RingKey[]>(places);
  joined_.assign(places / 64 + 2, 0);
  kept_.assign(places / 64 + 2, 0);
  room_ = places;
}

/// A sensor's rings hold about as many points each time, so the places of the last cloud mostly do,
/// and one pass over the points is enough. Counting first takes two.
template <class Layout>
void RingFilter::sort(const Points& points, const Layout& at) {
  const bool roomy = begins_.back() / 2 > points.count + std::size_t{more_points} * ends_.size();
  if (!roomy && fill(points, at)) return;
  place(points, at);
  fill(points, at);
}

/// Decides where each ring begins: behind the one before and some room.
template <class Layout>
void RingFilter::place(const Points& points, const Layout& at) {
  std::ranges::fill(ends_, 0);
  const std::byte* const end = points.first + points.count * at.step;
  for (const std::byte* point = points.first; point != end; point += at.step) {
    const auto ring = load<std::uint16_t>(point + at.channel);
    if (ring < options_.max_rings) ++ends_[ring];
  }
  for (std::size_t ring = 0; ring < ends_.size(); ++ring)
    begins_[ring + 1] = begins_[ring] + ends_[ring] + ends_[ring] / more_part + more_points;
  make_room(begins_.back());
}

/// Sorts the points into the rings' places; false once one is full. `Layout` gives the places of
/// fields and the step, as constants where it can: this is where the time goes.
template <class Layout>
bool RingFilter::fill(const Points& points, const Layout& at) {
  const std::uint32_t rings = options_.max_rings;
  const std::byte* const end = points.first + points.count * at.step;
  // Not through `this`: every store could change what it points to.
  std::uint32_t* const ends = ends_.data();
  const std::uint32_t* const limits = begins_.data() + 1;
  PointXYZIRC* const records = records_.get();
  RingKey* const keys = keys_.get();
  std::ranges::copy_n(begins_.begin(), rings, ends);
  for (const std::byte* point = points.first; point != end; point += at.step) {
    const std::uint32_t ring = load<std::uint16_t>(point + at.channel);
    __builtin_prefetch(point + ahead);
    if (ring >= rings) continue;
    const std::uint32_t to = ends[ring];
    if (to == limits[ring]) return false;
    ends[ring] = to + 1;
    at.write(point, records[to]);
    keys[to] = {load<float>(point + at.azimuth), load<float>(point + at.distance)};
  }
  for (std::uint32_t ring = 0; ring < rings; ++ring)
    std::fill(keys + ends[ring], keys + limits[ring], joins_nothing);
  return true;
}

/// The last point of a ring joins none; of the published filter's rings, neither does the one
/// before.
void RingFilter::end_rings() {
  const auto part = [&](std::size_t point) {
    joined_[point / 64] &= ~(std::uint64_t{1} << point % 64);
  };
  for (std::size_t ring = 0; ring < options_.max_rings; ++ring) {
    const std::size_t begin = begins_[ring], end = ends_[ring];
    if (begin < end) part(end - 1);
    if (options_.as_published && end - begin > 1) part(end - 2);
  }
  // The last place has no next one, and what lies behind it joins nothing either.
  const std::size_t last = begins_.back() - 1;
  joined_[last / 64] &= (std::uint64_t{1} << last % 64) - 1;
  joined_[last / 64 + 1] = 0;
}

/// Keeps walks of more than `many_points` without looking at each: a run of that many joins, in one
/// place, holds all points that it reaches.
void RingFilter::find_long_walks(std::size_t words) {
  const std::uint32_t many = options_.many_points;
  if (many > longest_run) {
    std::fill_n(kept_.begin(), words, 0);
    return;
  }
  std::uint64_t before = 0;  // where runs begin in the word before
  for (std::size_t word = 0; word < words; ++word) {
    std::uint64_t runs = ~std::uint64_t{0};
    for (std::uint32_t i = 0; i < many; ++i)
      runs &= i == 0 ? joined_[word] : joined_[word] >> i | joined_[word + 1] << (64 - i);
    std::uint64_t kept = runs;
    for (std::uint32_t i = 1; i <= many; ++i) kept |= runs << i | before >> (64 - i);
    kept_[word] = kept;
    before = runs;
  }
}

/// Keeps those of the other walks that are long in metres.
void RingFilter::judge_short_walks(std::size_t words) {
  // A single point is long only where no length is asked for.
  const bool singles = !(options_.object_length * options_.object_length > 0);
  const std::size_t places = begins_.back();
  std::uint64_t before = 0;
  for (std::size_t word = 0; word < words; ++word) {
    const std::uint64_t joined = joined_[word];
    std::uint64_t begins = ~(joined << 1 | before >> 63) & ~kept_[word];
    if (!singles) begins &= joined;
    for (; begins != 0; begins &= begins - 1) {
      const std::size_t begin = word * 64 + static_cast<std::size_t>(std::countr_zero(begins));
      if (begin >= places) break;
      const std::size_t end = walk_end(begin, places);
      if (stays(records_[begin], records_[end - 1], end - begin, options_))
        set_kept(begin, end, true);
    }
    before = joined;
  }
}

/// Judges the last walk of a ring together with the first where it goes on there.
void RingFilter::join_around(std::size_t begin, std::size_t end) {
  if (begin == end) return;
  const RingKey& a = keys_[end - 1];
  const RingKey& b = keys_[begin];
  if (!joins(a.azimuth, a.distance, b.azimuth, b.distance, options_)) return;
  const std::size_t first_end = walk_end(begin, end);
  if (first_end == end) return;
  const std::size_t last = last_walk(begin, end);
  const std::size_t count = end - last + first_end - begin;
  const bool kept = stays(records_[last], records_[first_end - 1], count, options_);
  set_kept(begin, first_end, kept);
  set_kept(last, end, kept);
}

/// One behind the last point of the walk that begins there; `end` bounds it.
std::size_t RingFilter::walk_end(std::size_t begin, std::size_t end) const {
  std::size_t word = begin / 64;
  std::uint64_t apart = ~joined_[word] & (~std::uint64_t{0} << begin % 64);
  while (apart == 0) {
    if (++word * 64 >= end) return end;
    apart = ~joined_[word];
  }
  return std::min(end, word * 64 + static_cast<std::size_t>(std::countr_zero(apart)) + 1);
}

/// Where the last walk begins.
std::size_t RingFilter::last_walk(std::size_t begin, std::size_t end) const {
  std::size_t at = end - 1;
  while (at > begin && (joined_[(at - 1) / 64] >> (at - 1) % 64 & 1) != 0) --at;
  return at;
}

void RingFilter::set_kept(std::size_t begin, std::size_t end, bool kept) {
  for (std::size_t at = begin; at < end;) {
    const std::size_t word = at / 64;
    const std::size_t next = std::min(end, (word + 1) * 64);
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - (next - at)) << at % 64;
    kept_[word] = kept ? kept_[word] | mask : kept_[word] & ~mask;
    at = next;
  }
}

/// Moves the points that stay to the front; how many they are.
std::size_t RingFilter::close_up(std::size_t words) {
  const std::size_t places = begins_.back();
  std::size_t size = 0;
  for (std::size_t word = 0; word < words; ++word) {
    const std::size_t first = word * 64;
    std::uint64_t kept = kept_[word];
    if (places - first < 64) kept &= (std::uint64_t{1} << (places - first)) - 1;
    if (kept == ~std::uint64_t{0}) {
      if (size != first) std::memmove(&records_[size], &records_[first], 64 * sizeof(PointXYZIRC));
      size += 64;
      continue;
    }
    // Every point is written and only those that stay count: nothing here is left to guessing.
    for (std::size_t at = first; kept != 0; kept >>= 1, ++at) {
      records_[size] = records_[at];
      size += kept & 1;
    }
  }
  return size;
}

}  // namespace wirecost::cloud
