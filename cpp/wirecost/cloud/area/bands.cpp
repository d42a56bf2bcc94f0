// SPDX-License-Identifier: Apache-2.0
#include "wirecost/cloud/area/bands.hpp"

#include <algorithm>
#include <cmath>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace wirecost::cloud {
namespace {

constexpr float unit = 0x1p-24F;       // rounding of single precision
constexpr float rounding = 32 * unit;  // a winding number's whole error, of the polygon's extent
constexpr double tolerance = 8 * 0x1p-52;  // Boost's, of coordinates, with room to spare
constexpr double nearly_vertical = 1e-12;  // Boost sees such edges' lines far beyond their ends
constexpr double least_extent = 1e-6;      // metres; what lies outside is left to Boost
constexpr double largest_extent = 1e6;
constexpr double edges_a_band = 4;  // that it costs to have twice as many bands

constexpr EightEdges no_edges = [] {
  EightEdges none{};
  none.y.fill(std::numeric_limits<float>::infinity());
  none.end_y = none.y;
  none.margin.fill(-1);
  return none;
}();

struct Box {
  double low_x, high_x, low_y, high_y;
};

Box box_of(const Area& area) {
  const auto& ring = area.outer();
  Box box{ring[0].x(), ring[0].x(), ring[0].y(), ring[0].y()};
  for (const Vertex& vertex : ring) {
    box.low_x = std::min(box.low_x, vertex.x());
    box.high_x = std::max(box.high_x, vertex.x());
    box.low_y = std::min(box.low_y, vertex.y());
    box.high_y = std::max(box.high_y, vertex.y());
  }
  return box;
}

/// One edge as lane 0.
struct Edge {
  float x, y, end_y, dx, dy, margin;
};

void put(EightEdges& edges, std::size_t lane, const Edge& edge) {
  edges.x[lane] = edge.x;
  edges.y[lane] = edge.y;
  edges.end_y[lane] = edge.end_y;
  edges.dx[lane] = edge.dx;
  edges.dy[lane] = edge.dy;
  edges.margin[lane] = edge.margin;
}

Side side_of(std::span<const EightEdges> edges, float px, float py) {
  int winding = 0;
  for (const EightEdges& eight : edges) {
    for (std::size_t i = 0; i < 8; ++i) {
      const float cross = eight.dx[i] * (py - eight.y[i]) - eight.dy[i] * (px - eight.x[i]);
      if (std::fabs(cross) <= eight.margin[i]) return Side::unclear;
      const bool below = eight.y[i] <= py;
      const bool end_below = eight.end_y[i] <= py;
      winding += static_cast<int>(below && !end_below && cross > 0);
      winding -= static_cast<int>(!below && end_below && cross < 0);
    }
  }
  return winding == 0 ? Side::outside : Side::inside;
}

#ifdef __x86_64__
__attribute__((target("avx2,popcnt"))) Side side_of_avx2(std::span<const EightEdges> edges,
                                                         float px, float py) {
  const __m256 x = _mm256_set1_ps(px);
  const __m256 y = _mm256_set1_ps(py);
  const __m256 zero = _mm256_setzero_ps();
  const __m256 sign = _mm256_set1_ps(-0.0F);
  int winding = 0;
  for (const EightEdges& eight : edges) {
    const __m256 begin_y = _mm256_load_ps(eight.y.data());
    const __m256 end_y = _mm256_load_ps(eight.end_y.data());
    const __m256 above = _mm256_sub_ps(y, begin_y);
    const __m256 beside = _mm256_sub_ps(x, _mm256_load_ps(eight.x.data()));
    const __m256 cross = _mm256_sub_ps(_mm256_mul_ps(_mm256_load_ps(eight.dx.data()), above),
                                       _mm256_mul_ps(_mm256_load_ps(eight.dy.data()), beside));
    const __m256 near = _mm256_cmp_ps(_mm256_andnot_ps(sign, cross),
                                      _mm256_load_ps(eight.margin.data()), _CMP_LE_OQ);
    if (_mm256_movemask_ps(near) != 0) return Side::unclear;
    const __m256 below = _mm256_cmp_ps(begin_y, y, _CMP_LE_OQ);
    const __m256 end_below = _mm256_cmp_ps(end_y, y, _CMP_LE_OQ);
    const __m256 left = _mm256_cmp_ps(cross, zero, _CMP_GT_OQ);
    const __m256 right = _mm256_cmp_ps(cross, zero, _CMP_LT_OQ);
    const __m256 up = _mm256_and_ps(_mm256_andnot_ps(end_below, below), left);
    const __m256 down = _mm256_and_ps(_mm256_andnot_ps(below, end_below), right);
    winding += _mm_popcnt_u32(static_cast<unsigned>(_mm256_movemask_ps(up))) -
               _mm_popcnt_u32(static_cast<unsigned>(_mm256_movemask_ps(down)));
  }
  return winding == 0 ? Side::outside : Side::inside;
}
#endif

}  // namespace

