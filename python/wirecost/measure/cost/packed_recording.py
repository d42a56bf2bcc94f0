# SPDX-License-Identifier: Apache-2.0
"""Clouds of a recording as ``CompressedPointCloud2`` in an ``.mcap``, or back."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from mcap.writer import Writer
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from wirecost.data.messages.ros.reader import FAULTS
from wirecost.data.recordings.connection import RecordedConnection
from wirecost.data.recordings.recording import Recording
from wirecost.data.scans.conversion import Converted, Wanted, check_errors, check_memory
from wirecost.data.scans.packed import Layout, errors_by_field, errors_made, layout_of, pack, unpack
from wirecost.system import whole_file
from wirecost.system.errors import UserError
from wirecost.system.failed_write import failed_write
from wirecost.system.printable import shown
from wirecost.system.shell import quoted

CLOUD = "sensor_msgs/msg/PointCloud2"
PACKED = "point_cloud_interfaces/msg/CompressedPointCloud2"
DEFINITION = """
std_msgs/Header header
uint32 height
uint32 width
sensor_msgs/PointField[] fields
bool is_bigendian
uint32 point_step
uint32 row_step
uint8[] compressed_data
bool is_dense
string format
"""
"""Fields of ``CompressedPointCloud2``, as ``point_cloud_interfaces`` has it."""
FORMAT = "wirecost/1"
CDR, ROS1 = "cdr", "ros1"
SAID_EVERY = 64
"""Messages between two lines of progress."""

Advance = Callable[[int, int, str], None]


@cache
def store(wire: str) -> Any:
    """Return rosbags' types of ROS 1 or ROS 2, with the packed cloud's."""
    types = get_typestore(Stores.ROS1_NOETIC if wire == ROS1 else Stores.ROS2_HUMBLE)
    if wire != ROS1:
        types.register(get_types_from_msg(DEFINITION, PACKED))
    return types


def packed_message(cloud: Any, wanted: Wanted) -> tuple[Any, Layout, dict[str, float]]:
    """Return a cloud's packed message, how its points lie, and errors made. Raises UserError."""
    if cloud.is_bigendian:
        raise UserError("big-endian points; publish them in the other order")
    fields = [(one.name, one.offset, one.datatype, max(1, one.count)) for one in cloud.fields]
    layout = Layout(cloud.height, cloud.width, cloud.point_step, fields)
    row = cloud.width * cloud.point_step
    data = np.frombuffer(cloud.data, np.uint8)
    if cloud.height * cloud.row_step != data.size or row > cloud.row_step:
        raise UserError(f"{data.size:,} bytes are not those of its rows; mend what publishes it")
    data = np.ascontiguousarray(data.reshape(cloud.height, cloud.row_step)[:, :row]).reshape(-1)
    allowed = errors_by_field(wanted.error, [name for name, *_ in fields])
    packed = pack(data, layout, allowed, wanted.quick)
    came_back = unpack(packed, layout_of(packed))
    errors = errors_made(layout.points(data), layout.points(came_back))
    check_errors(errors, allowed)
    types = store(CDR).types
    message = types[PACKED](
        header=_header(cloud.header),
        height=cloud.height,
        width=cloud.width,
        fields=[types["sensor_msgs/msg/PointField"](*one) for one in fields],
        is_bigendian=False,
        point_step=cloud.point_step,
        row_step=row,
        compressed_data=np.frombuffer(packed, np.uint8),
        is_dense=cloud.is_dense,
        format=FORMAT,
    )
    return message, layout, errors


def unpacked_message(message: Any, wanted: Wanted) -> tuple[Any, Layout]:
    """Return a packed message's cloud, and how its points lie. Raises UserError."""
    if message.format != FORMAT:
        raise UserError(f"its format is {shown(message.format, 30)}, not {FORMAT}")
    packed = message.compressed_data.tobytes()
    layout = layout_of(packed)
    check_memory(layout, wanted.memory)
    types = store(CDR).types
    cloud = types[CLOUD](
        header=message.header,
        height=layout.height,
        width=layout.width,
        fields=[types["sensor_msgs/msg/PointField"](*one) for one in layout.fields],
        is_bigendian=False,
        point_step=layout.step,
        row_step=layout.width * layout.step,
        data=unpack(packed, layout),
        is_dense=message.is_dense,
    )
    return cloud, layout


