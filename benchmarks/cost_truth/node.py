# SPDX-License-Identifier: Apache-2.0
"""A node of a graph through rclpy: ``python node.py '{"name": …, "out": […], "in": […]}'``.

It publishes every topic of ``out`` (``topic``, ``type``, ``content``, ``packed``, ``hz``) by a
timer, takes those of ``in`` (``topic``, ``type``), and runs alone in the Python that has rclpy.
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
from pathlib import Path
from typing import Any

rclpy: Any = importlib.import_module("rclpy")
deserialize: Any = importlib.import_module("rclpy.serialization").deserialize_message
OFF, ON, HALF, PACKED = "off", "on", "half", "packed"


class Published:
    """A topic that a timer publishes. Half as often: every other time."""

    def __init__(self, node: Any, about: dict[str, Any]) -> None:
        kind = message_class(about["type"])
        self.mode, self._number = OFF, 0
        self._messages = {
            mode: [deserialize(data, kind) for data in content(about[key])]
            for mode, key in ((ON, "content"), (PACKED, "packed"))
        }
        self._publisher = node.create_publisher(kind, about["topic"], 10)
        self._timer = node.create_timer(1 / about["hz"], self._publish)

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


def listen(topics: dict[str, Published]) -> None:
    """Change modes until nobody sends any more."""
    for line in sys.stdin:
        asked = json.loads(line)
        for topic, published in topics.items():
            if asked["topic"] in ("*", topic):
                published.mode = asked["mode"]
    threading.Timer(2.0, os._exit, (0,)).start()
    rclpy.try_shutdown()


def main() -> None:
    asked = json.loads(sys.argv[1])
    rclpy.init()
    node = rclpy.create_node(asked["name"])
    topics = {about["topic"]: Published(node, about) for about in asked["out"]}
    for about in asked["in"]:
        node.create_subscription(message_class(about["type"]), about["topic"], lambda _: None, 10)
    threading.Thread(target=listen, args=(topics,), daemon=True).start()
    try:
        rclpy.spin(node)
    finally:
        node.destroy_node()
        os._exit(0)


if __name__ == "__main__":
    main()
