# SPDX-License-Identifier: Apache-2.0
"""What a dialect of ``.msg`` knows without any file: its types, and ROS 1's two times."""

from __future__ import annotations

import re
from dataclasses import dataclass

from wirecost.compile.schema import Field, File, Kind, Message, MessageRef, Origin, Type

_NUMBERS = {kind.value: kind for kind in Kind if kind not in (Kind.STRING, Kind.BYTES)} | {
    "string": Kind.STRING
}


@dataclass(frozen=True)
class Dialect:
    """How the two generations differ in what they write."""

    name: str
    types: dict[str, Type]
    field_name: re.Pattern[str]
    constant_name: re.Pattern[str]
    naming: str
    """How names must look, for people."""
    service_parts: tuple[str, str]
    """What is appended to a service's name for its request and its response."""

    @property
    def is_ros2(self) -> bool:
        return self.name == "ros2"


_ANY_NAME = re.compile(r"[A-Za-z]\w*", re.ASCII)

ROS1 = Dialect(
    "ros1",
    {
        **_NUMBERS,
        "byte": Kind.INT8,
        "char": Kind.UINT8,
        "time": MessageRef("ros.Time"),
        "duration": MessageRef("ros.Duration"),
    },
    _ANY_NAME,
    _ANY_NAME,
    "a letter, then letters, digits and underscores",
    ("Request", "Response"),
)
ROS2 = Dialect(
    "ros2",
    {**_NUMBERS, "byte": Kind.UINT8, "char": Kind.UINT8},
    re.compile(r"(?!.*__)(?!.*_$)[a-z][a-z0-9_]*"),
    re.compile(r"(?!.*__)(?!.*_$)[A-Z][A-Z0-9_]*"),
    "fields in lower case, constants in upper case, words parted by single underscores",
    ("_Request", "_Response"),
)
DIALECTS = {dialect.name: dialect for dialect in (ROS1, ROS2)}


def _time(name: str, kind: Kind, comment: str) -> File:
    source = f"ros/{name}.msg"
    fields = (
        Field("sec", 1, kind, comment="Seconds.", origin=Origin(source)),
        Field("nsec", 2, kind, comment="Nanoseconds.", origin=Origin(source)),
    )
    message = Message(f"ros.{name}", fields, comment=comment, origin=Origin(source))
    return File(source, "ros", (message,))


FILES: dict[str, File] = {
    "ros.Time": _time("Time", Kind.UINT32, "ROS 1's time: since 1970-01-01 UTC."),
    "ros.Duration": _time("Duration", Kind.INT32, "ROS 1's duration."),
}
"""Files of the messages that are types of a dialect, by full name."""

DUMMY_FIELD = "structure_needs_at_least_one_member"
"""The byte ROS 2 sends for a message without fields."""
