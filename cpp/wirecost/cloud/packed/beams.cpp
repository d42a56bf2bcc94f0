// SPDX-License-Identifier: Apache-2.0
#include "wirecost/cloud/packed/beams.hpp"

#include "wirecost/cloud/packed/clones.hpp"

#include <algorithm>
#include <cmath>

namespace wirecost::cloud::packed {
namespace {

/// Steeper than two, few lidars look; such points are taken for those of the last bin.
constexpr float steepest = 2;
constexpr std::size_t bins = std::size_t{1} << 14;
/// Bins that the points of a beam fill at most, about half a milliradian together.
constexpr std::size_t widest = 3;
WIRECOST_CLONES
void find_bins(const float* x, const float* y, const float* z, std::size_t count,
               std::uint16_t* found) {
  for (std::size_t at = 0; at < count; ++at) {
    const float slope = z[at] / std::sqrt(x[at] * x[at] + y[at] * y[at]);
    const float scaled = (slope + steepest) * (bins / (2 * steepest));
    // A NaN is in the first one.
    const float above = scaled > 0 ? scaled : 0;
    found[at] = static_cast<std::uint16_t>(
        static_cast<std::int32_t>(above < float{bins - 1} ? above : float{bins - 1}));
  }
}

/// The beam that most often came behind each.
using Followers = std::array<std::uint8_t, most_beams>;

Followers first_followers(std::size_t count) {
  Followers followers{};
  for (std::size_t beam = 0; beam < count; ++beam)
    followers[beam] = static_cast<std::uint8_t>(beam + 1 < count ? beam + 1 : 0);
  return followers;
}

}  // namespace

void Beams::none(std::size_t points) {
  count_ = 0;
  of_point_.assign(points, 0);
  places_.clear();
  begins_ = {};
}

bool Beams::from(std::span<const std::int32_t> numbers) {
  of_point_.resize(numbers.size());
  std::int32_t highest = 0;
  for (std::size_t at = 0; at < numbers.size(); ++at) {
    if (numbers[at] < 0 || numbers[at] >= std::int32_t{most_beams}) return false;
    highest = std::max(highest, numbers[at]);
    of_point_[at] = static_cast<std::uint8_t>(numbers[at]);
  }
  count_ = static_cast<std::size_t>(highest) + 1;
  sort();
  return true;
}

bool Beams::find(std::span<const float> x, std::span<const float> y, std::span<const float> z) {
  points_in_bin_.assign(bins, 0);
  of_point_.resize(x.size());
  bin_of_point_.resize(x.size());
  find_bins(x.data(), y.data(), z.data(), x.size(), bin_of_point_.data());
  for (const std::uint16_t bin : bin_of_point_) ++points_in_bin_[bin];
  // From here on a bin has the number of its beam.
  std::size_t width = 0, found = 0;
  bool before = false;
  const std::uint32_t few = static_cast<std::uint32_t>(x.size() / 4096);
  for (std::uint32_t& bin : points_in_bin_) {
    const bool is_there = bin > few;
    if (is_there && !before) ++found, width = 0;
    if (is_there && ++width > widest) return false;
    before = is_there;
    if (found > most_beams) return false;
    bin = static_cast<std::uint32_t>(found > 0 ? found - 1 : 0);
  }
  if (found < 2) return false;
  count_ = found;
  for (std::size_t at = 0; at < x.size(); ++at)
    of_point_[at] = static_cast<std::uint8_t>(points_in_bin_[bin_of_point_[at]]);
  sort();
  return true;
}

void Beams::sort() {
  begins_ = {};
  for (const std::uint8_t beam : of_point_) ++begins_[beam + 1U];
  for (std::size_t beam = 0; beam < most_beams; ++beam) begins_[beam + 1] += begins_[beam];
  places_.resize(of_point_.size());
  auto next = begins_;
  for (std::size_t at = 0; at < of_point_.size(); ++at)
    places_[next[of_point_[at]]++] = static_cast<std::uint32_t>(at);
}

void Beams::encode(Streams& streams, ByteWriter& out) {
  out.number(static_cast<std::uint8_t>(count_ - 1));
  Followers followers = first_followers(count_);
  small_.resize(of_point_.size());
  std::uint8_t former = 0;
  for (std::size_t at = 0; at < small_.size(); ++at) {
    const std::uint8_t beam = of_point_[at];
    const std::size_t further = beam + count_ - followers[former];
    small_[at] = static_cast<std::uint32_t>(further >= count_ ? further - count_ : further);
    followers[former] = beam;
    former = beam;
  }
  streams.encode_small(small_, out);
}

void Beams::decode(Streams& streams, ByteReader& in, std::size_t points) {
  count_ = std::size_t{in.number<std::uint8_t>()} + 1;
  small_.resize(points);
  streams.decode_small(in, small_);
  of_point_.resize(points);
  Followers followers = first_followers(count_);
  std::uint8_t former = 0;
  for (std::size_t at = 0; at < points; ++at) {
    if (small_[at] >= count_) refuse("no such beam");
    const std::size_t further = followers[former] + small_[at];
    const auto beam = static_cast<std::uint8_t>(further >= count_ ? further - count_ : further);
    followers[former] = beam;
    former = beam;
    of_point_[at] = beam;
  }
  sort();
}

}  // namespace wirecost::cloud::packed
