// SPDX-License-Identifier: Apache-2.0
#include "wirecost/cloud/ring_filter.hpp"

#include <bit>
#include <stdexcept>

namespace wirecost::cloud {

RingFilter::RingFilter(const RingOptions& options, FindJoins joins)
    : options_(options), find_joins_(joins) {
  check(options);
  ends_.resize(options.max_rings + 1);
}

std::span<const std::byte> RingFilter::operator()(const CloudView& cloud) {
  const Points all = points(cloud);
  if (all.count == 0) return {};
  const RingLayout at = ring_layout(cloud);
  if (all.count > no_number)
    throw std::invalid_argument("cloud: more than 2^32 - 1 points; split it");
  make_room(all.count);
  if (at.begins_as_output()) {
    sort<true>(all, at);
  } else {
    sort<false>(all, at);
  }
  const std::size_t in_rings = ends_[options_.max_rings - 1];
  find_joins_(keys_.get(), in_rings, options_, bits_.get());
  kept_begin_ = kept_end_ = size_ = 0;
  std::size_t begin = 0;
  for (std::size_t ring = 0; ring < options_.max_rings; ++ring) {
    const std::size_t end = ends_[ring];
    // The published filter closes its last walk one point early.
    if (begin < end) walk_ring(begin, end - options_.as_published);
    begin = end;
  }
  close_up();
  return std::as_bytes(std::span(records_.get(), size_));
}

void RingFilter::make_room(std::size_t points) {
  if (points <= room_) return;
  room_ = 0;  // until all of it is there
  records_ = std::make_unique_for_overwrite<PointXYZIRC[]>(points);
  keys_ = std::make_unique_for_overwrite<RingKey[]>(points);
  bits_ = std::make_unique<std::uint64_t[]>(points / 64 + 1);
  room_ = points;
}

template <bool begins_as_output>
void RingFilter::sort(const Points& points, const RingLayout& at) {
  const std::uint32_t rings = options_.max_rings;
  const std::byte* const end = points.first + points.count * points.step;
  const auto ring_of = [&](const std::byte* point) {
    return std::min<std::uint32_t>(load<std::uint16_t>(point + at.channel), rings);
  };
  std::ranges::fill(ends_, 0);
  for (const std::byte* point = points.first; point != end; point += points.step)
    ++ends_[ring_of(point)];
  std::uint32_t before = 0;
  for (std::uint32_t& ring : ends_) {
    const std::uint32_t size = ring;
    ring = before;
    before += size;
  }
  for (const std::byte* point = points.first; point != end; point += points.step) {
    const std::uint32_t to = ends_[ring_of(point)]++;
    if constexpr (begins_as_output) {
      std::memcpy(&records_[to], point, sizeof(PointXYZIRC));
    } else {
      records_[to] = output_point(point, at);
    }
    keys_[to] = {load<float>(point + at.azimuth), load<float>(point + at.distance)};
  }
}

void RingFilter::walk_ring(std::size_t begin, std::size_t end) {
  if (begin == end) return;
  const RingKey& a = keys_[end - 1];
  const RingKey& b = keys_[begin];
  std::size_t last = end;  // begin of the walk that goes on in the first one
  bool around = false;
  std::size_t first_end = walk_end(begin, end);
  if (!options_.as_published && first_end != end &&
      joins(a.azimuth, a.distance, b.azimuth, b.distance, options_)) {
    last = last_walk(begin, end);
    around =
        stays(records_[last], records_[first_end - 1], end - last + first_end - begin, options_);
    if (around) keep(begin, first_end);
    begin = first_end;
  }
  while (begin < last) {
    const std::size_t next = walk_end(begin, last);
    if (stays(records_[begin], records_[next - 1], next - begin, options_)) keep(begin, next);
    begin = next;
  }
  if (around) keep(last, end);
}

/// One behind the last point of the walk that begins there; `end` bounds it.
std::size_t RingFilter::walk_end(std::size_t begin, std::size_t end) const {
  std::size_t word = begin / 64;
  std::uint64_t apart = ~bits_[word] & (~std::uint64_t{0} << begin % 64);
  while (apart == 0) {
    if (++word * 64 >= end) return end;
    apart = ~bits_[word];
  }
  return std::min(end, word * 64 + static_cast<std::size_t>(std::countr_zero(apart)) + 1);
}

/// Where the last walk begins.
std::size_t RingFilter::last_walk(std::size_t begin, std::size_t end) const {
  std::size_t at = end - 1;
  while (at > begin && joined(at - 1)) --at;
  return at;
}

/// Points are moved as late as can be, so that those of walks still to be judged stay where they
/// are and long stretches go at once.
void RingFilter::keep(std::size_t begin, std::size_t end) {
  if (begin != kept_end_) {
    close_up();
    kept_begin_ = begin;
  }
  kept_end_ = end;
}

void RingFilter::close_up() {
  const std::size_t count = kept_end_ - kept_begin_;
  if (size_ != kept_begin_)
    std::memmove(&records_[size_], &records_[kept_begin_], count * sizeof(PointXYZIRC));
  size_ += count;
  kept_begin_ = kept_end_;
}

}  // namespace wirecost::cloud
