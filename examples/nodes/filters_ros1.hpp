// SPDX-License-Identifier: Apache-2.0
// The filters of a cloud of ROS 1, by name.
#pragma once

#include <sensor_msgs/PointCloud2.h>

#include <functional>
#include <string>

namespace nodes {

/// From one message to the other, but its header. Throws std::invalid_argument for what cannot be
/// read.
using Filter = std::function<void(const sensor_msgs::PointCloud2&, sensor_msgs::PointCloud2&)>;

/// `version` is usual (where this was built with PCL), recommended or wirecost; throws
/// std::invalid_argument for others.
Filter make_ros1_filter(const std::string& version);

}  // namespace nodes
