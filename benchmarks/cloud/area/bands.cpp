// SPDX-License-Identifier: Apache-2.0
#include "cloud/area/bands.hpp"

#include <algorithm>
#include <cmath>

namespace wirecost::cloud {
namespace {

using Ring = Area::ring_type;

// Relative errors, with room to spare.
constexpr float float_error = 32 * 0x1p-24F;     // of a winding number's terms
constexpr double boost_tolerance = 8 * 0x1p-52;  // of Boost's comparisons of coordinates
constexpr double nearly_vertical = 1e-12;        // Boost sees such edges far beyond their ends
constexpr double least_extent = 1e-6;            // metres; polygons outside are left to Boost
constexpr double largest_extent = 1e6;
constexpr double most_entries_per_edge = 4;  // an edge has an entry in each band that it touches
constexpr double most_bands = 65536;

struct Extent {
  double low_x, high_x, low_y, high_y;

  double width() const { return high_x - low_x; }
  double height() const { return high_y - low_y; }
  double larger() const { return std::max(width(), height()); }
  /// The largest coordinate, to which Boost's tolerance is relative.
  double farthest() const {
    return std::max(
        {1.0, std::fabs(low_x), std::fabs(high_x), std::fabs(low_y), std::fabs(high_y)});
  }
};

Extent extent_of(const Ring& ring) {
  Extent all{ring[0].x(), ring[0].x(), ring[0].y(), ring[0].y()};
  for (const Vertex& vertex : ring) {
    all.low_x = std::min(all.low_x, vertex.x());
    all.high_x = std::max(all.high_x, vertex.x());
    all.low_y = std::min(all.low_y, vertex.y());
    all.high_y = std::max(all.high_y, vertex.y());
  }
  return all;
}

/// Whether single precision can answer as Boost does.
bool is_decidable(const Ring& ring, const Extent& extent) {
  if (extent.larger() > largest_extent || extent.farthest() > largest_extent) return false;
  if (std::min(extent.width(), extent.height()) < least_extent) return false;
  const double least_dx = nearly_vertical * extent.farthest();
  for (std::size_t i = 0; i + 1 < ring.size(); ++i) {
    const double dx = std::fabs(ring[i + 1].x() - ring[i].x());
    if (dx > 0 && dx <= least_dx) return false;
  }
  return true;
}

/// One band for four edges; fewer where long edges would have too many entries.
std::size_t band_count(const Ring& ring, double height) {
  double crossed = 0;  // the share of all bands that an edge touches, summed over the edges
  for (std::size_t i = 0; i + 1 < ring.size(); ++i)
    crossed += std::fabs(ring[i + 1].y() - ring[i].y()) / height;
  const auto edges = static_cast<double>(ring.size() - 1);
  return static_cast<std::size_t>(
      std::clamp(std::min(edges / 4, most_entries_per_edge * edges / crossed), 1.0, most_bands));
}

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

}  // namespace

void Bands::build(const Area& area) {
  const Ring& ring = area.outer();
  const Extent extent = extent_of(ring);
  decidable_ = is_decidable(ring, extent);
  if (!decidable_) return;
  middle_x_ = (extent.low_x + extent.high_x) / 2;
  middle_y_ = (extent.low_y + extent.high_y) / 2;
  const std::size_t bands = band_count(ring, extent.height());
  lowest_ = static_cast<float>(extent.low_y - middle_y_);
  bands_per_metre_ = static_cast<float>(static_cast<double>(bands) / extent.height());
  begins_.assign(bands + 1, 0);
  filled_.assign(bands, 0);

  // What rounding and Boost's tolerance can change of the winding number's terms, in m² per metre.
  const double margin_per_metre =
      extent.larger() * float_error + extent.farthest() * boost_tolerance;
  const double least_margin = std::max(1.0, extent.larger()) * boost_tolerance;
  // Bands overlap by this, so that a point whose y is rounded into the next band finds its edges.
  const float overlap = static_cast<float>(extent.larger()) * float_error;
  const auto for_each_band_of_each_edge = [&](auto&& use) {
    for (std::size_t i = 0; i + 1 < ring.size(); ++i) {
      const double dx = ring[i + 1].x() - ring[i].x();
      const double dy = ring[i + 1].y() - ring[i].y();
      if (dx == 0 && dy == 0) continue;
      const double length = std::fabs(dx) + std::fabs(dy);
      const Edge edge{.x = static_cast<float>(ring[i].x() - middle_x_),
                      .y = static_cast<float>(ring[i].y() - middle_y_),
                      .end_y = static_cast<float>(ring[i + 1].y() - middle_y_),
                      .dx = static_cast<float>(dx),
                      .dy = static_cast<float>(dy),
                      .margin = static_cast<float>(length * margin_per_metre + least_margin)};
      const std::size_t last = band(std::max(edge.y, edge.end_y) + overlap);
      for (std::size_t b = band(std::min(edge.y, edge.end_y) - overlap); b <= last; ++b)
        use(b, edge);
    }
  };
  // Once to count each band's edges, so that all lie in one array; once to put them there.
  for_each_band_of_each_edge([&](std::size_t b, const Edge&) { ++filled_[b]; });
  for (std::size_t b = 0; b < bands; ++b) {
    begins_[b + 1] = begins_[b] + (filled_[b] + 7) / 8;
    filled_[b] = 0;
  }
  edges_.assign(begins_[bands], {});
  for_each_band_of_each_edge([&](std::size_t b, const Edge& edge) {
    const std::uint32_t index = filled_[b]++;
    put(edges_[begins_[b] + index / 8], index % 8, edge);
  });
}

std::size_t Bands::band(float y) const {
  const float at = std::max(0.0F, (y - lowest_) * bands_per_metre_);
  return std::min(static_cast<std::size_t>(at), filled_.size() - 1);
}

Side Bands::side(XY point) const {
  if (!decidable_) return Side::unclear;
  const auto x = static_cast<float>(point.x - middle_x_);
  const auto y = static_cast<float>(point.y - middle_y_);
  const std::size_t at = band(y);
  return side_of_({edges_.data() + begins_[at], edges_.data() + begins_[at + 1]}, x, y);
}

}  // namespace wirecost::cloud
