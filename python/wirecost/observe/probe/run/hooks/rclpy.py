# SPDX-License-Identifier: Apache-2.0
"""rclpy: the callbacks of subscriptions, timers, services, clients and actions."""

from __future__ import annotations

from wirecost.observe.probe.run.hook import PYTHON_FOLDER, UNLESS_PROBED, Hooked, Request, library
from wirecost.observe.probe.run.hooks.ros2 import LIBRARY
from wirecost.observe.probe.run.target import Target
from wirecost.system.errors import UserError


class Rclpy:
    name = "rclpy"
    about = "callbacks of rclpy"

    def prepare(self, target: Target, request: Request) -> Hooked:
        del target  # a program may start a node: ros2 run does
        try:
            environment = {"WIRECOST_ROS2_LIBRARY": str(library(LIBRARY))}
        except UserError as error:
            return Hooked(notes=(f"callbacks of rclpy are not recorded: {error}",))
        if request.probed:
            environment[UNLESS_PROBED] = "1"
        return Hooked(python=(PYTHON_FOLDER / "rclpy_callbacks.py",), environment=environment)


HOOK = Rclpy()
