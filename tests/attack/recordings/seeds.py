# SPDX-License-Identifier: Apache-2.0
"""Good recordings to start from: small, the same in every process."""

from __future__ import annotations

import io
import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path

from mcap.writer import CompressionType, IndexType, Writer
from osi3.osi_sensorview_pb2 import SensorView
from rosbags import rosbag1
from rosbags.typesys import Stores, get_typestore

PLAIN = b"int32 x\n"
OTHER = b"int32 x\nint32 y\n"
TYPE = "mine/msg/Plain"
TIMES = (50, 20, 20, 90, 70, 10)
"""Out of order, and two alike."""


def mcaps() -> list[bytes]:
    """Chunked or not, by each compression, with and without index, summary and checksums, cut."""
    chunked = [
        _mcap(_ros_channels, compression=kind, chunk_size=120)
        for kind in (CompressionType.NONE, CompressionType.LZ4, CompressionType.ZSTD)
    ]
    bare = {"use_summary_offsets": False, "use_statistics": False, "enable_crcs": False}
    return [
        *chunked,
        _mcap(_ros_channels, use_chunking=False),
        _mcap(_ros_channels, use_chunking=False, **bare),
        _mcap(_ros_channels, chunk_size=120, index_types=IndexType.NONE, **bare),
        _mcap(_ros_channels, chunk_size=120, enable_crcs=False),
        chunked[0][: len(chunked[0]) * 3 // 5],
    ]


def traces() -> list[bytes]:
    """OSI's sensor views beside another channel."""
    return [
        _mcap(_osi_channels, compression=CompressionType.ZSTD, chunk_size=120),
        _mcap(_osi_channels, compression=CompressionType.LZ4, chunk_size=120),
        _mcap(_osi_channels, compression=CompressionType.NONE, chunk_size=120),
        _mcap(_osi_channels, use_chunking=False),
    ]


def _mcap(fill: Callable[[Writer], None], **options: object) -> bytes:
    file = io.BytesIO()
    writer = Writer(file, **options)  # type: ignore[arg-type]
    writer.start("ros2", "seed")
    fill(writer)
    writer.finish()  # type: ignore[no-untyped-call]
    return file.getvalue()


def _ros_channels(writer: Writer) -> None:
    """Write a topic with two definitions, one without a schema, and one in Protobuf."""
    schemas = [
        writer.register_schema(TYPE, "ros2msg", PLAIN),
        writer.register_schema(TYPE, "ros2msg", OTHER),
        0,
        writer.register_schema("mine.Plain", "protobuf", b"\n\0"),
    ]
    topics = zip(("/a", "/a", "/b", "/c"), ("cdr", "cdr", "json", "protobuf"), schemas, strict=True)
    channels = [writer.register_channel(topic, wire, schema) for topic, wire, schema in topics]
    _write(writer, channels, lambda number: b"\0\1\0\0" + bytes([number]) * (4 * number))


def _osi_channels(writer: Writer) -> None:
    writer.add_metadata("net.asam.osi.trace", {"version": "3.7.0"})
    view = writer.register_schema("osi3.SensorView", "protobuf", b"\n\0")
    other = writer.register_schema(TYPE, "ros2msg", PLAIN)
    channels = [
        writer.register_channel("view", "protobuf", view),
        writer.register_channel("/a", "cdr", other),
    ]

    def message(number: int) -> bytes:
        sent = SensorView()
        sent.timestamp.seconds = number + 1
        sent.sensor_id.value = 7
        return sent.SerializeToString()

    _write(writer, channels, message)


def _write(writer: Writer, channels: list[int], message: Callable[[int], bytes]) -> None:
    for number, time in enumerate(TIMES):
        for channel in channels:
            writer.add_message(channel, time, message(number), time, number)


def bags() -> list[bytes]:
    """Return bags of ROS 1 by each compression, one cut, one with two definitions on a topic."""
    kinds = rosbag1.Writer.CompressionFormat
    all_bags = [_bag(kind) for kind in (None, kinds.LZ4, kinds.BZ2)]
    return [*all_bags, all_bags[0][: len(all_bags[0]) * 3 // 5]]


def _bag(compression: rosbag1.Writer.CompressionFormat | None) -> bytes:
    store = get_typestore(Stores.ROS1_NOETIC)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "seed.bag")
        writer = rosbag1.Writer(path)
        writer.chunk_threshold = 120
        if compression is not None:
            writer.set_compression(compression)
        with writer:
            channels = [
                writer.add_connection("/a", "std_msgs/msg/Int32", typestore=store),
                writer.add_connection(
                    "/a", TYPE, msgdef=OTHER.decode(), md5sum="0" * 32, callerid="/n", latching=1
                ),
                writer.add_connection("/b", "std_msgs/msg/Empty", typestore=store),
            ]
            for number, time in enumerate(TIMES):
                for channel in channels:
                    writer.write(channel, time, bytes([number]) * (4 * number))
        return path.read_bytes()


def databases() -> list[bytes]:
    """Return databases of rosbag2, by its old layout and that of today, in small pages."""
    return [_database(1), _database(3), _database(4)]


def _database(version: int) -> bytes:
    base = sqlite3.connect(":memory:")
    base.execute("PRAGMA page_size = 512")
    more = "".join(
        f", {name} TEXT NOT NULL"
        for name, since in (("offered_qos_profiles", 2), ("type_description_hash", 4))
        if version >= since
    )
    base.execute(
        "CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, "
        f"serialization_format TEXT NOT NULL{more})"
    )
    base.execute(
        "CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, "
        "timestamp INTEGER NOT NULL, data BLOB NOT NULL)"
    )
    if version >= 3:
        base.execute("CREATE TABLE schema(schema_version INTEGER PRIMARY KEY, ros_distro TEXT)")
        base.execute("INSERT INTO schema VALUES (?, 'rosbags')", (version,))
    if version >= 4:
        base.execute(
            "CREATE TABLE message_definitions(id INTEGER PRIMARY KEY, topic_type TEXT NOT NULL, "
            "encoding TEXT NOT NULL, encoded_message_definition TEXT NOT NULL, "
            "type_description_hash TEXT NOT NULL)"
        )
        for number, text in enumerate((PLAIN, OTHER), 1):
            row = (number, TYPE, "ros2msg", text.decode(), f"RIHS01_{number}")
            base.execute("INSERT INTO message_definitions VALUES (?, ?, ?, ?, ?)", row)
    base.execute("CREATE INDEX timestamp_idx ON messages (timestamp ASC)")
    for number, topic in enumerate(("/a", "/b", "/c"), 1):
        about = [number, topic, TYPE, "cdr", "", f"RIHS01_{number}"][: 4 + more.count(",")]
        base.execute(f"INSERT INTO topics VALUES ({', '.join('?' * len(about))})", about)
    for number, time in enumerate(TIMES):
        for topic_id in (1, 2):
            data = b"\0\1\0\0" + bytes([number]) * (40 * number)
            base.execute(
                "INSERT INTO messages(topic_id, timestamp, data) VALUES (?, ?, ?)",
                (topic_id, time, data),
            )
    base.commit()
    content: bytes = base.serialize()
    base.close()
    return content
