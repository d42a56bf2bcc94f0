# SPDX-License-Identifier: Apache-2.0
"""The lists: messages with one repeated field, whose elements have all fields of a content."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from google.protobuf.message import Message

from wirecost.data.messages.fields import fields_along
from wirecost.data.messages.ros.definitions import RosDefinitions
from wirecost.data.messages.ros.subject import ros_subject
from wirecost.data.messages.subject import Subject, subject
from wirecost.schema.compile import frontends
from wirecost.schema.compile.schema import Field, Kind, MessageRef

from ..shared.narrowing import narrowed
from .contents import (
    SPEED_OF_LIGHT,
    Array,
    Content,
    synthetic,
)

OSI = {
    "radar-reflection": ("osi3.RadarSensorView", "reflection"),
    "radar-detection": ("osi3.RadarDetectionData", "detection"),
    "lidar-reflection": ("osi3.LidarSensorView", "reflection"),
    "lidar-detection": ("osi3.LidarDetectionData", "detection"),
    "moving-object": ("osi3.GroundTruth", "moving_object"),
}
"""Message and repeated field of each list of OSI."""
POINT = {
    "lists_msgs/Point": """\
float32 x
float32 y
float32 z
float32 intensity
uint16 ring
uint8 return_type
uint32 time
""",
    "lists_msgs/Points": "Point[] points\n",
}
"""A lidar's points in ROS 1, with the fields that drivers put into a PointCloud2: metres, the
laser's number, first or last return, nanoseconds since the scan began."""

LENGTH = 1e-3
"""Metres, or metres per second."""
ANGLE = 1.7453292519943296e-5
"""Radians: 0.001 degree."""
ERRORS = {
    **dict.fromkeys(("x", "y", "z", "length", "width", "height", "distance"), LENGTH),
    **dict.fromkeys(("radial_velocity", "radial_velocity_rmse"), LENGTH),
    **dict.fromkeys(("roll", "pitch", "yaw", "azimuth", "elevation"), ANGLE),
    **dict.fromkeys(("source_horizontal_angle", "source_vertical_angle"), ANGLE),
    **dict.fromkeys(("signal_strength", "rcs", "snr"), 0.1),
    **dict.fromkeys(("existence_probability", "point_target_probability"), 1e-3),
    "doppler_shift": 0.1,
    "intensity": 0.1,
    "time_of_flight": 2 * LENGTH / SPEED_OF_LIGHT,
}
"""Largest absolute error of reduced columns by a field's name; all others are exact."""


@dataclass(frozen=True)
class ElementField:
    """A field of the elements: its path, the type of its values, and the error of its column.

    The error is the largest absolute one of its reduced column, 0 where it is exact.
    """

    path: str
    dtype: np.dtype[Any]
    error: float


@dataclass(frozen=True)
class RepeatedElements:
    """A message type with its repeated field, and the fields that every element has."""

    name: str
    subject: Subject
    field: Field
    fields: tuple[ElementField, ...]

    @property
    def element(self) -> str:
        """Full name of the elements' type."""
        assert isinstance(self.field.type, MessageRef)
        return self.field.type.name

    def message(self, content: Mapping[str, Array]) -> Message:
        """Return a message of Google's class with these elements."""
        message: Message = self.subject.message_class()
        rows = getattr(message, self.field.name)
        for _ in range(len(content[self.fields[0].path])):
            rows.add()
        by_holder = defaultdict(list)
        for field in self.fields:
            *outer, name = field.path.split(".")
            by_holder[tuple(outer)].append((name, content[field.path].astype(field.dtype)))
        for outer_path, arrays in by_holder.items():
            holders = [reduce(getattr, outer_path, row) for row in rows]
            for name, array in arrays:
                for holder, value in zip(holders, array.tolist(), strict=True):
                    setattr(holder, name, value)
        return message

    def content(self, message: Message) -> Content:
        """Return the values of a message. Raises ValueError where an element lacks a field."""
        rows = getattr(message, self.field.name)
        return {
            field.path: np.array([_value(row, field.path.split(".")) for row in rows], field.dtype)
            for field in self.fields
        }

    def difference(self, message: Message, expected: Message, is_reduced: bool) -> str:
        """Return the first value that differs, empty if there is none.

        Values of reduced columns differ where they are not within their field's error.
        """
        try:
            content = self.content(message)
        except ValueError as error:
            return str(error)
        exact = self.content(expected)
        for field in self.fields:
            values, others = content[field.path], exact[field.path]
            if len(values) != len(others):
                return f"has {len(values)} elements instead of {len(others)}"
            largest = field.error if is_reduced else 0
            wrong = np.flatnonzero(~_is_near(values, others, largest))
            if wrong.size:
                at = int(wrong[0])
                return f"has {field.path} {values[at]!r} of element {at} instead of {others[at]!r}"
        return ""


def _value(row: Message, path: Sequence[str]) -> Any:
    *outer, name = path
    holder = reduce(getattr, outer, row)
    if holder.DESCRIPTOR.fields_by_name[name].has_presence and not holder.HasField(name):
        raise ValueError(f"has an element without {'.'.join(path)}")
    return getattr(holder, name)


def _is_near(values: Array, others: Array, error: float) -> Array:
    """Return for each value whether it is within the error, or for 0 the same bit for bit."""
    if error > 0:
        return np.asarray(np.abs(values.astype("f8") - others.astype("f8")) <= error)
    bits = np.dtype(f"<u{values.itemsize}")
    return np.asarray(values.view(bits) == others.view(bits))


def repeated_elements(name: str) -> RepeatedElements:
    """Return the list of this name."""
    if name == "point":
        about = ros_subject(RosDefinitions("ros1", POINT), name, "lists_msgs/Points")
        list_field = "points"
    else:
        type_name, list_field = OSI[name]
        narrow = narrowed(frontends.descriptors(["osi3"]), type_name, [list_field])
        about = subject(narrow, "osi3", type_name)
    (field,) = fields_along(about.schema, about.type, f"{list_field}[]")
    assert isinstance(field.type, MessageRef)
    element = field.type.name
    return RepeatedElements(
        name,
        about,
        field,
        tuple(
            ElementField(
                path,
                _dtype(fields_along(about.schema, element, path)[-1]),
                ERRORS.get(path.rpartition(".")[2], 0),
            )
            for path in synthetic(name, 1, 1)
        ),
    )


def _dtype(field: Field) -> np.dtype[Any]:
    """Return the type of a field's values; enums are numbers of 32 bits."""
    return np.dtype(field.type.value if isinstance(field.type, Kind) else "int32").newbyteorder("<")
