# SPDX-License-Identifier: Apache-2.0
"""Points within the bytes of a ``sensor_msgs/PointCloud2``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from google.protobuf.message import DecodeError

from wirecost.measure.cost.survey import TopicSurvey
from wirecost.system.errors import UserError

TYPE = "PointCloud2"
WIDTHS = (0, 1, 1, 2, 2, 4, 4, 4, 8)
"""Bytes of a field's values by its number in ``sensor_msgs/PointField``; 0: there is none."""
TYPES = ("", "i1", "u1", "<i2", "<u2", "<i4", "<u4", "<f4", "<f8")
"""NumPy's names of the same types."""


def is_cloud(type_name: str) -> bool:
    return type_name.rpartition("/")[2] == TYPE


def clouds(read: TopicSurvey) -> Iterator[Any]:
    """Yield those messages of the sample that are whole clouds of a point at least.

    They are Google's classes.
    """
    if is_cloud(read.connection.type):
        for message in whole_messages(read):
            points = message.width * message.height
            if points and message.point_step and len(message.data) >= points * message.point_step:
                yield message


def fields_apart(message: Any) -> tuple[list[tuple[Any, int]], npt.NDArray[np.bool_]]:
    """Return a cloud's fields with their ends, and which bytes of a point they have.

    A field that lies over another one, or outside its point, is left out.
    """
    used = np.zeros(message.point_step, np.bool_)  # a point is no larger than the data
    found = []
    for field in message.fields:
        width = WIDTHS[field.datatype] if field.datatype < len(WIDTHS) else 0
        end = field.offset + width * max(1, field.count)
        if width and end <= message.point_step and not used[field.offset : end].any():
            used[field.offset : end] = True
            found.append((field, end))
    return found, used


def whole_messages(read: TopicSurvey) -> Iterator[Any]:
    """Yield those messages of the sample that can be read, as Google's classes."""
    for data in read.sample.values() if read.subject is not None else ():
        try:
            assert read.subject is not None
            yield read.subject.read(data, read.connection.wire)
        except (DecodeError, UserError, ValueError):
            continue


def padding_share(read: TopicSurvey) -> float:
    """Return the share of a topic's bytes that lies between the fields of its points."""
    padding = total = 0
    for message in clouds(read):
        fields, used = fields_apart(message)
        if fields:
            points = len(message.data) // message.point_step
            padding += int(np.count_nonzero(~used)) * points
            total += len(message.data)
    size = sum(map(len, read.sample.values()))
    return min(padding, total) / size if size else 0.0


def points_of(message: Any) -> npt.NDArray[Any]:
    """Return a cloud's points, of shape (points,) or (rows, columns), as they lie.

    Raises UserError where two fields have one name.
    """
    fields, _ = fields_apart(message)
    names = [field.name for field, _ in fields]
    if len(set(names)) < len(names):
        raise UserError("a cloud has two fields of one name; rename one where it is published")
    dtype = np.dtype(
        {
            "names": names,
            "formats": [
                TYPES[field.datatype] if field.count < 2 else (TYPES[field.datatype], field.count)
                for field, _ in fields
            ],
            "offsets": [field.offset for field, _ in fields],
            "itemsize": message.point_step,
        }
    )
    if message.is_bigendian:
        dtype = dtype.newbyteorder(">")
    points = np.frombuffer(message.data, dtype, message.width * message.height)
    points = points.astype(dtype.newbyteorder("<"), copy=False)
    return points if message.height == 1 else points.reshape(message.height, message.width)
