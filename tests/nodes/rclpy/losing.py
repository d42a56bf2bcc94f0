# SPDX-License-Identifier: Apache-2.0
"""A talker and a listener between which messages die on purpose.

``python losing.py talk|listen MODE``: on a topic of the mode's name. The talker prints ``ready``
when the listener is there, waits for a line, publishes, and prints ``done``; the listener prints
the number of each message.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from functools import partial

import rclpy
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from std_msgs.msg import String

LARGE = 2_000_000


@dataclass(frozen=True)
class Mode:
    """``burst``: messages without a pause between them; ``large``: every other one is."""

    count: int = 100
    hz: float = 50
    depth: int = 10
    burst: int = 1
    callback_s: float = 0.0
    large: bool = False
    offered: ReliabilityPolicy = ReliabilityPolicy.RELIABLE
    asked: ReliabilityPolicy = ReliabilityPolicy.RELIABLE


BEST_EFFORT = ReliabilityPolicy.BEST_EFFORT
MODES = {
    "healthy": Mode(),
    "slow": Mode(count=60, depth=1, callback_s=0.2),
    "burst": Mode(count=80, hz=2, depth=5, burst=20, callback_s=0.005),
    "socket": Mode(count=60, hz=30, large=True, offered=BEST_EFFORT, asked=BEST_EFFORT),
    "writer": Mode(count=60, hz=30, depth=1, large=True),
    "mismatch": Mode(offered=BEST_EFFORT),
}


def talk(name: str, mode: Mode) -> None:
    node = Node(f"{name}_talker")
    profile = QoSProfile(depth=mode.depth, reliability=mode.offered)
    publisher = node.create_publisher(String, name, profile)
    count = publisher.get_subscription_count
    if mode.offered != mode.asked:  # they never meet
        count = partial(node.count_subscribers, name)
    while not count():
        time.sleep(0.05)
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(mode.count):
        padding = "x" * LARGE if mode.large and number % 2 else ""
        publisher.publish(String(data=f"{number} {padding}"))
        if (number + 1) % mode.burst == 0:
            time.sleep(1 / mode.hz)
    print("done", flush=True)
    sys.stdin.readline()


def listen(name: str, mode: Mode) -> None:
    def take(message: String) -> None:
        print(message.data.partition(" ")[0], flush=True)
        time.sleep(mode.callback_s)

    node = Node(f"{name}_listener")
    profile = QoSProfile(depth=mode.depth, reliability=mode.asked)
    node.create_subscription(String, name, take, profile)
    rclpy.spin(node)


rclpy.init()
{"talk": talk, "listen": listen}[sys.argv[1]](sys.argv[2], MODES[sys.argv[2]])
