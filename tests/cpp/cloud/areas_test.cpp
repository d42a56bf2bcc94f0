// SPDX-License-Identifier: Apache-2.0
// Every version's answers are Boost's, above all where a point is near an edge.
#include <gtest/gtest.h>

#include <numbers>
#include <random>

#include "cloud/area/area.hpp"
#include "cloud/area/circle.hpp"
#include "cloud/area/detection_areas.hpp"

namespace wirecost::cloud::test {
namespace {

const std::vector<Field> fields{{"x", 4, Type::f32}, {"y", 8, Type::f32}};

struct PlaneCloud {
  explicit PlaneCloud(const std::vector<XY>& points) : data(points.size() * 12) {
    for (std::size_t i = 0; i < points.size(); ++i)
      std::memcpy(data.data() + i * 12 + 4, &points[i], sizeof(XY));
  }
  CloudView view() const {
    return {1, static_cast<std::uint32_t>(data.size() / 12), fields, false, 12, 0, data};
  }
  std::vector<std::byte> data;
};

Area area_of(std::vector<Vertex> vertices) {
  vertices.push_back(vertices.front());
  Area area;
  area.outer().assign(vertices.begin(), vertices.end());
  return area;
}

enum Shape { round, spiky, crossing, stairs, shapes };

/// A polygon around a place; `crossing` ones cut themselves.
Area random_area(std::mt19937& random, Shape shape, std::size_t count, double x, double y,
                 double size) {
  std::uniform_real_distribution<double> part(0, 1);
  std::vector<Vertex> vertices;
  for (std::size_t i = 0; i < count; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(count);
    const double angle = 2 * std::numbers::pi * (shape == crossing ? part(random) : share);
    const double radius = size * (shape == round ? 1 : 0.2 + 0.8 * part(random));
    Vertex vertex(x + radius * std::cos(angle), y + radius * std::sin(angle));
    // Right angles: edges along the axes, many equal coordinates.
    if (shape == stairs)
      vertex = Vertex(x + std::round(radius * std::cos(angle)),
                      y + std::round(radius * std::sin(angle)));
    vertices.push_back(vertex);
  }
  return area_of(vertices);
}

/// Anywhere in and around the areas, on vertices and edges and a hair beside them.
std::vector<XY> random_points(std::mt19937& random, std::span<const Area> areas, std::size_t count,
                              double x, double y, double size) {
  std::uniform_real_distribution<double> part(0, 1);
  std::vector<XY> points;
  for (std::size_t i = 0; i < count; ++i) {
    XY point{static_cast<float>(x + size * (4 * part(random) - 2)),
             static_cast<float>(y + size * (4 * part(random) - 2))};
    if (random() % 2 == 0) {
      const auto& ring = areas[random() % areas.size()].outer();
      const std::size_t edge = random() % (ring.size() - 1);
      const double along = random() % 3 == 0 ? 0 : part(random);
      point.x = static_cast<float>(ring[edge].x() + along * (ring[edge + 1].x() - ring[edge].x()));
      point.y = static_cast<float>(ring[edge].y() + along * (ring[edge + 1].y() - ring[edge].y()));
      for (auto steps = random() % 4; steps > 0; --steps)
        point.x = std::nextafter(point.x, static_cast<float>(x + size));
    }
    if (random() % 100 == 0)
      point.x = std::array{std::numeric_limits<float>::quiet_NaN(),
                           std::numeric_limits<float>::infinity(), 3e38F}[random() % 3];
    if (random() % 100 == 0) point.y = std::numeric_limits<float>::quiet_NaN();
    points.push_back(point);
  }
  return points;
}

void expect_same(const std::vector<Inside>& one, const std::vector<Inside>& other,
                 const std::string& who) {
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t a = 0; a < one.size(); ++a) {
    ASSERT_EQ(one[a].first, other[a].first) << who << ", area " << a;
    ASSERT_EQ(one[a].mask, other[a].mask) << who << ", area " << a;
  }
}

TEST(Areas, AllVersionsGiveBoostsAnswers) {
  std::mt19937 random(5);
  DetectionAreas quick;
  DetectionAreas portable(find_in_box_portable);
  std::size_t hits = 0;
  for (int round_number = 0; round_number < 120; ++round_number) {
    // Maps reach far from their origin, and single precision with them.
    const double place = std::array{0.0, 30.0, -900.0, 80'000.0}[random() % 4];
    const double size = std::array{1e-7, 0.01, 3.0, 12.0, 4e6}[random() % 5];
    std::vector<Area> areas;
    for (auto left = random() % 4; left < 4; ++left)
      areas.push_back(random_area(random, static_cast<Shape>(random() % shapes),
                                  std::array<std::size_t, 4>{3, 8, 64, 500}[random() % 4],
                                  place + size * static_cast<double>(left), place, size));
    check(areas);
    const PlaneCloud cloud(random_points(random, areas, random() % 2500, place, place, size));
    const PlanePoints points(cloud.view());
    for (const Ask ask : {Ask::first, Ask::all}) {
      std::vector<Inside> expected;
      area_within(points, areas, ask, expected);
      std::vector<Inside> found(1);
      area_circle(points, areas, ask, found);
      expect_same(found, expected, "circle");
      quick(points, areas, ask, found);
      expect_same(found, expected, "bands");
      portable(points, areas, ask, found);
      expect_same(found, expected, "portable bands");
      for (const Inside& inside : expected)
        for (const std::uint64_t word : inside.mask) hits += std::popcount(word);
    }
  }
  EXPECT_GT(hits, 5000U);
}

TEST(Areas, PortableAndQuickestBandsAgreeAndRarelyAskBoost) {
  std::mt19937 random(6);
  Bands bands;
  Bands portable(side_portable);
  std::size_t unclear = 0;
  std::size_t inside = 0;
  for (int i = 0; i < 60; ++i) {
    const Area area = random_area(random, static_cast<Shape>(i % 2), 8 << i % 7, 50, -20, 10);
    bands.build(area);
    portable.build(area);
    std::uniform_real_distribution<float> part(-10, 10);
    for (int j = 0; j < 500; ++j) {
      const XY point{50 + part(random), -20 + part(random)};
      const Side side = bands.side(point);
      ASSERT_EQ(side, portable.side(point));
      unclear += side == Side::unclear ? 1 : 0;
      if (side != Side::unclear) {
        ASSERT_EQ(side == Side::inside, within(point, area));
      }
      inside += side == Side::inside ? 1 : 0;
    }
  }
  EXPECT_LT(unclear, 60U);
  EXPECT_GT(inside, 5000U);
}

TEST(Areas, TheBoundaryIsOutside) {
  const std::vector<Area> square{area_of({{0, 0}, {0, 2}, {2, 2}, {2, 0}})};
  const PlaneCloud cloud({{0, 1}, {2, 2}, {1, 2}, {-1, 1}, {1, 1}, {1, 0}});
  std::vector<Inside> found;
  for (const auto version : {area_within, area_circle}) {
    version(PlanePoints(cloud.view()), square, Ask::all, found);
    EXPECT_EQ(found[0].first, 4U);
    EXPECT_EQ(found[0].mask, (std::vector<std::uint64_t>{1U << 4}));
  }
  DetectionAreas quick;
  quick(PlanePoints(cloud.view()), square, Ask::first, found);
  EXPECT_EQ(found[0].first, 4U);
  EXPECT_TRUE(found[0].mask.empty());
}

TEST(Areas, WhatIsNoAreaIsRefused) {
  const auto refused = [](const Area& area) {
    EXPECT_THROW(check({{area}}), std::invalid_argument);
  };
  refused({});
  refused(area_of({{0, 0}, {1, 0}}));
  Area open = area_of({{0, 0}, {1, 0}, {1, 1}, {0, 1}});
  open.outer().pop_back();
  refused(open);
  refused(area_of({{0, 0}, {1, 0}, {1, std::numeric_limits<double>::infinity()}}));
}

TEST(Circle, HoldsAllVerticesAndIsNoWiderThanNeedBe) {
  std::mt19937 random(7);
  std::normal_distribution<double> place(0, 10);
  for (int round_number = 0; round_number < 300; ++round_number) {
    std::vector<Vertex> vertices(1 + random() % 30);
    for (auto& vertex : vertices) vertex = Vertex(place(random), place(random));
    const bool flat = round_number % 3 == 0;
    if (flat)
      for (auto& vertex : vertices) vertex.y(2 * vertex.x());
    const Circle circle = smallest_enclosing_circle(vertices);
    double widest = 0;
    for (const Vertex& a : vertices) {
      EXPECT_LE(std::hypot(a.x() - circle.x, a.y() - circle.y), std::sqrt(circle.squared_radius));
      for (const Vertex& b : vertices)
        widest = std::max(widest, std::hypot(a.x() - b.x(), a.y() - b.y()));
    }
    // Jung's theorem: no set of this width needs more.
    const double bound = flat ? widest / 2 : widest / std::numbers::sqrt3;
    EXPECT_LE(std::sqrt(circle.squared_radius), bound * (1 + 1e-6) + 1e-6);
  }
}

}  // namespace
}  // namespace wirecost::cloud::test
