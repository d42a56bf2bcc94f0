# SPDX-License-Identifier: Apache-2.0
"""Node with all that a node usually has.

It publishes each cloud of ``points`` again with a frame of its own as ``scaled``, what it is as
``described``, for late joiners too, and, by a timer, the width of every fifth cloud as
``widths``; has parameters, a service that changes one of them, and asks another node at every
tenth cloud. Its output follows from its inputs and parameters.

    python scaler.py [--ros-args …]"""

from contextlib import suppress

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import PointCloud2
from std_msgs.msg import String
from std_srvs.srv import SetBool, Trigger

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class Scaler(Node):
    def __init__(self) -> None:
        super().__init__("scaler")
        self.declare_parameter("frame", "map")
        self.declare_parameter("factor", 2)
        self._widths: list[int] = []
        self._scaled = self.create_publisher(PointCloud2, "scaled", 10)
        self._said = self.create_publisher(String, "widths", 10)
        described = self.create_publisher(String, "described", LATCHED)
        described.publish(String(data="scales points"))
        self._lookup = self.create_client(Trigger, "lookup")
        self.create_service(SetBool, "mark", self._mark)
        self.create_subscription(PointCloud2, "points", self._scale, 10)
        self.create_timer(0.01, self._say)

    def _scale(self, cloud: PointCloud2) -> None:
        if cloud.width % 10 == 0 and self._lookup.service_is_ready():
            self._lookup.call_async(Trigger.Request())
        if cloud.width % 5 == 0:
            self._widths.append(cloud.width)
        cloud.header.frame_id = self.get_parameter("frame").value
        cloud.point_step *= self.get_parameter("factor").value
        self._scaled.publish(cloud)

    def _say(self) -> None:
        while self._widths:
            self._said.publish(String(data=f"width {self._widths.pop(0)}"))

    def _mark(self, request: SetBool.Request, reply: SetBool.Response) -> SetBool.Response:
        self.set_parameters([Parameter("frame", value="marked" if request.data else "plain")])
        reply.success = True
        return reply


with suppress(KeyboardInterrupt, ExternalShutdownException):
    rclpy.init()
    rclpy.spin(Scaler())
