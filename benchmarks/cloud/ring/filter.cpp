// SPDX-License-Identifier: Apache-2.0
#include "cloud/ring/filter.hpp"

#include <algorithm>
#include <stdexcept>

namespace wirecost::cloud {
namespace {

// A ring has room for a part more points than it had when they were counted, and for some more.
constexpr std::size_t more_part = 32, more_points = 8;
constexpr std::size_t word = 64;  // bits
// A cloud that just came lies in memory, and the processor's own look ahead ends at each page. Into
// the second level: the first one can wait for too few lines at a time.
constexpr std::size_t ahead = 6144;
constexpr int second_level = 2;
constexpr std::size_t line = 64;  // of a cache, in bytes

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

RingFilter::RingFilter(const RingOptions& options, FindJoins joins, Pack pack)
    : options_(options), find_joins_(joins), pack_(pack), walks_(options) {
  check(options);
  begins_.assign(options.max_rings + 1, 0);
  limits_.resize(options.max_rings);
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
  PointXYZIRC* const output = records_.get();
  std::size_t size = 0;
  for (std::size_t ring = 0; ring < ends_.size(); ++ring)
    size += filter(begins_[ring], ends_[ring] - begins_[ring], output + size);
  return std::as_bytes(std::span(output, size));
}

/// Moves those of a ring's points that stay; how many they are.
std::size_t RingFilter::filter(std::size_t begin, std::size_t count, PointXYZIRC* to) {
  // The published filter ends each ring one point early.
  if (options_.as_published && count > 0) --count;
  if (count == 0) return 0;
  const std::span joined(joined_.data(), (count + word - 1) / word);
  const RingKey* const keys = &keys_[begin + 1];
  find_joins_(keys - 1, joined.size() * word + 1, options_, joined.data());
  joined.front() &= ~std::uint64_t{1};
  joined.back() &= ~std::uint64_t{0} >> (word - 1 - (count - 1) % word);
  const RingKey& first = keys[0];
  const RingKey& last = keys[count - 1];
  const bool around = !options_.as_published &&
                      joins(last.azimuth, last.distance, first.azimuth, first.distance, options_);
  const PointXYZIRC* const points = &records_[begin];
  return pack_(to, points, walks_({points, count}, joined, around));
}

void RingFilter::make_room(std::size_t places) {
  if (places <= room_) return;
  room_ = 0;  // until all of it is there
  records_ = std::make_unique<PointXYZIRC[]>(places);
  keys_ = std::make_unique<RingKey[]>(places + 1 + word);  // words of the last ring reach beyond
  room_ = places;
}

/// A sensor's rings hold about as many points each time, so the places of the last cloud mostly do,
/// and one pass over the points is enough. Counting first takes two.
template <class Layout>
void RingFilter::sort(const Points& points, Layout at) {
  const std::size_t spare = (more_points + pack_reach) * ends_.size();
  const bool roomy = begins_.back() / 2 > points.count + spare;
  // Not so before the first cloud, nor where memory ran out in the last one.
  const bool there = room_ > 0 && begins_.back() <= room_;
  if (there && !roomy && fill(points, at)) return;
  place(points, at);
  fill(points, at);
}

/// Decides where each ring begins: behind the one before and some room.
template <class Layout>
void RingFilter::place(const Points& points, Layout at) {
  std::ranges::fill(ends_, 0);
  const std::byte* const end = points.first + points.count * at.step;
  for (const std::byte* point = points.first; point != end; point += at.step) {
    const std::size_t ring = load<std::uint16_t>(point + at.channel);
    if (ring < ends_.size()) ++ends_[ring];
  }
  std::size_t most = 0;
  for (std::size_t ring = 0; ring < ends_.size(); ++ring) {
    const std::size_t places = ends_[ring] + ends_[ring] / more_part + more_points;
    limits_[ring] = begins_[ring] + places;
    begins_[ring + 1] = limits_[ring] + pack_reach;
    most = std::max(most, (places + word - 1) / word);
  }
  if (joined_.size() < most) joined_.resize(most);
  make_room(begins_.back());
}

/// Sorts the points into the rings' places; false once one is full. `Layout` gives the places of
/// fields and the step, as constants where it can: this is where the time goes. A line of the cache
/// is fetched for two points, or one for each.
template <class Layout>
bool RingFilter::fill(const Points& points, Layout at) {
  // Not through `this`: every store could change what it points to.
  const std::size_t rings = ends_.size();
  std::size_t* const ends = ends_.data();
  const std::size_t* const limits = limits_.data();
  PointXYZIRC* const records = records_.get();
  RingKey* const keys = keys_.get() + 1;
  std::ranges::copy_n(begins_.begin(), static_cast<std::ptrdiff_t>(rings), ends);
  const auto fits = [=](const std::byte* point) {
    const std::size_t ring = load<std::uint16_t>(point + at.channel);
    if (ring >= rings) return true;
    const std::size_t to = ends[ring];
    if (to == limits[ring]) return false;
    ends[ring] = to + 1;
    at.write(point, records[to]);
    keys[to] = {load<float>(point + at.azimuth), load<float>(point + at.distance)};
    return true;
  };
  const std::byte* point = points.first;
  for (std::size_t pairs = points.count / 2; pairs > 0; --pairs, point += 2 * at.step) {
    __builtin_prefetch(point + ahead, 0, second_level);
    if (at.step > line / 2) __builtin_prefetch(point + at.step + ahead, 0, second_level);
    if (!fits(point) || !fits(point + at.step)) return false;
  }
  return points.count % 2 == 0 || fits(point);
}

}  // namespace wirecost::cloud
