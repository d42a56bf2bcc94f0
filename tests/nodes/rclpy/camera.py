# SPDX-License-Identifier: Apache-2.0
"""A camera of large images that it takes itself, an early map, and a service.

Each image is also handed over within the process, as far as the tracepoint of rclcpp says.
"""

from __future__ import annotations

import array
import ctypes

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
node.create_subscription(Image, "image", lambda _image: None, 10)
handed_over = ctypes.CDLL("libtracetools.so").ros_trace_rclcpp_intra_publish


def publish() -> None:
    images.publish(image)
    handed_over(ctypes.c_void_p(images.handle.pointer), None)


node.create_timer(1 / RATE_HZ, publish)
rclpy.spin(node)
