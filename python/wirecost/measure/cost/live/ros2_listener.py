# SPDX-License-Identifier: Apache-2.0
"""A listener to a graph of ROS 2: ``python ros2_listener.py '{"limit": BYTES}'``.

It runs in the Python in which rclpy is. A subscription is reliable where all publishers are, as
Fast DDS loses large messages otherwise; it keeps the last messages alone, so that no publisher
waits for it.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

from wirecost.measure.cost.live.listening import (
    KEPT,
    OWN_SERVICES,
    SETTLED_NS,
    HeardTopic,
    SequenceGaps,
    by_profile,
    living_processes,
    process_of,
    tell,
    without_dead,
)

NAME = "wirecost_cost"
TOLD_EVERY_S = 1.0
KEPT_MESSAGES = 100
"""Messages that wait in a subscription; beyond them the oldest is missed, and counted."""
PROFILE = (
    "reliability", "durability", "deadline", "liveliness", "liveliness_lease_duration"
)  # fmt: skip
"""Policies by which a publisher and a subscriber fit or not."""
UNKNOWN_NUMBER = (1 << 64) - 1
INVISIBLE = "calls are not visible to rclpy without service events; --live dds counts them"

Key = tuple[str, str]
"""Topic and type."""


class Graph:
    """Topics of a graph; subscriptions to those that somebody publishes."""

    def __init__(self, node: Any, qos: Any, events: Any, limit: float, listens: bool) -> None:
        self._node, self._qos, self._events = node, qos, events
        self._limit, self._listens = limit, listens
        self._open: dict[Key, Any] = {}
        self._living: set[int | None] = set()
        self.topics: dict[Key, HeardTopic] = {}

    def look(self) -> None:
        """Find topics and ends, and subscribe to what is new."""
        self._living = living_processes()
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
        for name, types in self._node.get_service_names_and_types():
            for type_ in types:
                if not type_.startswith(OWN_SERVICES) and (name, type_) not in self.topics:
                    self.topics[name, type_] = HeardTopic(name, type_, "cdr")
                    self.topics[name, type_].unknown = INVISIBLE

    def _ends(self, topic: HeardTopic, name: str, type_: str) -> list[Any]:
        """Set who publishes and takes a topic; return what the publishers offer."""
        published, subscribed = (
            without_dead(
                [end for end in ends if end.topic_type == type_ and end.node_name != NAME],
                _node_name,
                lambda end: bytes(end.endpoint_gid),
                self._living,
            )
            for ends in (
                self._node.get_publishers_info_by_topic(name),
                self._node.get_subscriptions_info_by_topic(name),
            )
        )
        topic.publishers = [_node_name(end) for end in published]
        topic.subscribers = [_node_name(end) for end in subscribed]
        for end in (*published, *subscribed):
            topic.place(_node_name(end), process_of(bytes(end.endpoint_gid)))
        profiles = [end.qos_profile for end in published]
        topic.qos = ", ".join(sorted({_words(profile) for profile in profiles}))
        topic.links = list(_links(self._qos, published, subscribed))
        return profiles

    def _subscription(self, key: Key, profiles: list[Any]) -> Any:
        """Return a subscription to what all publishers offer, None where there is none."""
        name, type_ = key
        topic = self.topics[key]
        try:
            message_class = _message_class(type_)
        except (ImportError, AttributeError):
            topic.unknown = type_.partition("/")[0] + " is not in this ROS 2; source it"
            return None
        policies = self._qos
        reliable = policies.ReliabilityPolicy.RELIABLE
        transient = policies.DurabilityPolicy.TRANSIENT_LOCAL
        is_reliable = all(profile.reliability == reliable for profile in profiles)
        is_kept = all(profile.durability == transient for profile in profiles)
        profile = policies.QoSProfile(
            depth=KEPT_MESSAGES,
            reliability=reliable if is_reliable else policies.ReliabilityPolicy.BEST_EFFORT,
            durability=transient if is_kept else policies.DurabilityPolicy.VOLATILE,
        )
        topic.begin()
        events = self._events.SubscriptionEventCallbacks(message_lost=_lost(topic))
        return self._node.create_subscription(
            message_class, name, _heard(topic), profile, event_callbacks=events, raw=True
        )


def _heard(topic: HeardTopic) -> Callable[[bytes, Any], None]:
    """Return a callback that counts what comes, and what was sent and did not come."""
    gaps = SequenceGaps()
    begun_ns = time.time_ns()
    settled_ns = begun_ns + SETTLED_NS

    def heard(data: bytes, info: Any) -> None:
        number = info.get("publication_sequence_number") or UNKNOWN_NUMBER
        if number != UNKNOWN_NUMBER:
            topic.is_numbered = True
            missed = gaps.missed(number, len(topic.publishers))
            topic.note_missed(missed, len(data), time.monotonic_ns())
        was_kept = 0 < info.get("source_timestamp", 0) < begun_ns and time.time_ns() < settled_ns
        topic.add(data, KEPT if was_kept else None)

    return heard


def _events() -> Any:
    """Return the module with the callbacks of a middleware's events. Raises ImportError."""
    try:
        return importlib.import_module("rclpy.event_handler")
    except ImportError:  # ROS 2 Humble
        return importlib.import_module("rclpy.qos_event")


