# SPDX-License-Identifier: Apache-2.0
"""Five talkers at different rates and five listeners, which take two of them each.

Every second a line says when it is, and how many messages each talker has sent until then.
"""

from __future__ import annotations

import time
from functools import partial

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.publisher import Publisher
from sensor_msgs.msg import Imu

PAIRS, STEP_HZ = 5, 10


def main() -> None:
    rclpy.init()
    executor = SingleThreadedExecutor()
    sent = [0] * PAIRS

    def send(number: int, publisher: Publisher) -> None:
        publisher.publish(Imu())
        sent[number] += 1

    for number in range(PAIRS):
        talker, listener = Node(f"talker{number}"), Node(f"listener{number}")
        publisher = talker.create_publisher(Imu, f"imu{number}", 10)
        talker.create_timer(1 / (STEP_HZ * (number + 1)), partial(send, number, publisher))
        for topic in (number, (number + 1) % PAIRS):
            listener.create_subscription(Imu, f"imu{topic}", lambda _message: None, 10)
        executor.add_node(talker)
        executor.add_node(listener)
    talker.create_timer(1.0, lambda: print(time.monotonic(), *sent, flush=True))
    executor.spin()


if __name__ == "__main__":
    main()
