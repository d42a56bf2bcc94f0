# SPDX-License-Identifier: Apache-2.0
"""Publishes what comes on ``there`` on ``back``: frames of wirecost, which it cannot read."""

from contextlib import suppress

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from std_msgs.msg import UInt8MultiArray

with suppress(KeyboardInterrupt, ExternalShutdownException):
    rclpy.init()
    relay = Node("relay")
    back = relay.create_publisher(UInt8MultiArray, "back", 10)
    relay.create_subscription(UInt8MultiArray, "there", back.publish, 10)
    rclpy.spin(relay)
