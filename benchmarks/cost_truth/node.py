# SPDX-License-Identifier: Apache-2.0
"""A node of a graph: ``python node.py rclpy|rospy '{"name": …, "out": […], "in": […]}'``.

It publishes every topic of ``out`` (``topic``, ``type``, ``content``, ``packed``, ``hz``) by a
timer, takes those of ``in`` (``topic``, ``type``), turns the first message of each into floats as a
detector would, and runs alone in the Python that has the client library.
Lines of standard input change what it publishes: ``{"topic": …, "mode": "off|on|half|packed"}``,
topic ``*`` for all.
"""

from __future__ import annotations

import importlib
import json
import os
import struct
import sys
import threading
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

DEPTH = 10
OFF, ON, HALF, PACKED = "off", "on", "half", "packed"


class Worker:
    """Works on the first message alone: what callbacks take is not what is compared."""

    def __init__(self) -> None:
        self._is_new = True

    def take(self, message: Any) -> None:
        if self._is_new and isinstance(data := getattr(message, "data", None), bytes | array):
            self._is_new = False
            np.frombuffer(data, np.uint8).astype(np.float32)


class Rclpy:
    def __init__(self, name: str) -> None:
        self._rclpy: Any = importlib.import_module("rclpy")
        self.read: Any = importlib.import_module("rclpy.serialization").deserialize_message
        self._rclpy.init()
        self._node: Any = self._rclpy.create_node(name)

    def publisher(self, kind: Any, topic: str) -> Any:
        return self._node.create_publisher(kind, topic, DEPTH)

    def every(self, seconds: float, function: Callable[[], None]) -> None:
        self._node.create_timer(seconds, function)

    def take(self, kind: Any, topic: str) -> None:
        self._node.create_subscription(kind, topic, Worker().take, DEPTH)

    def spin(self) -> None:
        self._rclpy.spin(self._node)

    def stop(self) -> None:
        self._rclpy.try_shutdown()


class Rospy:
    def __init__(self, name: str) -> None:
        self._rospy: Any = importlib.import_module("rospy")
        self._rospy.init_node(name, argv=[], disable_signals=True)
        self.spin, self.stop = self._rospy.spin, lambda: self._rospy.signal_shutdown("done")

    def read(self, data: bytes, kind: Any) -> Any:
        return kind().deserialize(data)

    def publisher(self, kind: Any, topic: str) -> Any:
        return self._rospy.Publisher(topic, kind, queue_size=DEPTH)

    def every(self, seconds: float, function: Callable[[], None]) -> None:
        self._rospy.Timer(self._rospy.Duration(seconds), lambda _: function())

    def take(self, kind: Any, topic: str) -> None:
        self._rospy.Subscriber(topic, kind, Worker().take)


class Published:
    """A topic that a timer publishes. Half as often: every other time."""

    def __init__(self, client: Any, about: dict[str, Any]) -> None:
        kind = message_class(about["type"])
        self.mode, self._number = OFF, 0
        self._messages = {
            mode: [client.read(data, kind) for data in content(about[key])]
            for mode, key in ((ON, "content"), (PACKED, "packed"))
        }
        self._publisher = client.publisher(kind, about["topic"])
        client.every(1 / about["hz"], self._publish)

    def _publish(self) -> None:
        self._number += 1
        if self.mode == OFF or (self.mode == HALF and self._number % 2):
            return
        messages = self._messages[PACKED if self.mode == PACKED else ON]
        self._publisher.publish(messages[self._number % len(messages)])


def message_class(type_: str) -> Any:
    package, _, name = type_.partition("/msg/")
    return getattr(importlib.import_module(package + ".msg"), name)


def content(path: str) -> list[bytes]:
    data, messages, at = Path(path).read_bytes(), [], 0
    while at < len(data):
        (size,) = struct.unpack_from("<Q", data, at)
        messages.append(data[at + 8 : at + 8 + size])
        at += 8 + size
    return messages


def listen(client: Any, topics: dict[str, Published]) -> None:
    """Change modes until nobody sends any more."""
    for line in sys.stdin:
        asked = json.loads(line)
        for topic, published in topics.items():
            if asked["topic"] in ("*", topic):
                published.mode = asked["mode"]
    threading.Timer(2.0, os._exit, (0,)).start()
    client.stop()


def main() -> None:
    asked = json.loads(sys.argv[2])
    client: Any = (Rospy if sys.argv[1] == "rospy" else Rclpy)(asked["name"])
    topics = {about["topic"]: Published(client, about) for about in asked["out"]}
    for about in asked["in"]:
        client.take(message_class(about["type"]), about["topic"])
    threading.Thread(target=listen, args=(client, topics), daemon=True).start()
    try:
        client.spin()
    finally:
        os._exit(0)


if __name__ == "__main__":
    main()
