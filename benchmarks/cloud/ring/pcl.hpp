// SPDX-License-Identifier: Apache-2.0
// The ring outlier filter with PCL as Autoware's page shows it: convert, filter,
// convert back. Point types without PCL's padding, as Autoware's are, so that converting is copying
// whole points. C++17, as ROS 1 is; needs PCL_NO_PRECOMPILE before anything of PCL.
#pragma once

#include <pcl/point_cloud.h>
#include <pcl/register_point_struct.h>
#include <pcl_conversions/pcl_conversions.h>

#include <vector>

#include "cloud/ring/rule.hpp"

namespace wirecost::cloud {

struct PointXYZIRCAEDT {
  float x, y, z;
  std::uint8_t intensity;
  std::uint8_t return_type;
  std::uint16_t channel;
  float azimuth, elevation, distance;
  std::uint32_t time_stamp;
};

struct PointXYZIRADRT {
  float x, y, z, intensity;
  std::uint16_t ring;
  float azimuth, distance;
  std::uint8_t return_type;
  double time_stamp;
};

}  // namespace wirecost::cloud

POINT_CLOUD_REGISTER_POINT_STRUCT(
    wirecost::cloud::PointXYZIRCAEDT,
    (float, x, x)(float, y, y)(float, z, z)(std::uint8_t, intensity,
                                            intensity)(std::uint8_t, return_type, return_type)(
        std::uint16_t, channel, channel)(float, azimuth, azimuth)(float, elevation, elevation)(
        float, distance, distance)(std::uint32_t, time_stamp, time_stamp))
POINT_CLOUD_REGISTER_POINT_STRUCT(
    wirecost::cloud::PointXYZIRADRT,
    (float, x, x)(float, y, y)(float, z, z)(float, intensity, intensity)(std::uint16_t, ring, ring)(
        float, azimuth, azimuth)(float, distance, distance)(std::uint8_t, return_type,
                                                            return_type)(double, time_stamp,
                                                                         time_stamp))
POINT_CLOUD_REGISTER_POINT_STRUCT(wirecost::cloud::PointXYZIRC,
                                  (float, x, x)(float, y, y)(float, z, z)(std::uint8_t, intensity,
                                                                          intensity)(
                                      std::uint8_t, return_type, return_type)(std::uint16_t,
                                                                              channel, channel))

namespace wirecost::cloud {

inline std::size_t channel_of(const PointXYZIRCAEDT& p) { return p.channel; }
inline std::size_t channel_of(const PointXYZIRADRT& p) { return p.ring; }

inline PointXYZIRC output_of(const PointXYZIRCAEDT& p) {
  return {p.x, p.y, p.z, p.intensity, p.return_type, p.channel};
}
inline PointXYZIRC output_of(const PointXYZIRADRT& p) {
  return {p.x, p.y, p.z, whole_intensity(p.intensity), p.return_type, p.ring};
}

/// The same walks as elsewhere, over PCL's points.
template <class Point>
class PclWalks {
 public:
  PclWalks(const pcl::PointCloud<Point>& input, const RingOptions& options)
      : input_(input), options_(options) {}

  void operator()(pcl::PointCloud<PointXYZIRC>& output) {
    std::vector<std::vector<std::size_t>> rings(options_.max_rings);
    for (auto& ring : rings) ring.reserve(options_.usual_ring_size);
    for (std::size_t i = 0; i < input_.size(); ++i) {
      const std::size_t channel = channel_of(input_[i]);
      if (channel < options_.max_rings) rings[channel].push_back(i);
    }
    output.reserve(input_.size());
    for (const auto& ring : rings) walk(ring, output);
  }

 private:
  bool joined(std::size_t one, std::size_t next) const {
    return joins(input_[one].azimuth, input_[one].distance, input_[next].azimuth,
                 input_[next].distance, options_);
  }
  bool object(std::size_t first, std::size_t last, std::size_t points) const {
    return stays(output_of(input_[first]), output_of(input_[last]), points, options_);
  }

  void walk(const std::vector<std::size_t>& ring, pcl::PointCloud<PointXYZIRC>& output) const {
    const std::size_t count = ring.size() - (options_.as_published && !ring.empty() ? 1 : 0);
    std::vector<std::size_t> ends;
    for (std::size_t i = 0; i < count; ++i)
      if (i + 1 == count || !joined(ring[i], ring[i + 1])) ends.push_back(i + 1);
    const bool round =
        ends.size() > 1 && !options_.as_published && joined(ring[count - 1], ring[0]);
    bool around = false;
    if (round) {
      const std::size_t last = ends[ends.size() - 2];
      around = object(ring[last], ring[ends[0] - 1], count - last + ends[0]);
    }
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
      const bool in_two = round && (begin == 0 || end == count);
      if (in_two ? around : object(ring[begin], ring[end - 1], end - begin))
        for (std::size_t i = begin; i < end; ++i) output.push_back(output_of(input_[ring[i]]));
      begin = end;
    }
  }

  const pcl::PointCloud<Point>& input_;
  RingOptions options_;
};

/// Reads beyond the message where its sizes or fields contradict its bytes: PCL believes them.
template <class Point>
void ring_pcl(const sensor_msgs::PointCloud2& message, const RingOptions& options,
              sensor_msgs::PointCloud2& sent) {
  const typename pcl::PointCloud<Point>::Ptr input(new pcl::PointCloud<Point>);
  pcl::fromROSMsg(message, *input);
  const typename pcl::PointCloud<PointXYZIRC>::Ptr output(new pcl::PointCloud<PointXYZIRC>);
  PclWalks<Point>(*input, options)(*output);
  pcl::toROSMsg(*output, sent);
}

}  // namespace wirecost::cloud