void Bands::build(const Area& area) {
#ifdef __x86_64__
  avx2_ = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt");
#endif
  const auto& ring = area.outer();
  const Box box = box_of(area);
  middle_x_ = (box.low_x + box.high_x) / 2;
  middle_y_ = (box.low_y + box.high_y) / 2;
  const double height = box.high_y - box.low_y;
  const double extent = std::max(box.high_x - box.low_x, height);
  const double place = std::max({1.0, std::fabs(box.low_x), std::fabs(box.high_x),
                                 std::fabs(box.low_y), std::fabs(box.high_y)});
  fine_ = extent <= largest_extent && std::min(box.high_x - box.low_x, height) >= least_extent &&
          place <= largest_extent;
  if (!fine_) return;

  // Long edges lie in many bands: as many bands as keep all entries within a few an edge.
  double spans = 0;
  for (std::size_t i = 0; i + 1 < ring.size(); ++i) {
    const double dx = std::fabs(ring[i + 1].x() - ring[i].x());
    if (dx > 0 && dx <= nearly_vertical * place) fine_ = false;
    spans += std::fabs(ring[i + 1].y() - ring[i].y()) / height;
  }
  if (!fine_) return;
  const double edges = static_cast<double>(ring.size() - 1);
  const std::size_t bands = static_cast<std::size_t>(
      std::clamp(std::min(edges / 4, edges_a_band * edges / spans), 1.0, 65536.0));
  lowest_ = static_cast<float>(box.low_y - middle_y_);
  bands_a_metre_ = static_cast<float>(static_cast<double>(bands) / height);
  const auto reach = static_cast<float>(extent) * rounding;
  begins_.assign(bands + 1, 0);
  filled_.assign(bands, 0);

  const auto for_each_edge = [&](auto&& use) {
    for (std::size_t i = 0; i + 1 < ring.size(); ++i) {
      const double dx = ring[i + 1].x() - ring[i].x();
      const double dy = ring[i + 1].y() - ring[i].y();
      if (dx == 0 && dy == 0) continue;
      const double length = std::fabs(dx) + std::fabs(dy);
      const double margin =
          length * (extent * rounding + place * tolerance) + std::max(1.0, extent) * tolerance;
      const Edge edge{static_cast<float>(ring[i].x() - middle_x_),
                      static_cast<float>(ring[i].y() - middle_y_),
                      static_cast<float>(ring[i + 1].y() - middle_y_),
                      static_cast<float>(dx),
                      static_cast<float>(dy),
                      static_cast<float>(margin)};
      const std::size_t last = band(std::max(edge.y, edge.end_y) + reach);
      for (std::size_t b = band(std::min(edge.y, edge.end_y) - reach); b <= last; ++b) use(b, edge);
    }
  };
  for_each_edge([&](std::size_t b, const Edge&) { ++filled_[b]; });
  for (std::size_t b = 0; b < bands; ++b) {
    begins_[b + 1] = begins_[b] + (filled_[b] + 7) / 8;
    filled_[b] = 0;
  }
  edges_.assign(begins_[bands], no_edges);
  for_each_edge([&](std::size_t b, const Edge& edge) {
    const std::uint32_t lane = filled_[b]++;
    put(edges_[begins_[b] + lane / 8], lane % 8, edge);
  });
}

std::size_t Bands::band(float y) const {
  const float at = std::max(0.0F, (y - lowest_) * bands_a_metre_);
  return std::min(static_cast<std::size_t>(at), filled_.size() - 1);
}

std::span<const EightEdges> Bands::edges_at(float y) const {
  const std::size_t at = band(y);
  return {edges_.data() + begins_[at], edges_.data() + begins_[at + 1]};
}

Side Bands::side(XY point) const {
#ifdef __x86_64__
  if (avx2_ && fine_) {
    const auto x = static_cast<float>(point.x - middle_x_);
    const auto y = static_cast<float>(point.y - middle_y_);
    return side_of_avx2(edges_at(y), x, y);
  }
#endif
  return side_portable(point);
}

Side Bands::side_portable(XY point) const {
  if (!fine_) return Side::unclear;
  const auto x = static_cast<float>(point.x - middle_x_);
  const auto y = static_cast<float>(point.y - middle_y_);
  return side_of(edges_at(y), x, y);
}

}  // namespace wirecost::cloud
