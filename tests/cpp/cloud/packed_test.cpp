// SPDX-License-Identifier: Apache-2.0
// Packed clouds: what goes in comes out, or is no further off than it may be.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "wirecost/cloud/packed/packer.hpp"
#include "wirecost/cloud/packed/unpacker.hpp"

namespace wirecost::cloud::test {
namespace {

struct Point {
  float x, y, z;
  std::uint8_t intensity, spare;
  std::uint16_t ring;
  double time;
  std::int8_t a[2];
  std::int16_t b;
  std::int32_t c;
  std::uint32_t d;
  float kept;
};
const std::vector<Field> fields{
    {"x", 0, Type::f32},         {"y", 4, Type::f32},     {"z", 8, Type::f32},
    {"intensity", 12, Type::u8}, {"ring", 14, Type::u16}, {"time", 16, Type::f64},
    {"a", 24, Type::i8, 2},      {"b", 26, Type::i16},    {"c", 28, Type::i32},
    {"d", 32, Type::u32},        {"kept", 36, Type::f32}};

/// A scan of some beams; a third of the points did not come back.
std::vector<Point> scan(std::size_t columns, unsigned beams) {
  std::mt19937 random(7);
  std::normal_distribution<float> noise(0, 0.01F);
  std::vector<Point> made;
  for (std::size_t column = 0; column < columns; ++column)
    for (unsigned beam = 0; beam < beams; ++beam) {
      if (random() % 3 == 0) continue;
      const float azimuth = 2 * std::numbers::pi_v<float> * column / columns;
      const float away = 10 + 5 * std::sin(3 * azimuth) + noise(random);
      Point point{};
      point.x = away * std::cos(azimuth);
      point.y = away * std::sin(azimuth);
      point.z = away * (0.02F * beam - 0.3F);
      point.intensity = static_cast<std::uint8_t>(random() % 90);
      point.ring = static_cast<std::uint16_t>(beam);
      point.time = 1.7e9 + 1e-6 * made.size();
      point.a[0] = static_cast<std::int8_t>(random());
      point.a[1] = -7;
      point.b = static_cast<std::int16_t>(random());
      point.c = static_cast<std::int32_t>(random());
      point.d = static_cast<std::uint32_t>(random());
      point.kept = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
      made.push_back(point);
    }
  return made;
}

CloudView view_of(const std::vector<Point>& points) {
  const auto count = static_cast<std::uint32_t>(points.size());
  constexpr std::uint32_t step = sizeof(Point);
  return {1, count, fields, false, step, count * step, std::as_bytes(std::span(points))};
}

std::vector<Point> unpacked(std::span<const std::byte> packed) {
  Unpacker unpacker;
  const PackedLayout& layout = unpacker.read(packed);
  EXPECT_EQ(layout.point_step, sizeof(Point));
  EXPECT_EQ(layout.fields.size(), fields.size());
  std::vector<Point> points(layout.bytes / sizeof(Point));
  unpacker.unpack(std::as_writable_bytes(std::span(points)));
  return points;
}

bool same(const std::vector<Point>& one, const std::vector<Point>& other) {
  return one.size() == other.size() &&
         (one.empty() || std::memcmp(one.data(), other.data(), one.size() * sizeof(Point)) == 0);
}

constexpr Effort efforts[]{Effort::small, Effort::quick};

TEST(Packed, EveryBitIsKept) {
  Packer packers[]{Packer({}, Effort::small), Packer({}, Effort::quick)};
  for (const std::size_t columns : {0, 1, 2, 5, 300}) {
    std::vector<Point> points = scan(columns, 16);
    if (columns == 300) {
      points[10].x = std::numeric_limits<float>::quiet_NaN();
      points[11].y = -std::numeric_limits<float>::infinity();
      points[12].z = -0.0F;
      points[13].kept = std::bit_cast<float>(0xFFC12345U);
      points[14].time = -std::numeric_limits<double>::infinity();
      points[15].x = std::numeric_limits<float>::max();
    }
    for (Packer& packer : packers)
      EXPECT_TRUE(same(unpacked(packer.pack(view_of(points))), points)) << columns;
  }
}

TEST(Packed, BeamsAreFoundWithoutTheirField) {
  std::vector<Point> points = scan(2000, 16);
  const auto place = std::span(fields).first(3);
  CloudView view = view_of(points);
  view.fields = place;
  Packer packer({{"x", 0.001}, {"y", 0.001}, {"z", 0.001}});
  const std::size_t found = packer.pack(view).size();
  std::vector<Point> moved = points;
  for (Point& point : moved) point.z += 0.05F * point.x;
  CloudView other = view_of(moved);
  other.fields = place;
  EXPECT_LT(static_cast<double>(found), 0.9 * static_cast<double>(packer.pack(other).size()));
}

TEST(Packed, NoValueIsFurtherOffThanItMay) {
  std::vector<Point> points = scan(500, 32);
  points[3].x = std::numeric_limits<float>::quiet_NaN();
  points[4].y = 1e30F;
  points[5].z = -0.0F;
  points[6].x = std::numeric_limits<float>::infinity();
  for (const Effort effort : efforts)
    for (const double error : {1e-7, 1e-4, 0.001, 0.5, 1e6}) {
      Packer packer({{"x", error}, {"y", error}, {"z", error}, {"time", error}}, effort);
      const std::vector<Point> back = unpacked(packer.pack(view_of(points)));
      ASSERT_EQ(back.size(), points.size());
      for (std::size_t at = 0; at < points.size(); ++at) {
        for (const auto member : {&Point::x, &Point::y, &Point::z}) {
          const double was = points[at].*member, is = back[at].*member;
          if (std::isfinite(was))
            ASSERT_LE(std::abs(was - is), error) << at;
          else
            ASSERT_EQ(std::bit_cast<std::uint64_t>(was), std::bit_cast<std::uint64_t>(is));
        }
        ASSERT_LE(std::abs(points[at].time - back[at].time), error);
        Point others = back[at];
        others.x = points[at].x, others.y = points[at].y, others.z = points[at].z;
        others.time = points[at].time;
        ASSERT_EQ(std::memcmp(&others, &points[at], sizeof others), 0);
      }
    }
}

// Whatever processor packs, the bytes are the same: no library's sine is in these points.
TEST(Packed, BytesAreThose) {
  std::vector<Point> points(3000);
  std::uint32_t random = 1;
  for (std::size_t at = 0; at < points.size(); ++at) {
    random = random * 1664525 + 1013904223;
    Point& point = points[at];
    point = {};
    const float away = 1 + (at / 700) + static_cast<float>(random >> 24) / 1024;
    point.x = away * 0.6F;
    point.y = away * 0.8F;
    point.z = away * (0.0625F * (at % 16) - 0.5F);
    point.ring = static_cast<std::uint16_t>(at % 16);
    point.time = 0.0001 * at;
    point.d = random;
  }
  const auto hash_of = [&](Effort effort) {
    Packer packer({{"x", 0.001}, {"y", 0.001}, {"z", 0.001}}, effort);
    std::uint64_t hash = 0xCBF29CE484222325;  // FNV-1a
    for (const std::byte byte : packer.pack(view_of(points)))
      hash = (hash ^ static_cast<std::uint8_t>(byte)) * 0x100000001B3;
    return hash;
  };
  EXPECT_EQ(hash_of(Effort::small), 11271898439412955903U);
  EXPECT_EQ(hash_of(Effort::quick), 1707369774363530831U);
}

// A beam missing now and then, and others coming back, changes how far the like points lie.
TEST(Packed, LagsFollowMissingBeams) {
  const std::vector<Point> points = scan(2000, 32);
  CloudView view = view_of(points);
  const auto place = std::span(fields).first(3);
  view.fields = place;
  Packer packer({{"x", 0.001}, {"y", 0.001}, {"z", 0.001}}, Effort::quick);
  const std::size_t in_turns = packer.pack(view).size();
  std::vector<Point> shuffled = points;
  std::ranges::shuffle(shuffled, std::mt19937(3));
  view.data = std::as_bytes(std::span(shuffled));
  EXPECT_LT(static_cast<double>(in_turns), 0.9 * static_cast<double>(packer.pack(view).size()));
}

std::string refusal(auto call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Packed, WhatCannotBeIsRefused) {
  const std::vector<Point> points = scan(12, 16);
  EXPECT_NE(refusal([] { Packer packer({{"x", -1}}); }), "");
  EXPECT_NE(refusal([&] { Packer({{"ring", 1}}).pack(view_of(points)); }), "");
  EXPECT_NE(refusal([&] { Packer({{"nobody", 1}}).pack(view_of(points)); }), "");
  const std::vector<Field> outside{{"x", sizeof(Point) - 3, Type::f32}};
  CloudView view = view_of(points);
  view.fields = outside;
  EXPECT_NE(refusal([&] { Packer().pack(view); }), "");

  Unpacker unpacker;
  for (const Effort effort : efforts) {
    Packer packer({{"x", 0.001}, {"y", 0.001}, {"z", 0.001}}, effort);
    const auto packed = packer.pack(view_of(points));
    for (std::size_t size = 0; size < packed.size(); ++size)
      EXPECT_NE(refusal([&] {
                  std::vector<std::byte> into(unpacker.read(packed.first(size)).bytes);
                  unpacker.unpack(into);
                }),
                "")
          << size;
    std::vector<std::byte> longer(packed.begin(), packed.end());
    longer.push_back({});
    EXPECT_NE(refusal([&] { unpacked(longer); }), "");
    std::vector<std::byte> little(1);
    EXPECT_NE(refusal([&] {
                unpacker.read(packed);
                unpacker.unpack(little);
              }),
              "");
  }
  // A cloud without points, of a field with more values than there is memory for.
  std::vector<std::byte> many;
  // The literal's last zero is the order.
  for (const unsigned char each : "WPC1\1\0\377\377\377\377\17\1\0\0\2\377\377\377\377\17")
    many.push_back(static_cast<std::byte>(each));
  EXPECT_EQ(unpacker.read(many).bytes, 0U);
  EXPECT_NE(refusal([&] { unpacker.unpack({}); }), "");
}

}  // namespace
}  // namespace wirecost::cloud::test
