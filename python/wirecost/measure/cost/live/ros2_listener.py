# SPDX-License-Identifier: Apache-2.0
"""A listener to a graph of ROS 2: ``python ros2_listener.py '{"limit": BYTES}'``.

It runs in the Python in which rclpy is. Each subscription is as modest as QoS
allows, so that no publisher waits for it.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from typing import Any

from wirecost.measure.cost.live.listening import HeardTopic, process_of, tell

NAME = "wirecost_cost"
TOLD_EVERY_S = 1.0


Key = tuple[str, str]
"""Topic and type."""


class Graph:
    """Topics of a graph; subscriptions to those that somebody publishes."""

    def __init__(self, node: Any, qos: Any, limit: float, listens: bool) -> None:
        self._node, self._qos = node, qos
        self._limit, self._listens = limit, listens
        self._open: dict[Key, Any] = {}
        self.topics: dict[Key, HeardTopic] = {}

    def look(self) -> None:
        """Find topics and ends, and subscribe to what is new."""
        for name, types in self._node.get_topic_names_and_types():
            for type_ in types:
                key = (name, type_)
                if key not in self.topics:
                    self.topics[key] = HeardTopic(name, type_, "cdr")
                profiles = self._ends(self.topics[key], name, type_)
                if self._listens and key not in self._open and self.topics[key].publishers:
                    self._open[key] = self._subscription(key, profiles)
        for key in list(self._open):
            topic = self.topics[key]
            if self._open[key] is not None and topic.is_above(self._limit):
                topic.end()
                self._node.destroy_subscription(self._open[key])
                self._open[key] = None

    def _ends(self, topic: HeardTopic, name: str, type_: str) -> list[Any]:
        """Set who publishes and takes a topic; return what the publishers offer."""
        ends = (
            self._node.get_publishers_info_by_topic(name),
            self._node.get_subscriptions_info_by_topic(name),
        )
        published, taken = (
            [one for one in some if one.topic_type == type_ and one.node_name != NAME]
            for some in ends
        )
        topic.publishers = [_node_name(one) for one in published]
        topic.subscribers = [_node_name(one) for one in taken]
        for one in (*published, *taken):
            topic.place(_node_name(one), process_of(bytes(one.endpoint_gid)))
        profiles = [one.qos_profile for one in published]
        topic.qos = ", ".join(sorted({_words(profile) for profile in profiles}))
        return profiles

    def _subscription(self, key: Key, profiles: list[Any]) -> Any:
        """Return a subscription that asks for as little as it can, None where there is none."""
        name, type_ = key
        topic = self.topics[key]
        package, kind, message = type_.split("/")
        try:
            found = getattr(importlib.import_module(package + "." + kind), message)
        except (ImportError, AttributeError):
            topic.unknown = package + " is not in this ROS 2; source it"
            return None
        qos = self._qos
        kept = qos.DurabilityPolicy.TRANSIENT_LOCAL
        # What was published before comes to reliable subscriptions only.
        is_kept = all(
            one.durability == kept and one.reliability == qos.ReliabilityPolicy.RELIABLE
            for one in profiles
        )
        profile = qos.QoSProfile(
            depth=100,
            reliability=getattr(qos.ReliabilityPolicy, "RELIABLE" if is_kept else "BEST_EFFORT"),
            durability=kept if is_kept else qos.DurabilityPolicy.VOLATILE,
        )
        topic.begin()
        return self._node.create_subscription(found, name, topic.add, profile, raw=True)


def _node_name(end: Any) -> str:
    return str(end.node_namespace.rstrip("/") + "/" + end.node_name)


def _words(profile: Any) -> str:
    names = (profile.reliability.name, profile.durability.name)
    return " ".join(name.lower().replace("_", " ") for name in names)


def main() -> None:
    asked = json.loads(sys.argv[1])
    try:
        rclpy = importlib.import_module("rclpy")
        qos = importlib.import_module("rclpy.qos")
    except ImportError:
        sys.exit(3)
    rclpy.init()
    node = rclpy.create_node(NAME, enable_rosout=False, start_parameter_services=False)
    graph = Graph(node, qos, asked["limit"], asked["listens"])
    due = time.monotonic()
    while True:
        if time.monotonic() >= due:
            graph.look()
            if not tell(graph.topics.values()):
                break
            due += TOLD_EVERY_S
        rclpy.spin_once(node, timeout_sec=max(0.0, min(0.1, due - time.monotonic())))


if __name__ == "__main__":
    main()
