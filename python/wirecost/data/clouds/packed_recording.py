# SPDX-License-Identifier: Apache-2.0
"""Clouds of a recording as ``CompressedPointCloud2`` in an ``.mcap``, or back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import BinaryIO

from wirecost.data.clouds.conversion import Converted, Wanted
from wirecost.data.clouds.packed_message import (
    CDR,
    CLOUD,
    PACKED,
    ROS1,
    packed_message,
    store,
    unpacked_message,
)
from wirecost.data.clouds.point_cloud2 import points_of
from wirecost.data.clouds.waste import CloudWaste
from wirecost.data.messages.ros.reader import FAULTS
from wirecost.data.recordings.connection import DIGEST, RecordedConnection, RecordedMessage
from wirecost.data.recordings.mcap.writer import McapSchema, McapWriter
from wirecost.data.recordings.recording import Recording
from wirecost.system import whole_file
from wirecost.system.errors import UserError
from wirecost.system.failed_write import failed_write
from wirecost.system.foreign import shell_line, shown

SAID_EVERY = 64
"""Messages between two lines of progress."""

Advance = Callable[[int, int, str], None]


def convert(source: Path, out: Path, topic: str, wanted: Wanted, advance: Advance) -> Converted:
    """Convert the clouds of a topic, or of all topics where it is empty; copy other messages.

    Clouds become packed ones; packed ones become clouds if no topic has clouds alone. A cloud that
    cannot be converted is copied as it is. Messages that are not in CDR are left out. Raises
    UserError, and writes nothing then.
    """
    with Recording(source) as recording:
        is_packed = _is_packed(recording, topic)
        kind, other = (CLOUD, PACKED) if is_packed else (PACKED, CLOUD)
        done = Converted(is_packed)
        waste: defaultdict[str, CloudWaste] = defaultdict(CloudWaste)
        try:
            with whole_file.replaced(out) as new_file, new_file.open("wb") as file:
                written = McapMessages(file)
                for number, (connection, message) in enumerate(recording.each()):
                    if number % SAID_EVERY == 0:
                        advance(number, max(recording.count, 1), connection.topic)
                    is_chosen = _type(connection) == kind and topic in ("", connection.topic)
                    data = None
                    if is_chosen:
                        data = _converted(connection, message, number, wanted, done, waste)
                    if data is not None:
                        about = recording.about(connection)
                        written.add(other, connection.topic, message.time_ns, data, about)
                    elif connection.wire == CDR:
                        about = recording.about(connection)
                        written.copy(connection, message.time_ns, message.data, about)
                        done.copied += not is_chosen
                    elif connection.topic not in done.left_out:
                        done.left_out.append(connection.topic)
                if done.kept and not done.clouds:
                    raise UserError(f"{source}: no cloud can be converted; {done.first_kept}")
                written.finish()
        except OSError as error:
            raise failed_write(out, error, "name another file") from error
        done.advice += (
            f"{shown(topic)}: {text}" for topic, of in waste.items() for text in of.advice()
        )
    done.warnings += recording.warnings
    return done


def _is_packed(recording: Recording, topic: str) -> bool:
    """Return whether clouds are packed, False if packed ones are unpacked. Raises UserError."""
    kinds: dict[str, set[str]] = {}
    for connection in recording.connections:
        if topic in ("", connection.topic) and connection.count:
            kinds.setdefault(connection.topic, set()).add(_type(connection))
    if not any(types & {CLOUD, PACKED} for types in kinds.values()):
        raise UserError(
            f"{recording.path}: no PointCloud2 on {shown(topic) if topic else 'any topic'}; "
            f"`wirecost cost {shell_line(recording.path)}` lists its topics"
        )
    return any(CLOUD in types and PACKED not in types for types in kinds.values())


def _converted(
    connection: RecordedConnection,
    recorded: RecordedMessage,
    number: int,
    wanted: Wanted,
    done: Converted,
    waste: Mapping[str, CloudWaste],
) -> bytes | None:
    """Return the other kind of a cloud; None for one that cannot be converted, which is counted."""
    kind = _type(connection)
    types = store(connection.wire)
    try:
        read = types.deserialize_ros1 if connection.wire == ROS1 else types.deserialize_cdr
        message = read(bytes(recorded.data), kind)
        if kind == CLOUD:
            packed, layout, errors = packed_message(message, wanted)
            data = bytes(store(CDR).serialize_cdr(packed, PACKED))
            done.add(layout, packed.compressed_data.size, errors)
            waste[connection.topic].add(points_of(message))
        else:
            cloud, layout = unpacked_message(message, wanted)
            data = bytes(store(CDR).serialize_cdr(cloud, CLOUD))
            done.add(layout, message.compressed_data.size, {})
        return data
    except UserError as error:
        reason = str(error)
    except FAULTS as error:
        reason = f"is no {kind} ({shown(str(error), 60)}); record it again"
    done.first_kept = done.first_kept or f"{shown(connection.topic)}, message {number}: {reason}"
    done.kept += 1
    return None


def _type(connection: RecordedConnection) -> str:
    """Return the type's name as ROS 2 has it, empty where messages cannot be read."""
    if connection.wire not in (CDR, ROS1):
        return ""
    package, _, name = connection.type.replace("/msg/", "/").partition("/")
    return f"{package}/msg/{name}"


class McapMessages(McapWriter):
    """Writes clouds, and messages as another recording has them."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__(file, "ros2")

    def add(
        self,
        kind: str,
        topic: str,
        time_ns: int,
        data: bytes,
        about: Mapping[str, str] | None = None,
    ) -> None:
        """Write a cloud; of what is stated about its topic, all but the type's digest holds."""
        text, _ = store(CDR).generate_msgdef(kind, ros_version=2)
        schema = McapSchema(kind, "ros2msg", text.encode())
        lasting = {key: value for key, value in (about or {}).items() if key != DIGEST}
        self.write(self.channel(topic, CDR, schema, lasting), time_ns, data)

    def copy(
        self,
        connection: RecordedConnection,
        time_ns: int,
        data: bytes | memoryview,
        about: Mapping[str, str],
    ) -> None:
        schema = McapSchema(connection.type, connection.encoding, connection.definition)
        self.write(self.channel(connection.topic, connection.wire, schema, about), time_ns, data)