def _lost(topic: HeardTopic) -> Callable[[Any], None]:
    """Return a callback that notes what the middleware says was lost on its way to here."""

    def lost(event: Any) -> None:
        topic.lost = int(event.total_count)

    return lost


def _links(qos: Any, published: list[Any], subscribed: list[Any]) -> Iterator[dict[str, Any]]:
    """Yield nodes with one profile that publish, those with one that subscribe, and if both fit."""
    for (writer, publishers), (reader, subscribers) in product(
        by_profile(published, _kind, _node_name), by_profile(subscribed, _kind, _node_name)
    ):
        offered, asked = writer.qos_profile, reader.qos_profile
        fits, why = qos.qos_check_compatible(offered, asked)
        reliable = qos.ReliabilityPolicy.RELIABLE
        yield {
            "publishers": publishers,
            "subscribers": subscribers,
            "is_reliable": offered.reliability == asked.reliability == reliable,
            "why_not": why if fits == qos.QoSCompatibility.ERROR else "",
        }


def _kind(end: Any) -> tuple[str, ...]:
    return tuple(str(getattr(end.qos_profile, name)) for name in PROFILE)


def _message_class(type_: str) -> Any:
    """Return the class of a type, also of a service's events or of an action's feedback."""
    package, kind, name = type_.split("/")
    module = importlib.import_module(package + "." + kind)
    base, _, part = name.rpartition("_")
    if not base:
        return getattr(module, name)
    whole = getattr(module, base)
    return getattr(whole, part) if hasattr(whole, part) else getattr(whole.Impl, part)


def _node_name(end: Any) -> str:
    return str(end.node_namespace.rstrip("/") + "/" + end.node_name)


def _words(profile: Any) -> str:
    names = (profile.reliability.name, profile.durability.name)
    return " ".join(name.lower().replace("_", " ") for name in names)


def main() -> None:
    job = json.loads(sys.argv[1])
    try:
        rclpy = importlib.import_module("rclpy")
        qos = importlib.import_module("rclpy.qos")
        events = _events()
    except ImportError:
        sys.exit(3)
    rclpy.init()
    node = rclpy.create_node(NAME, enable_rosout=False, start_parameter_services=False)
    graph = Graph(node, qos, events, job["limit"], job["listens"])
    due = time.monotonic()
    while True:
        if time.monotonic() >= due:
            graph.look()
            if not tell(graph.topics.values()):
                break
            due += TOLD_EVERY_S
        wait_s = max(0.0, min(0.1, due - time.monotonic()))
        if job["listens"]:
            rclpy.spin_once(node, timeout_sec=wait_s)
        else:
            time.sleep(wait_s)


if __name__ == "__main__":
    main()
