# SPDX-License-Identifier: Apache-2.0
"""ROS 2 through rclpy."""

from wirecost.messaging.transport.ros2.adapter import Ros2

TRANSPORTS = (Ros2,)
