// SPDX-License-Identifier: Apache-2.0
// sensor_msgs/msg/PointCloud2 in little-endian CDR, as ROS 2 sends it: read where it lies, written
// into memory that is used again. The four bytes of encapsulation are part of a message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plain_cloud.hpp"

namespace nodes {

/// A message as it lies in its bytes.
struct CloudMessage {
  PlainBytes header;  ///< stamp and frame_id, as CDR from the first byte on
  PlainCloud cloud;
};

/// Describes the message in `to`, whose memory it uses again. Throws std::invalid_argument for
/// bytes that are none.
void read(PlainBytes message, CloudMessage& to);

/// Replaces `to` by the message of points that stayed, `header` as `read` found it.
void write(PlainBytes header, PlainBytes points, std::vector<std::uint8_t>& to);

}  // namespace nodes
