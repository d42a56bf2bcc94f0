// SPDX-License-Identifier: Apache-2.0
#ifdef NODES_HAVE_PCL
#define PCL_NO_PRECOMPILE
#include "cloud/ring/pcl.hpp"
#endif

#include <stdexcept>
#include <utility>

#include "filters_ros1.hpp"
#include "plain_cloud.hpp"

namespace nodes {
namespace {

using sensor_msgs::PointCloud2;

void describe(const PointCloud2& message, PlainCloud& cloud) {
  cloud.height = message.height;
  cloud.width = message.width;
  cloud.fields.clear();
  for (const auto& field : message.fields)
    cloud.fields.push_back({field.name, field.offset, field.datatype, field.count});
  cloud.big_endian = message.is_bigendian != 0;
  cloud.point_step = message.point_step;
  cloud.row_step = message.row_step;
  cloud.data = {message.data.data(), message.data.size()};
}

/// Around points that stayed, everything but the header.
void write(PlainBytes points, PointCloud2& message) {
  message.height = 1;
  message.width = static_cast<std::uint32_t>(points.size / filtered_step);
  message.fields.resize(filtered_fields().size());
  for (std::size_t i = 0; i < message.fields.size(); ++i) {
    const PlainField& field = filtered_fields()[i];
    message.fields[i].name = field.name;
    message.fields[i].offset = field.offset;
    message.fields[i].datatype = field.datatype;
    message.fields[i].count = field.count;
  }
  message.is_bigendian = 0;
  message.point_step = filtered_step;
  message.row_step = static_cast<std::uint32_t>(points.size);
  message.data.assign(points.first, points.first + points.size);
  message.is_dense = 1;
}

/// Keeps the output's memory from one message to the next where `again`.
Filter on_bytes(const std::string& version, bool again) {
  const std::shared_ptr<BytesFilter> filter = make_filter(version);
  return
      [filter, again, cloud = PlainCloud()](const PointCloud2& input, PointCloud2& output) mutable {
        describe(input, cloud);
        if (!again) output = PointCloud2();
        write((*filter)(cloud), output);
      };
}

#ifdef NODES_HAVE_PCL
void usual(const PointCloud2& input, PointCloud2& output) {
  PlainCloud cloud;
  describe(input, cloud);
  const Format format = check(cloud);
  output = PointCloud2();
  if (format == Format::xyziradrt) {
    wirecost::cloud::ring_pcl<wirecost::cloud::PointXYZIRADRT>(input, {}, output);
  } else {
    wirecost::cloud::ring_pcl<wirecost::cloud::PointXYZIRCAEDT>(input, {}, output);
  }
}
#endif

}  // namespace

Filter make_ros1_filter(const std::string& version) {
  if (version == "usual") {
#ifdef NODES_HAVE_PCL
    return usual;
#else
    throw std::invalid_argument(
        "usual needs PCL, which this was built without; run "
        "benchmarks/cloud/cpp/pcl-headers build/pcl and build again");
#endif
  }
  if (version != "recommended" && version != "wirecost")
    throw std::invalid_argument(version + " is not known; give usual, recommended or wirecost");
  return on_bytes(version, version == "wirecost");
}

}  // namespace nodes
