# SPDX-License-Identifier: Apache-2.0
"""A listener to a graph of ROS 1: ``python ros1_listener.py '{"limit": BYTES}'``.

It runs in the Python in which rospy is.
"""

from __future__ import annotations

import importlib
import json
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from wirecost.measure.cost.live.listening import HeardTopic, tell

NAME = "/wirecost_cost"
TOLD_EVERY_S = 1.0


class Graph:
    """Topics of a graph; subscriptions to those that somebody publishes."""

    def __init__(self, rospy: Any, master: Any, limit: float, listens: bool) -> None:
        self._rospy, self._master = rospy, master
        self._limit, self._listens = limit, listens
        self._lock = threading.Lock()
        self._open: dict[str, Any] = {}
        self.topics: dict[str, HeardTopic] = {}

    def look(self) -> None:
        """Find topics and ends, and subscribe to what is new."""
        published, taken, _ = self._master.getSystemState()
        types = dict(self._master.getTopicTypes())
        takers = dict(taken)
        for name, nodes in published:
            if name not in self.topics:
                self.topics[name] = HeardTopic(name, types.get(name, ""), "ros1")
            topic = self.topics[name]
            topic.publishers = [node for node in nodes if node != NAME]
            topic.subscribers = [node for node in takers.get(name, []) if node != NAME]
            if self._listens and name not in self._open and topic.publishers:
                topic.begin()
                self._open[name] = self._rospy.Subscriber(
                    name, self._rospy.AnyMsg, self._heard(topic), queue_size=100
                )
        for name, subscriber in list(self._open.items()):
            if subscriber is not None and self.topics[name].is_above(self._limit):
                self.topics[name].end()
                subscriber.unregister()
                self._open[name] = None

    def _heard(self, topic: HeardTopic) -> Callable[[Any], None]:
        def heard(message: Any) -> None:
            header = message._connection_header
            with self._lock:
                topic.about["type"] = header.get("type", topic.about["type"])
                topic.about["definition"] = header.get("message_definition", "")
                topic.about["digest"] = header.get("md5sum", "")
                topic.add(message._buff)

        return heard

    def tell(self) -> bool:
        """Tell all topics; return False where nobody reads it any more."""
        with self._lock:
            return tell(self.topics.values())


def main() -> None:
    asked = json.loads(sys.argv[1])
    try:
        rosgraph = importlib.import_module("rosgraph")
        rospy = importlib.import_module("rospy")
    except ImportError:
        sys.exit(3)
    master = rosgraph.Master(NAME)
    try:
        master.getPid()
    except Exception:  # of its own kinds, and of sockets
        sys.exit(4)
    rospy.init_node(NAME[1:], disable_signals=True, disable_rosout=True)
    graph = Graph(rospy, master, asked["limit"], asked["listens"])
    while True:
        graph.look()
        if not graph.tell():
            break
        time.sleep(TOLD_EVERY_S)
    rospy.signal_shutdown("nobody reads")


if __name__ == "__main__":
    main()
