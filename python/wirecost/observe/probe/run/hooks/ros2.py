# SPDX-License-Identifier: Apache-2.0
"""ROS 2: callbacks of rclcpp, and what rcl takes and publishes, by tracepoints in libtracetools."""

from __future__ import annotations

from wirecost.observe.probe.run.hook import Hooked, Request, library
from wirecost.observe.probe.run.target import Target
from wirecost.system.errors import UserError

LIBRARY = "libwirecost-hook-ros2.so"


class Ros2:
    name = "ros2"
    about = "callbacks of rclcpp, and what rcl takes and publishes"

    def prepare(self, target: Target, request: Request) -> Hooked:
        del target, request  # a program may start a node: ros2 run does
        try:
            return Hooked((library(LIBRARY),))
        except UserError as error:
            return Hooked(notes=(f"callbacks of rclcpp are not recorded: {error}",))


HOOK = Ros2()
