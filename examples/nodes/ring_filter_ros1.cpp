// SPDX-License-Identifier: Apache-2.0
// The ring outlier filter as a node of ROS 1: ~points in, ~filtered out. The parameter ~version
// selects the filter: usual (PCL), recommended or wirecost.
//   ring_filter_ros1 _version:=usual ~points:=/points
#include <ros/ros.h>
#include <sensor_msgs/PointCloud2.h>

#include <cstdio>
#include <stdexcept>
#include <string>

#include "filters_ros1.hpp"
#include "plain_cloud.hpp"
#include "wirecost/probe.hpp"

namespace {

const std::uint32_t callback_section = wirecost_probe_section("callback");
const std::uint32_t filter_section = wirecost_probe_section("filter");
const std::uint32_t publish_section = wirecost_probe_section("publish");

class RingFilterNode {
 public:
  RingFilterNode(ros::NodeHandle own, const std::string& version)
      : filter_(nodes::make_ros1_filter(version)),
        output_(own.advertise<sensor_msgs::PointCloud2>("filtered", 10)),
        input_(own.subscribe("points", 10, &RingFilterNode::on_cloud, this)) {}

 private:
  void on_cloud(const sensor_msgs::PointCloud2::ConstPtr& cloud) {
    wirecost::probe::Section section(callback_section);
    section.value(static_cast<std::int64_t>(cloud->width) * cloud->height);
    try {
      {
        const wirecost::probe::Section part(filter_section);
        filter_(*cloud, filtered_);
      }
      filtered_.header = cloud->header;
      const wirecost::probe::Section part(publish_section);
      output_.publish(filtered_);
    } catch (const std::invalid_argument& refused) {
      ROS_WARN_THROTTLE(1, "%s", refused.what());
    }
  }

  nodes::Filter filter_;
  sensor_msgs::PointCloud2 filtered_;
  ros::Publisher output_;
  ros::Subscriber input_;
};

}  // namespace

int main(int argc, char** argv) {
  ros::init(argc, argv, "ring_filter");
  ros::NodeHandle own("~");
  wirecost_probe_prepare_thread();
  try {
    const RingFilterNode node(own, own.param<std::string>("version", "wirecost"));
    ros::spin();
  } catch (const std::invalid_argument& refused) {
    std::fprintf(stderr, "ring_filter_ros1: ~version: %s\n", refused.what());
    return 2;
  }
  return 0;
}
