# SPDX-License-Identifier: Apache-2.0
"""Points within the bytes of a ``sensor_msgs/PointCloud2``."""

from __future__ import annotations

from typing import Any

from google.protobuf.message import DecodeError

from wirecost.measure.cost.survey import TopicSurvey

TYPE = "PointCloud2"
WIDTHS = (0, 1, 1, 2, 2, 4, 4, 4, 8)
"""Bytes of a field's values by its number in ``sensor_msgs/PointField``; 0: there is none."""


def is_cloud(type_name: str) -> bool:
    return type_name.rpartition("/")[2] == TYPE


def clouds(read: TopicSurvey) -> list[Any]:
    """Return those messages of the sample that are whole clouds, as Google's classes."""
    if read.subject is None or not is_cloud(read.connection.type):
        return []
    found = []
    for data in read.sample.values():
        try:
            message = read.subject.read(data, read.connection.wire)
        except (DecodeError, ValueError):
            continue
        if message.point_step and len(message.data) >= message.width * message.point_step:
            found.append(message)
    return found


def padding_share(read: TopicSurvey) -> float:
    """Return the share of a topic's bytes that lies between the fields of its points."""
    padding = total = 0
    for message in clouds(read):
        used: set[int] = set()
        for field in message.fields:
            width = WIDTHS[field.datatype] if field.datatype < len(WIDTHS) else 0
            size = width * max(1, field.count)
            if field.offset + size <= message.point_step:
                used.update(range(field.offset, field.offset + size))
        if not used:
            continue
        points = len(message.data) // message.point_step
        padding += (message.point_step - len(used)) * points
        total += message.ByteSize()
    return padding / total if total else 0.0
