# SPDX-License-Identifier: Apache-2.0
"""Rest of a robot for ``scaler.py`` in the namespace ``/robot``.

It sends clouds of one point more each time, answers the node's calls, and calls its service
between two clouds.

    python driver.py"""

from contextlib import suppress

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from sensor_msgs.msg import PointCloud2, PointField
from std_srvs.srv import SetBool, Trigger

FIELDS = [PointField(name=name, offset=4 * i, datatype=7, count=1) for i, name in enumerate("xyz")]
PERIOD_S = 0.02
"""Every second time a cloud is sent; what is called comes between them."""


class Driver(Node):
    def __init__(self) -> None:
        super().__init__("driver", namespace="/robot")
        self._times = 0
        self._points = self.create_publisher(PointCloud2, "/lidar", 10)
        self._mark = self.create_client(SetBool, "mark")
        self.create_service(Trigger, "lookup", self._look_up)
        self.create_timer(PERIOD_S, self._act)

    def _act(self) -> None:
        self._times += 1
        number, between = divmod(self._times, 2)
        if not between:
            self._send(number)
        elif number % 20 == 0 and self._mark.service_is_ready():
            self._mark.call_async(SetBool.Request(data=number % 40 == 0))

    def _send(self, number: int) -> None:
        cloud = PointCloud2(height=1, width=number, fields=FIELDS, point_step=12)
        cloud.header.stamp.sec = number
        cloud.header.frame_id = "l" * (1 + number % 7)  # so that what follows lies elsewhere
        cloud.data = bytes(12 * number)
        self._points.publish(cloud)

    def _look_up(self, _: Trigger.Request, reply: Trigger.Response) -> Trigger.Response:
        reply.success, reply.message = True, f"at {self._times}"
        return reply


with suppress(KeyboardInterrupt, ExternalShutdownException):
    rclpy.init()
    rclpy.spin(Driver())
