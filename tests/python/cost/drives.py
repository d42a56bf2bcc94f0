# SPDX-License-Identifier: Apache-2.0
"""Recordings of a small robot, whose every number is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from mcap.writer import CompressionType, Writer
from rosbags import rosbag1, rosbag2
from rosbags.interfaces import Qos
from rosbags.rosbag2 import StoragePlugin
from rosbags.typesys import Stores, get_typestore

SECONDS = 2
RATES_HZ = {"/points": 10, "/imu": 50, "/status": 1}
POINTS, STEP, USED = 10_000, 32, 20
"""Points of a cloud, bytes of a point, and those of its fields."""


def messages(stamp_ns: int, types: Any, is_ros1: bool) -> Iterator[tuple[str, Any]]:
    """Yield topics and the messages that they have at a time."""
    time = types["builtin_interfaces/msg/Time"](stamp_ns // 10**9, stamp_ns % 10**9)
    numbered = (0,) if is_ros1 else ()
    header = types["std_msgs/msg/Header"](*numbered, time, "base")
    fields = [
        types["sensor_msgs/msg/PointField"](name, offset, 7, 1)
        for name, offset in (("x", 0), ("y", 4), ("z", 8), ("intensity", 16), ("ring", 20))
    ]
    cloud = types["sensor_msgs/msg/PointCloud2"](
        header, 1, POINTS, fields, False, STEP, STEP * POINTS,
        np.zeros(POINTS * STEP, np.uint8), True,
    )  # fmt: skip
    vector = types["geometry_msgs/msg/Vector3"](1.0, 2.0, 3.0)
    turn = types["geometry_msgs/msg/Quaternion"](0.0, 0.0, 0.0, 1.0)
    none = np.zeros(9)
    imu = types["sensor_msgs/msg/Imu"](header, turn, none, vector, none, vector, none)
    status = types["std_msgs/msg/String"]("fine, all parts work")
    yield from (("/points", cloud), ("/imu", imu), ("/status", status))


def drive(
    path: Path, offered: Mapping[str, Sequence[Qos]] | None = None, version: Literal[8, 9] = 9
) -> dict[str, list[int]]:
    """Write a recording of ROS 1 or ROS 2; return the sizes of each topic's messages.

    ``offered``: quality of service of a topic's publishers; ``version``: of rosbag2's metadata.
    """
    is_ros1 = path.suffix == ".bag"
    store = get_typestore(Stores.ROS1_NOETIC if is_ros1 else Stores.ROS2_HUMBLE)
    plugin = StoragePlugin.MCAP if path.suffix == ".mcap" else StoragePlugin.SQLITE3
    sizes: dict[str, list[int]] = {topic: [] for topic in RATES_HZ}
    folder = path if is_ros1 else path.with_suffix("")
    writer = (
        rosbag1.Writer(folder)
        if is_ros1
        else rosbag2.Writer(folder, version=version, storage_plugin=plugin)
    )
    write = store.serialize_ros1 if is_ros1 else store.serialize_cdr
    with writer:
        connections: dict[str, Any] = {}
        for tick in range(SECONDS * max(RATES_HZ.values())):
            stamp_ns = tick * 10**9 // max(RATES_HZ.values())
            for topic, message in messages(stamp_ns, store.types, is_ros1):
                if tick % (max(RATES_HZ.values()) // RATES_HZ[topic]):
                    continue
                name = message.__msgtype__
                if topic not in connections:
                    qos = {"offered_qos_profiles": offered[topic]} if offered else {}
                    connections[topic] = writer.add_connection(topic, name, typestore=store, **qos)
                data = bytes(write(message, name))
                writer.write(connections[topic], 10**18 + stamp_ns, data)
                sizes[topic].append(len(data))
    return sizes


def mcap(
    path: Path,
    channels: list[tuple[str, str, str, str, bytes]],
    messages: list[tuple[int, int, bytes]],
) -> None:
    """Write an MCAP file.

    ``channels``: topic, encoding, type, encoding and text of the definition; ``messages``: number
    of a channel, time in nanoseconds, and bytes.
    """
    with path.open("wb") as file:
        writer = Writer(file, chunk_size=4096, compression=CompressionType.ZSTD)
        writer.start()
        numbers = []
        for topic, encoding, type_, kind, definition in channels:
            schema = writer.register_schema(type_, kind, definition) if type_ else 0
            numbers.append(writer.register_channel(topic, encoding, schema))
        for channel, time_ns, data in messages:
            writer.add_message(numbers[channel], time_ns, data, time_ns)
        writer.finish()
