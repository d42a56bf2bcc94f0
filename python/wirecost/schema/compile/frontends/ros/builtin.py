# SPDX-License-Identifier: Apache-2.0
"""Types and times that a dialect of ``.msg`` knows without any file."""

from __future__ import annotations

import re
from dataclasses import dataclass

from wirecost.schema.compile import choices
from wirecost.schema.compile.schema import Field, File, Kind, Message, MessageRef, Origin, Type

_NUMBERS = {kind.value: kind for kind in Kind if kind not in (Kind.STRING, Kind.BYTES)} | {
    "string": Kind.STRING
}


@dataclass(frozen=True)
class Dialect:
    """Differences between the two generations in what they write."""

    name: str
    types: dict[str, Type]
    field_name: re.Pattern[str]
    constant_name: re.Pattern[str]
    naming: str
    """Form of names, for people."""
    service_parts: tuple[str, str]
    """Ends of the names of a service's request and response."""

    @property
    def is_ros2(self) -> bool:
        return self.name == choices.ROS2


ANY_NAME = re.compile(r"[A-Za-z]\w*", re.ASCII)

ROS1 = Dialect(
    choices.ROS1,
    {
        **_NUMBERS,
        "byte": Kind.INT8,
        "char": Kind.UINT8,
        "time": MessageRef("ros.Time"),
        "duration": MessageRef("ros.Duration"),
    },
    ANY_NAME,
    ANY_NAME,
    "a letter, then letters, digits and underscores",
    ("Request", "Response"),
)
ROS2 = Dialect(
    choices.ROS2,
    {**_NUMBERS, "byte": Kind.UINT8, "char": Kind.UINT8},
    re.compile(r"(?!.*__)(?!.*_$)[a-z][a-z0-9_]*"),
    re.compile(r"(?!.*__)(?!.*_$)[A-Z][A-Z0-9_]*"),
    "fields in lower case, constants in upper case, words parted by single underscores",
    ("_Request", "_Response"),
)
DIALECTS = {dialect.name: dialect for dialect in (ROS1, ROS2)}


def _time(package: str, name: str, fields: tuple[Field, ...], comment: str) -> File:
    source = f"{package}/{name}.msg"
    message = Message(f"{package}.{name}", fields, comment=comment, origin=Origin(source))
    return File(source, package, (message,))


def _fields(seconds: Kind, fraction: str, nanoseconds: Kind) -> tuple[Field, ...]:
    return (
        Field("sec", 1, seconds, comment="Seconds."),
        Field(fraction, 2, nanoseconds, comment="Nanoseconds."),
    )


FILES: dict[str, File] = {
    file.messages[0].full_name: file
    for file in (
        _time("ros", "Time", _fields(Kind.UINT32, "nsec", Kind.UINT32), "Time since 1970-01-01."),
        _time("ros", "Duration", _fields(Kind.INT32, "nsec", Kind.INT32), "A length of time."),
        _time(
            "builtin_interfaces",
            "Time",
            _fields(Kind.INT32, "nanosec", Kind.UINT32),
            "Time since an epoch that depends on the clock.",
        ),
        _time(
            "builtin_interfaces",
            "Duration",
            _fields(Kind.INT32, "nanosec", Kind.UINT32),
            "A length of time.",
        ),
    )
}
"""Messages by full name that need no file: ROS 1's types, and ROS 2's where it is not installed."""

DUMMY_FIELD = "structure_needs_at_least_one_member"
"""The byte ROS 2 sends for a message without fields."""