def convert(source: Path, out: Path, topic: str, wanted: Wanted, advance: Advance) -> Converted:
    """Convert the clouds of a topic, or of all topics where it is empty; copy other messages.

    Clouds become packed ones, or packed ones clouds if the recording has no others. Messages that
    are not in CDR are left out. Raises UserError, and writes nothing then.
    """
    with Recording(source) as recording:
        is_packed = _is_packed(recording, topic)
        kind, other = (CLOUD, PACKED) if is_packed else (PACKED, CLOUD)
        done = Converted(is_packed)
        try:
            with whole_file.replaced(out) as new_file, new_file.open("wb") as file:
                written = McapMessages(file)
                for number, (connection, message) in enumerate(recording.each()):
                    if number % SAID_EVERY == 0:
                        advance(number, max(recording.count, 1), connection.topic)
                    if _type(connection) == kind and topic in ("", connection.topic):
                        where = f"{source}: {shown(connection.topic)}, message {number}"
                        data = _converted(connection, message.data, wanted, done, where)
                        written.add(other, connection.topic, message.time_ns, data)
                    elif connection.wire == CDR:
                        written.copy(connection, message.time_ns, bytes(message.data))
                        done.copied += 1
                    elif connection.topic not in done.left_out:
                        done.left_out.append(connection.topic)
                written.finish()
        except OSError as error:
            raise failed_write(out, error, "name another file") from error
        done.warnings += recording.warnings
    return done


def _is_packed(recording: Recording, topic: str) -> bool:
    """Return whether clouds are packed, False if packed ones are unpacked. Raises UserError."""
    kinds = {
        _type(connection)
        for connection in recording.connections
        if topic in ("", connection.topic) and connection.count
    }
    if not kinds & {CLOUD, PACKED}:
        raise UserError(
            f"{recording.path}: no PointCloud2 on {shown(topic) if topic else 'any topic'}; "
            f"`wirecost cost {quoted(recording.path)}` lists its topics"
        )
    return CLOUD in kinds


def _converted(
    connection: RecordedConnection,
    data: bytes | memoryview,
    wanted: Wanted,
    done: Converted,
    where: str,
) -> bytes:
    kind = _type(connection)
    types = store(connection.wire)
    try:
        read = types.deserialize_ros1 if connection.wire == ROS1 else types.deserialize_cdr
        message = read(bytes(data), kind)
        if kind == CLOUD:
            made, layout, errors = packed_message(message, wanted)
            done.add(layout, made.compressed_data.size, errors)
            return bytes(store(CDR).serialize_cdr(made, PACKED))
        cloud, layout = unpacked_message(message, wanted)
        done.add(layout, message.compressed_data.size, {})
        return bytes(store(CDR).serialize_cdr(cloud, CLOUD))
    except UserError as error:
        raise UserError(f"{where}: {error}") from error
    except FAULTS as error:
        raise UserError(
            f"{where}: is no {kind} ({shown(str(error), 60)}); record it again"
        ) from error


def _type(connection: RecordedConnection) -> str:
    """Return the type's name as ROS 2 has it, empty where messages cannot be read."""
    if connection.wire not in (CDR, ROS1):
        return ""
    package, _, name = connection.type.replace("/msg/", "/").partition("/")
    return f"{package}/msg/{name}"


def _header(header: Any) -> Any:
    """Return a header as ROS 2 has it, which has no number."""
    types = store(CDR).types
    time = types["builtin_interfaces/msg/Time"](header.stamp.sec, header.stamp.nanosec)
    return types["std_msgs/msg/Header"](time, header.frame_id)


class McapMessages:
    """Writes messages of any topic, whose schemas and channels it adds."""

    def __init__(self, file: BinaryIO) -> None:
        self._writer = Writer(file)
        self._writer.start("ros2", "wirecost")
        self._schemas: dict[tuple[str, str, bytes], int] = {}
        self._channels: dict[tuple[str, str, int], int] = {}

    def add(self, kind: str, topic: str, time_ns: int, data: bytes) -> None:
        text, _ = store(CDR).generate_msgdef(kind, ros_version=2)
        self.write(topic, (kind, "ros2msg", text.encode()), CDR, time_ns, data)

    def copy(self, connection: RecordedConnection, time_ns: int, data: bytes) -> None:
        schema = (connection.type, connection.encoding, connection.definition)
        self.write(connection.topic, schema, connection.wire, time_ns, data)

    def write(
        self, topic: str, schema: tuple[str, str, bytes], wire: str, time_ns: int, data: bytes
    ) -> None:
        if schema not in self._schemas:
            self._schemas[schema] = self._writer.register_schema(*schema)
        channel = (topic, wire, self._schemas[schema])
        if channel not in self._channels:
            self._channels[channel] = self._writer.register_channel(*channel)
        self._writer.add_message(self._channels[channel], max(time_ns, 0), data, max(time_ns, 0))

    def finish(self) -> None:
        self._writer.finish()  # type: ignore[no-untyped-call]
