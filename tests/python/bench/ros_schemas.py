# SPDX-License-Identifier: Apache-2.0
"""Types of ROS with every kind of field, and bags of them."""

from __future__ import annotations

from pathlib import Path

from rosbags import rosbag1, rosbag2
from rosbags.rosbag2 import StoragePlugin

from wirecost.data.messages.content import made_up
from wirecost.data.messages.ros.definitions import RosDefinitions, of_files
from wirecost.data.messages.ros.subject import ros_subject
from wirecost.data.messages.subject import Subject

BOTH = """bool[] flags
bool[3] three
uint8[] data
uint8[16] id
int8[] small
float32[4] quarter
float64[] many
string[] names
string[2] pair
Part[] parts
Part one
Part[2] two
uint64 big
byte b
char c
"""
ROS1 = BOTH + "time stamp\nduration took\n"
ROS2 = (
    BOTH
    + """builtin_interfaces/Time stamp
builtin_interfaces/Duration took
uint8[<=5] short_data
string<=4[] short_names
string<=4 short_name
Part[<=2] few
int64 class
"""
)
PART = "float32 x\nstring text\n"
TYPE = "mine/Every"


def definitions(folder: Path, dialect: str) -> RosDefinitions:
    """Return the definitions of ``mine/Every``, which nobody has seen."""
    messages = folder / "mine" / "msg"
    messages.mkdir(parents=True)
    (messages / "Every.msg").write_text(ROS1 if dialect == "ros1" else ROS2)
    (messages / "Part.msg").write_text(PART)
    return of_files([str(messages / "Every.msg")], [], dialect)


def every(folder: Path, dialect: str) -> Subject:
    return ros_subject(definitions(folder, dialect), "Every.msg", TYPE)


def bag(about: Subject, path: Path, messages: list[bytes] | None = None) -> list[bytes]:
    """Made-up messages in a bag: of ROS 1, or in a folder or a file of ROS 2."""
    assert about.ros is not None
    sent = messages if messages is not None else made_up(about, {}, 1)
    name, store = about.ros.name, about.ros.store
    if path.suffix == ".bag":
        with rosbag1.Writer(path) as writer:
            connection = writer.add_connection("/every", name, typestore=store)
            for number, data in enumerate(sent):
                writer.write(connection, number, data)
        return sent
    plugin = StoragePlugin.MCAP if path.suffix == ".mcap" else StoragePlugin.SQLITE3
    with rosbag2.Writer(path.with_suffix(""), version=9, storage_plugin=plugin) as writer2:
        connection = writer2.add_connection("/every", name, typestore=store)
        for number, data in enumerate(sent):
            writer2.write(connection, number, data)
    return sent
