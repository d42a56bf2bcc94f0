# SPDX-License-Identifier: Apache-2.0
"""A talker and a listener between which messages die on purpose.

``python losing.py talk|listen MODE[=SECONDS]``: on a topic of the mode's name. The talker prints
``ready`` when the listener is there, and waits for a line with a number. When so many more
subscriptions are there, it publishes, and prints ``done``; the listener prints the number of each
message.
"""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

rclpy: Any = importlib.import_module("rclpy")
qos: Any = importlib.import_module("rclpy.qos")
Node: Any = importlib.import_module("rclpy.node").Node
String: Any = importlib.import_module("std_msgs.msg").String
RELIABLE, BEST_EFFORT = qos.ReliabilityPolicy.RELIABLE, qos.ReliabilityPolicy.BEST_EFFORT
LARGE = 2_000_000
LOOK_S = 0.05
STOPPED_AT = 20
"""Message at which a listener that is stopped stands still."""


@dataclass(frozen=True)
class Mode:
    """``burst``: messages without a pause between them; ``large``: every other one is.

    ``kept``: depth of the listener where it is another; ``stopped_s``: for how long that stands
    still; ``other_s``: how long another callback of its node takes, ten times in all.
    """

    count: int = 100
    hz: float = 50
    depth: int = 10
    kept: int = 0
    burst: int = 1
    callback_s: float = 0.0
    large: bool = False
    stopped_s: float = 0.0
    other_s: float = 0.0
    offered: Any = RELIABLE
    asked: Any = RELIABLE


MODES = {
    "healthy": Mode(),
    "quick": Mode(count=1000, hz=1000, depth=1000),
    "large": Mode(count=20, hz=10, large=True),
    "fast": Mode(count=5000, hz=100, burst=50, depth=1000),
    "slow": Mode(count=60, depth=1, callback_s=0.2),
    "burst": Mode(count=80, hz=2, depth=5, burst=20, callback_s=0.005),
    "busy": Mode(depth=2, other_s=0.3),
    "stopped": Mode(stopped_s=1.0),
    "socket": Mode(count=60, hz=30, large=True, offered=BEST_EFFORT, asked=BEST_EFFORT),
    "writer": Mode(count=60, hz=30, depth=1, kept=100, large=True),
    "way": Mode(count=300, offered=BEST_EFFORT, asked=BEST_EFFORT),
    "mismatch": Mode(offered=BEST_EFFORT),
}


def talk(name: str, mode: Mode) -> None:
    node = Node(f"{name}_talker")
    profile = qos.QoSProfile(depth=mode.depth, reliability=mode.offered)
    publisher = node.create_publisher(String, name, profile)
    other = node.create_publisher(String, f"{name}_other", 10) if mode.other_s else None
    count = publisher.get_subscription_count
    if mode.offered != mode.asked:  # they never meet
        count = partial(node.count_subscribers, name)
    while not count():
        time.sleep(LOOK_S)
    before = publisher.get_subscription_count()
    print("ready", flush=True)
    more = int(sys.stdin.readline())
    while publisher.get_subscription_count() < before + more:
        time.sleep(LOOK_S)
    due = time.monotonic()
    for number in range(mode.count):
        padding = "x" * LARGE if mode.large and number % 2 else ""
        publisher.publish(String(data=f"{number} {padding}"))
        if other is not None and number % 10 == 5:
            other.publish(String())
        if (number + 1) % mode.burst == 0:
            due = max(due + 1 / mode.hz, time.monotonic())  # no catching up on a busy machine
            time.sleep(max(0.0, due - time.monotonic()))
    print("done", flush=True)
    sys.stdin.readline()


def listen(name: str, mode: Mode) -> None:
    def take(message: Any) -> None:
        number = message.data.partition(" ")[0]
        print(number, flush=True)
        time.sleep(mode.callback_s)
        if mode.stopped_s and number == str(STOPPED_AT):
            stop(mode.stopped_s)

    node = Node(f"{name}_listener")
    profile = qos.QoSProfile(depth=mode.kept or mode.depth, reliability=mode.asked)
    node.create_subscription(String, name, take, profile)
    if mode.other_s:
        node.create_subscription(String, f"{name}_other", lambda _: time.sleep(mode.other_s), 10)
    rclpy.spin(node)


def stop(seconds: float) -> None:
    """Let this process stand still for some time."""
    subprocess.Popen(["sh", "-c", f"sleep {seconds}; kill -CONT {os.getpid()}"])
    os.kill(os.getpid(), signal.SIGSTOP)


rclpy.init()
name, _, seconds = sys.argv[2].partition("=")
mode = MODES[name]
if seconds:
    mode = replace(mode, count=round(float(seconds) * mode.hz * mode.burst))
{"talk": talk, "listen": listen}[sys.argv[1]](name, mode)
