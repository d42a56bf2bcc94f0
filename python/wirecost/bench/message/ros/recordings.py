# SPDX-License-Identifier: Apache-2.0
"""Bags: what they say of their topics, and the bytes of messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rosbags import rosbag1, rosbag2
from rosbags.interfaces import ConnectionExtRosbag1, MessageDefinitionFormat
from rosbags.typesys import Stores, get_typestore

from wirecost.bench.message.ros.definitions import Definitions, of_idl, of_text, short
from wirecost.errors import UserError
from wirecost.printable import shown

FOLDER = ""
"""A bag of ROS 2 may be a folder, which has no suffix."""
SUFFIXES = (".bag", ".db3", FOLDER)


@dataclass(frozen=True)
class Channel:
    """``type``: ``sensor_msgs/PointCloud2``."""

    type: str
    definitions: Definitions


def is_bag(path: Path) -> bool:
    return path.suffix.lower() in SUFFIXES[:-1] or (path / "metadata.yaml").is_file()


def described(path: Path, topic: str) -> Channel:
    """Raises UserError."""
    with _opened(path) as reader:
        connection = _connections(path, reader, topic)[0]
        return Channel(short(connection.msgtype), _definitions(path, connection))


def messages(path: Path, topic: str, choose: Callable[[int], list[int]]) -> tuple[int, list[bytes]]:
    """How many there are, and those of the numbers that ``choose`` gives of that many. Raises
    UserError."""
    with _opened(path) as reader:
        connections = _connections(path, reader, topic)
        count = sum(one.msgcount for one in connections)
        wanted = set(choose(count))
        found = []
        for number, (_, _, data) in enumerate(reader.messages(connections)):
            if number in wanted:
                found.append(bytes(data))
                if len(found) == len(wanted):
                    break
        return count, found


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """Its index is read; data that is damaged shows later, within the context too."""
    if not path.exists():
        raise UserError(f"{path}: no such file or folder; name a recording")
    is_ros1 = path.suffix.lower() == ".bag"
    remedy = "`rosbag reindex` may mend it" if is_ros1 else "`ros2 bag reindex` may mend it"
    try:
        with rosbag1.Reader(path) if is_ros1 else rosbag2.Reader(path) as reader:
            yield reader
    except UserError:
        raise
    except Exception as error:  # whatever a damaged file makes of the library
        said = shown(str(error).replace(str(path), path.name))
        raise UserError(f"{path}: cannot be read ({said}); {remedy}") from error


def _connections(path: Path, reader: Any, topic: str) -> list[Any]:
    found = list(reader.connections)
    topics = list(dict.fromkeys(one.topic for one in found))
    if not topics:
        raise UserError(f"{path}: holds no topic; record one")
    listed = " or ".join(shown(one) for one in topics[:8])
    if not topic and len(topics) > 1:
        raise UserError(f"{path}: has several topics; choose --topic {listed}")
    if topic and topic not in topics:
        raise UserError(f"{path}: has no topic {topic}; choose --topic {listed}")
    chosen = [one for one in found if one.topic == (topic or topics[0])]
    mine = [one for one in chosen if one.msgtype == chosen[0].msgtype]
    if not sum(one.msgcount for one in mine):
        raise UserError(f"{path}: topic {mine[0].topic} has no messages; choose another")
    return mine


def _definitions(path: Path, connection: Any) -> Definitions:
    text, form = connection.msgdef.data, connection.msgdef.format
    if isinstance(connection.ext, ConnectionExtRosbag1):
        return of_text(connection.msgtype, text, "ros1")
    if form is MessageDefinitionFormat.IDL:
        return of_idl(connection.msgtype, text)
    if form is MessageDefinitionFormat.MSG and text:
        return of_text(connection.msgtype, text, "ros2")
    # Older bags of ROS 2 do not carry them; those that every distribution has are known.
    store = get_typestore(Stores.LATEST)
    if connection.msgtype not in store.types:
        raise UserError(
            f"{path}: does not carry the definition of {shown(connection.msgtype)}; name its .msg "
            "before --data"
        )
    return of_text(
        connection.msgtype, store.generate_msgdef(connection.msgtype, ros_version=2)[0], "ros2"
    )
