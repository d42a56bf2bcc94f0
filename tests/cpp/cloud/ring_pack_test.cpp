// SPDX-License-Identifier: Apache-2.0
#include "cloud/ring/pack.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace wirecost::cloud::test {
namespace {

std::vector<PointXYZIRC> numbered(std::size_t count) {
  std::vector<PointXYZIRC> points(count);
  for (std::size_t i = 0; i < count; ++i)
    points[i] = {static_cast<float>(i),
                 static_cast<float>(2 * i),
                 static_cast<float>(3 * i),
                 static_cast<std::uint8_t>(i),
                 static_cast<std::uint8_t>(i / 256),
                 static_cast<std::uint16_t>(i)};
  return points;
}

bool same(const PointXYZIRC& one, const PointXYZIRC& other) {
  return one.x == other.x && one.y == other.y && one.z == other.z &&
         one.intensity == other.intensity && one.return_type == other.return_type &&
         one.channel == other.channel;
}

void expect_packed(Pack pack, std::size_t shift, const std::vector<std::uint64_t>& kept) {
  const std::size_t count = 64 * kept.size();
  const std::vector<PointXYZIRC> before = numbered(shift + count + pack_reach);
  std::vector<PointXYZIRC> expected;
  std::size_t last = 0;  // one behind the last point that stays
  for (std::size_t i = 0; i < count; ++i) {
    if ((kept[i / 64] >> i % 64 & 1) == 0) continue;
    expected.push_back(before[shift + i]);
    last = i + 1;
  }
  std::vector<PointXYZIRC> points = before;
  ASSERT_EQ(pack(points.data(), points.data() + shift, kept), expected.size());
  EXPECT_TRUE(std::ranges::equal(expected, std::span(points).first(expected.size()), same));
  const std::size_t reached = shift + last + pack_reach;
  EXPECT_TRUE(std::ranges::equal(std::span(before).subspan(reached),
                                 std::span(points).subspan(reached), same));
}

TEST(RingPack, PointsThatStayComeTogether) {
  std::mt19937_64 random(1);
  for (const Pack pack : {pack_points_portable, pack_points()}) {
    expect_packed(pack, 0, {});
    for (const std::size_t shift : {0U, 1U, 2U, 3U, 5U, 64U, 200U}) {
      for (int round = 0; round < 100; ++round) {
        std::vector<std::uint64_t> kept(1 + random() % 4);
        for (auto& word : kept) {
          word = random() & random();
          if (random() % 3 == 0) word = ~word;
          if (random() % 4 == 0) word = random() % 2 == 0 ? 0 : ~std::uint64_t{0};
          if (random() % 4 == 0) word >>= random() % 64;
        }
        expect_packed(pack, shift, kept);
      }
    }
  }
}

}  // namespace
}  // namespace wirecost::cloud::test
