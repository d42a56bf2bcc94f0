# SPDX-License-Identifier: Apache-2.0
"""A camera of large images, a map that was published before anybody listened, and a service."""

from __future__ import annotations

import array

import rclpy
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import Image
from std_msgs.msg import String
from std_srvs.srv import Trigger

RATE_HZ, IMAGE_BYTES, KEPT = 5, 1_000_000, 6

rclpy.init()
node = rclpy.create_node("camera")
images = node.create_publisher(Image, "image", 10)
kept = QoSProfile(depth=KEPT, durability=DurabilityPolicy.TRANSIENT_LOCAL)
maps = node.create_publisher(String, "map", kept)
node.create_service(Trigger, "ask", lambda _request, response: response)
for number in range(KEPT):
    maps.publish(String(data=str(number)))
image = Image(data=array.array("B", bytes(IMAGE_BYTES)))
node.create_timer(1 / RATE_HZ, lambda: images.publish(image))
rclpy.spin(node)
