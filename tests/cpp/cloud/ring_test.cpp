// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "cloud/ring/filter.hpp"
#include "cloud/ring/in_place.hpp"
#include "clouds.hpp"

namespace wirecost::cloud::test {
namespace {

std::vector<PointXYZIRC> points_of(std::span<const std::byte> bytes) {
  std::vector<PointXYZIRC> found(bytes.size() / sizeof(PointXYZIRC));
  if (!found.empty()) std::memcpy(found.data(), bytes.data(), bytes.size());
  return found;
}

std::vector<std::byte> filtered(const CloudView& cloud, const RingOptions& options,
                                FindJoins joins = find_joins(), Pack pack = pack_points()) {
  RingFilter filter(options, joins, pack);
  const auto found = filter(cloud);
  return {found.begin(), found.end()};
}

/// A ring's points at 10 m, one degree of azimuth apart from `from`.
RingPoint at(float degrees, float distance, std::uint16_t channel = 0) {
  const float azimuth = degrees * std::numbers::pi_v<float> / 180;
  return {distance * std::cos(azimuth),
          distance * std::sin(azimuth),
          0,
          7,
          9,
          channel,
          azimuth,
          0,
          distance,
          0};
}

std::vector<float> kept_azimuths(const std::vector<RingPoint>& points, const RingOptions& options) {
  const Message message = Message::of(points);
  const auto mine = filtered(message.view, options);
  EXPECT_EQ(mine, ring_in_place(message.view, options));
  std::vector<float> degrees;
  for (const PointXYZIRC& p : points_of(mine))
    degrees.push_back(std::round(std::atan2(p.y, p.x) * 180 / std::numbers::pi_v<float> * 10) / 10);
  return degrees;
}

/// The definition, word for word and slow: sort, cut into walks, join round the ring, keep.
std::vector<std::byte> by_definition(const std::vector<RingPoint>& points,
                                     const RingOptions& options) {
  std::vector<std::byte> kept;
  for (std::uint32_t ring = 0; ring < options.max_rings; ++ring) {
    std::vector<RingPoint> on;
    for (const RingPoint& p : points)
      if (p.channel == ring) on.push_back(p);
    if (on.empty()) continue;
    const auto joined = [&](const RingPoint& a, const RingPoint& b) {
      return joins(a.azimuth, a.distance, b.azimuth, b.distance, options);
    };
    const bool round = joined(on.back(), on.front());
    if (options.as_published) on.pop_back();
    std::vector<std::vector<std::size_t>> walks;
    for (std::size_t i = 0; i < on.size(); ++i) {
      if (i == 0 || !joined(on[i - 1], on[i])) walks.emplace_back();
      walks.back().push_back(i);
    }
    if (round && !options.as_published && walks.size() > 1) {
      walks.back().insert(walks.back().end(), walks[0].begin(), walks[0].end());
      walks.erase(walks.begin());
    }
    std::vector<bool> stay(on.size());
    for (const auto& walk : walks) {
      const auto as_output = [&](std::size_t i) {
        PointXYZIRC made;
        std::memcpy(&made, &on[i], sizeof made);
        return made;
      };
      if (stays(as_output(walk.front()), as_output(walk.back()), walk.size(), options))
        for (const std::size_t i : walk) stay[i] = true;
    }
    for (std::size_t i = 0; i < on.size(); ++i) {
      const auto* const bytes = reinterpret_cast<const std::byte*>(&on[i]);
      if (stay[i]) kept.insert(kept.end(), bytes, bytes + sizeof(PointXYZIRC));
    }
  }
  return kept;
}

RingOptions random_options(std::mt19937& random) {
  RingOptions options;
  options.as_published = random() % 2 == 0;
  options.many_points = random() % 3 == 0 ? no_number : static_cast<std::uint32_t>(random() % 8);
  options.object_length = static_cast<float>(random() % 4) * 0.2F;
  options.max_rings = 1 + static_cast<std::uint32_t>(random() % 20);
  options.azimuth_step = static_cast<float>(random() % 3) * 0.1F;
  options.usual_ring_size = static_cast<std::uint32_t>(random() % 50);
  return options;
}

TEST(Ring, AllVersionsFollowTheDefinition) {
  std::mt19937 random(1);
  for (int round = 0; round < 400; ++round) {
    const auto points = scanned(random, random() % 700, 1 + static_cast<int>(random() % 16));
    const RingOptions options = random_options(random);
    const Message message = Message::of(points);
    const auto expected = by_definition(points, options);
    ASSERT_EQ(filtered(message.view, options), expected) << round;
    ASSERT_EQ(filtered(message.view, options, find_joins_portable, pack_points_portable), expected)
        << round;
    ASSERT_EQ(ring_in_place(message.view, options), expected) << round;
    const Message older = Message::older(points);
    ASSERT_EQ(filtered(older.view, options), expected) << round;
    ASSERT_EQ(ring_in_place(older.view, options), expected) << round;
  }
}

TEST(Ring, ArbitraryBitsGiveTheSameEverywhere) {
  std::mt19937 random(2);
  std::vector<std::uint32_t> words;
  for (int round = 0; round < 200; ++round) {
    std::vector<RingPoint> points(random() % 400);
    words.resize(points.size() * 8);
    for (auto& word : words) word = static_cast<std::uint32_t>(random());
    // Numbers that are none and that have no end are rare among random bits.
    for (std::size_t i = 0; i < words.size(); i += 1 + random() % 9)
      words[i] = std::bit_cast<std::uint32_t>(
          std::array{std::numeric_limits<float>::quiet_NaN(), 0.0F, 1.0F, -1.0F,
                     std::numeric_limits<float>::infinity()}[random() % 5]);
    if (!points.empty()) std::memcpy(points.data(), words.data(), words.size() * 4);
    for (auto& point : points)
      if (random() % 4 != 0) point.channel = static_cast<std::uint16_t>(random() % 3);
    const RingOptions options = random_options(random);
    const Message message = Message::of(points);
    const auto expected = by_definition(points, options);
    ASSERT_EQ(filtered(message.view, options), expected) << round;
    ASSERT_EQ(filtered(message.view, options, find_joins_portable, pack_points_portable), expected)
        << round;
    ASSERT_EQ(ring_in_place(message.view, options), expected) << round;
  }
}

TEST(Ring, AnAzimuthStepEndsAWalk) {
  RingOptions options;
  options.many_points = 1;
  options.object_length = 1000;
  const std::vector<RingPoint> points{at(0, 10), at(0.5F, 10), at(90, 10), at(180, 10)};
  EXPECT_EQ(kept_azimuths(points, options), (std::vector{0.0F, 0.5F}));
  options.as_published = true;  // any step joins, and the last point is lost
  EXPECT_EQ(kept_azimuths(points, options), (std::vector{0.0F, 0.5F, 90.0F}));
}

TEST(Ring, ARingsLastPointStays) {
  RingOptions options;
  options.many_points = 1;
  const std::vector<RingPoint> points{at(10, 10), at(10.5F, 10), at(11, 10)};
  EXPECT_EQ(kept_azimuths(points, options).size(), 3U);
  options.as_published = true;
  EXPECT_EQ(kept_azimuths(points, options).size(), 2U);
}

TEST(Ring, AWalkGoesOnRoundTheRing) {
  RingOptions options;
  options.many_points = 3;
  options.object_length = 1000;
  const std::vector<RingPoint> points{at(0.2F, 10), at(0.6F, 10), at(50, 20), at(359.2F, 10),
                                      at(359.8F, 10)};
  EXPECT_EQ(kept_azimuths(points, options), (std::vector{0.2F, 0.6F, -0.8F, -0.2F}));
  options.as_published = true;
  EXPECT_TRUE(kept_azimuths(points, options).empty());
}

TEST(Ring, AWalkRoundAllOfTheRingIsOne) {
  RingOptions options;
  options.many_points = no_number;
  std::vector<RingPoint> points;
  for (int i = 0; i < 720; ++i) points.push_back(at(static_cast<float>(i) / 2, 10));
  options.object_length = 0.05F;  // its ends are 9 cm apart
  EXPECT_EQ(kept_azimuths(points, options).size(), 720U);
  options.object_length = 0.1F;
  EXPECT_EQ(kept_azimuths(points, options).size(), 0U);
}

TEST(Ring, PointsOfOtherChannelsAreDropped) {
  RingOptions options;
  options.max_rings = 2;
  options.object_length = 0;
  const std::vector<RingPoint> points{at(1, 10, 1), at(2, 10, 2), at(3, 10, 65535), at(4, 10, 0)};
  EXPECT_EQ(kept_azimuths(points, options), (std::vector{4.0F, 1.0F}));
}

TEST(Ring, IntensitiesOfTheOlderFormatAreClamped) {
  Message message = Message::older({at(0, 10), at(0.5F, 10), at(1, 10), at(1.5F, 10)});
  const std::array given{-3.0F, std::numeric_limits<float>::quiet_NaN(), 99.7F, 1e9F};
  for (std::size_t i = 0; i < 4; ++i) std::memcpy(message.data.data() + i * 40 + 12, &given[i], 4);
  const auto kept = filtered(message.view, {});
  EXPECT_EQ(kept, ring_in_place(message.view, {}));
  std::vector<int> found;
  for (const PointXYZIRC& p : points_of(kept)) found.push_back(p.intensity);
  EXPECT_EQ(found, (std::vector{0, 0, 99, 255}));
}

TEST(Ring, AFilterIsUsedAgain) {
  std::mt19937 random(3);
  for (int round = 0; round < 40; ++round) {
    const RingOptions options = random_options(random);
    RingFilter filter(options);
    // Alike, larger, smaller, empty, with other rings: the places of the last cloud do or do not.
    for (int cloud = 0; cloud < 30; ++cloud) {
      const std::size_t size = random() % 3 == 0 ? random() % 4000 : 500 + random() % 20;
      const auto points = scanned(random, size, 1 + static_cast<int>(random() % 16));
      const Message message = Message::of(points);
      const auto found = filter(message.view);
      ASSERT_EQ(std::vector(found.begin(), found.end()), by_definition(points, options))
          << round << ' ' << cloud;
    }
  }
}

TEST(Ring, NumbersOfRingsThatNoChannelHasAreRefused) {
  EXPECT_THROW(RingFilter({.max_rings = 0}), std::invalid_argument);
  EXPECT_THROW(RingFilter({.max_rings = 65537}), std::invalid_argument);
  EXPECT_THROW(ring_in_place(Message::of({}).view, {.max_rings = 0}), std::invalid_argument);
  EXPECT_NO_THROW(RingFilter({.max_rings = 65536}));
}

}  // namespace
}  // namespace wirecost::cloud::test
