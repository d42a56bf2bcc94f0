# SPDX-License-Identifier: Apache-2.0
"""Recordings of a robot with drops made on purpose, in every format that has messages of ROS."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcap.writer import Writer
from rosbags import rosbag1, rosbag2
from rosbags.rosbag2 import StoragePlugin
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from wirecost.data.recordings.dropped import EVENT

SECOND = 10**9
BEGIN = 1_700_000_000 * SECOND
COUNTED = "mine/msg/Counted"
COUNTER = "string frame\nuint32 counter\n"


@dataclass(frozen=True)
class Sent:
    """A message as its publisher sent it.

    ``stamp_ns``: of its header; ``logged_ns``: when it was written, None where it was lost.
    """

    number: int
    stamp_ns: int
    logged_ns: int | None


@dataclass
class Drive:
    """Messages by topic."""

    topics: dict[str, list[Sent]] = field(default_factory=dict)

    def publish(self, topic: str, times: Sequence[int]) -> None:
        self.topics[topic] = [Sent(number, at, at) for number, at in enumerate(times)]

    def change(self, topic: str, change: Callable[[Sent], int | None]) -> None:
        """Set when each message was written."""
        sent = self.topics[topic]
        self.topics[topic] = [Sent(one.number, one.stamp_ns, change(one)) for one in sent]

    def lose(self, topic: str, is_lost: Callable[[Sent], bool]) -> int:
        """Lose messages; return how many."""
        before = self.logged(topic)
        self.change(topic, lambda one: None if is_lost(one) else one.logged_ns)
        return before - self.logged(topic)

    def logged(self, topic: str) -> int:
        return sum(one.logged_ns is not None for one in self.topics[topic])

    def in_order(self) -> list[tuple[int, str, Sent]]:
        """Return what was written, in the order of writing."""
        logged = [
            (one.logged_ns, one.stamp_ns, topic, one)
            for topic, sent in self.topics.items()
            for one in sent
            if one.logged_ns is not None
        ]
        return [(at, topic, one) for at, _, topic, one in sorted(logged, key=lambda row: row[:3])]


def steady(hz: float, seconds: float = 20.0, begin: int = BEGIN) -> list[int]:
    return [begin + round(number * SECOND / hz) for number in range(round(seconds * hz))]


def bag(path: Path, drive: Drive, names: Mapping[str, str] | None = None) -> Path:
    """Write a bag of ROS 1: headers with the publisher's numbers; ``names``: of topics."""
    store = get_typestore(Stores.ROS1_NOETIC)
    types = store.types
    with rosbag1.Writer(path) as writer:
        name = "geometry_msgs/msg/PointStamped"
        places = {
            topic: writer.add_connection(
                (names or {}).get(topic, topic), name, typestore=store, callerid=f"/node{topic}"
            )
            for topic in drive.topics
        }
        point = types["geometry_msgs/msg/Point"](0.0, 0.0, 0.0)
        for at, topic, one in drive.in_order():
            stamp = types["builtin_interfaces/msg/Time"](*divmod(one.stamp_ns, SECOND))
            header = types["std_msgs/msg/Header"](one.number, stamp, "base")
            message = types[name](header, point)
            writer.write(places[topic], at, bytes(store.serialize_ros1(message, name)))
    return path


def db3(path: Path, drive: Drive, events: Sequence[bytes] = (), *, counts: bool = False) -> Path:
    """Write a folder of rosbag2: headers have no number; ``counts``: messages with a counter.

    ``events``: messages of what its recorder dropped.
    """
    store = get_typestore(Stores.ROS2_HUMBLE)
    store.register(get_types_from_msg(COUNTER, COUNTED))
    name = COUNTED if counts else "geometry_msgs/msg/PointStamped"
    types = store.types

    def message(one: Sent) -> Any:
        if counts:
            return types[COUNTED]("base", one.number)
        stamp = types["builtin_interfaces/msg/Time"](*divmod(one.stamp_ns, SECOND))
        header = types["std_msgs/msg/Header"](stamp, "base")
        return types[name](header, types["geometry_msgs/msg/Point"](0.0, 0.0, 0.0))

    with rosbag2.Writer(path, version=9, storage_plugin=StoragePlugin.SQLITE3) as writer:
        places = {
            topic: writer.add_connection(topic, name, typestore=store) for topic in drive.topics
        }
        for at, topic, one in drive.in_order():
            writer.write(places[topic], at, bytes(store.serialize_cdr(message(one), name)))
        if events:
            store.register(get_types_from_msg("string node_name\n", EVENT))
            place = writer.add_connection("/events/rosbag2_messages_lost", EVENT, typestore=store)
            for event in events:
                writer.write(place, BEGIN, event)
    return path


def mcap(
    path: Path,
    drive: Drive,
    number: Callable[[Sent], int] = lambda one: one.number,
    published: Callable[[Sent, int], int] = lambda _, at: at,
) -> Path:
    """Write an MCAP file; ``number``: beside a message; ``published``: its time, by that logged."""
    with path.open("wb") as file:
        writer = Writer(file, chunk_size=1 << 16)
        writer.start()
        schema = writer.register_schema("mine/Text", "jsonschema", b"{}")
        places = {topic: writer.register_channel(topic, "json", schema) for topic in drive.topics}
        for at, topic, one in drive.in_order():
            writer.add_message(places[topic], at, b"{}", published(one, at), number(one))
        writer.finish()
    return path
