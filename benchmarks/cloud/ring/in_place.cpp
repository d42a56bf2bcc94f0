// SPDX-License-Identifier: Apache-2.0
#include "cloud/ring/in_place.hpp"

namespace wirecost::cloud {
namespace {

class Walker {
 public:
  Walker(const Points& points, const RingLayout& at, const RingOptions& options)
      : points_(points), at_(at), options_(options), output_(points.count * sizeof(PointXYZIRC)) {}

  void ring(const std::vector<std::size_t>& indices) {
    // The published filter closes its last walk one point early.
    const std::size_t count = indices.size() - (options_.as_published && !indices.empty());
    if (count == 0) return;
    std::size_t begin = 0;
    std::size_t ends_with = count;  // where the walk begins that goes on in the first one
    if (!options_.as_published && joined(indices[count - 1], indices[0])) {
      while (ends_with > 1 && joined(indices[ends_with - 2], indices[ends_with - 1])) --ends_with;
      --ends_with;
      if (ends_with == 0) ends_with = count;  // all of the ring is one walk
    }
    bool around = false;
    for (std::size_t i = 0; i < count; ++i) {
      if (i + 1 < count && joined(indices[i], indices[i + 1])) continue;
      const bool first_of_two = begin == 0 && ends_with < count;
      const bool second_of_two = begin == ends_with;
      bool kept = around;
      if (first_of_two) {
        kept = around = walk(indices[ends_with], indices[i], count - ends_with + i + 1);
      } else if (!second_of_two) {
        kept = walk(indices[begin], indices[i], i - begin + 1);
      }
      if (kept) copy(indices, begin, i + 1);
      begin = i + 1;
    }
  }

  std::vector<std::byte> output() {
    output_.resize(size_);
    return std::move(output_);
  }

 private:
  const std::byte* point(std::size_t index) const { return points_.first + index * points_.step; }

  bool joined(std::size_t one, std::size_t next) const {
    const std::byte* const a = point(one);
    const std::byte* const b = point(next);
    return joins(load<float>(a + at_.azimuth), load<float>(a + at_.distance),
                 load<float>(b + at_.azimuth), load<float>(b + at_.distance), options_);
  }

  bool walk(std::size_t first, std::size_t last, std::size_t count) const {
    return stays(output_point(point(first), at_), output_point(point(last), at_), count, options_);
  }

  void copy(const std::vector<std::size_t>& indices, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const PointXYZIRC made = output_point(point(indices[i]), at_);
      std::memcpy(output_.data() + size_, &made, sizeof made);
      size_ += sizeof made;
    }
  }

  Points points_;
  RingLayout at_;
  RingOptions options_;
  std::vector<std::byte> output_;
  std::size_t size_ = 0;
};

}  // namespace

std::vector<std::byte> ring_in_place(const CloudView& cloud, const RingOptions& options) {
  check(options);
  const Points all = points(cloud);
  if (all.count == 0) return {};
  const RingLayout at = ring_layout(cloud);
  std::vector<std::vector<std::size_t>> rings(options.max_rings);
  // No ring has more points than the cloud, whatever is usual.
  const std::size_t usual = std::min<std::size_t>(options.usual_ring_size, all.count);
  for (auto& ring : rings) ring.reserve(usual);
  for (std::size_t i = 0; i < all.count; ++i) {
    const auto channel = load<std::uint16_t>(all.first + i * all.step + at.channel);
    if (channel < options.max_rings) rings[channel].push_back(i);
  }
  Walker walker(all, at, options);
  for (const auto& ring : rings) walker.ring(ring);
  return walker.output();
}

}  // namespace wirecost::cloud
