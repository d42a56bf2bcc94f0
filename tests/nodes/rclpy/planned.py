# SPDX-License-Identifier: Apache-2.0
"""Sensor, planner and actuator, until 20 plans were acted on.

The planner keeps its messages and publishes by a timer. Prints which message of the sensor each
plan was made of, counted from 0."""

from __future__ import annotations

import itertools
import json

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from std_msgs.msg import String

PLANS = 20


def main() -> None:
    rclpy.init()
    sensor, planner, actuator = Node("sensor"), Node("planner"), Node("actuator")
    points = sensor.create_publisher(String, "points", 10)
    plans = planner.create_publisher(String, "plan", 10)
    made_of: list[str] = []
    acted: list[int] = []
    numbers = itertools.count()

    def sense() -> None:
        points.publish(String(data=str(next(numbers))))

    def plan() -> None:
        if made_of:
            plans.publish(String(data=made_of[-1]))

    def act(message: String) -> None:
        acted.append(int(message.data))

    sensor.create_timer(0.02, sense)
    planner.create_subscription(String, "points", lambda one: made_of.append(one.data), 10)
    planner.create_timer(0.05, plan)
    actuator.create_subscription(String, "plan", act, 10)
    executor = SingleThreadedExecutor()
    for node in (sensor, planner, actuator):
        executor.add_node(node)
    while len(acted) < PLANS:
        executor.spin_once()
    print(json.dumps(acted))


if __name__ == "__main__":
    main()
