# SPDX-License-Identifier: Apache-2.0
"""A camera and a detector in one process, which know the processor time that they take.

Prints, as nanoseconds: what the detector's callbacks took, what the camera's took without
publishing, what publishing took, and all threads of the process before its first node and until
its last callback."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from std_msgs.msg import String

IMAGES = 40
IMAGE = "x" * 1_000_000
DETECT_S, GRAB_S, SLEEP_S = 0.012, 0.004, 0.01


def work(seconds: float) -> None:
    """Use a processor for so long."""
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


def main() -> None:
    rclpy.init()
    before_ns = time.process_time_ns()
    camera, detector = Node("camera"), Node("detector")
    images = camera.create_publisher(String, "image", 10)
    took = {"detect": 0, "grab": 0, "publish": 0}
    detected = 0

    @contextmanager
    def counted(what: str) -> Iterator[None]:
        since = time.thread_time_ns()
        yield
        took[what] += time.thread_time_ns() - since

    def grab() -> None:
        with counted("grab"):
            work(GRAB_S)
        time.sleep(SLEEP_S)
        image = String(data=IMAGE)
        with counted("publish"):
            images.publish(image)

    def detect(_message: String) -> None:
        nonlocal detected
        with counted("detect"):
            work(DETECT_S)
        detected += 1

    camera.create_timer(0.05, grab)
    detector.create_subscription(String, "image", detect, 10)
    executor = SingleThreadedExecutor()
    for node in (camera, detector):
        executor.add_node(node)
    while detected < IMAGES:
        executor.spin_once()
    process = {"before": before_ns, "until": time.process_time_ns()}
    print(json.dumps(took | process), flush=True)


if __name__ == "__main__":
    main()
