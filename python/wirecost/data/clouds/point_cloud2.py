# SPDX-License-Identifier: Apache-2.0
"""Points within the bytes of a ``sensor_msgs/PointCloud2``, of whatever library's class."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from wirecost.data.clouds.packed import TYPES, Layout
from wirecost.data.clouds.scan import MOST_FIELDS, Points
from wirecost.system.errors import UserError
from wirecost.system.foreign import shown


def is_cloud(type_name: str) -> bool:
    """Return whether a type is PointCloud2, of ROS 1 or ROS 2."""
    return type_name.rpartition("/")[2] == "PointCloud2"


def layout_of_message(message: Any) -> Layout:
    """Return how a cloud says that its points lie. Raises UserError where it contradicts itself."""
    if len(message.fields) > MOST_FIELDS:
        raise UserError(f"{len(message.fields):,} fields; clouds have {MOST_FIELDS} at most")
    fields = []
    for field in message.fields:
        name, count = shown(field.name, 30), max(1, field.count)
        if not 1 <= field.datatype <= len(TYPES):
            raise UserError(f"field {name} has datatype {field.datatype}; PointField has 1 to 8")
        if field.offset + width_of(field) > message.point_step:
            raise UserError(f"field {name} ends outside its point; mend what publishes it")
        fields.append((field.name, field.offset, field.datatype, count))
    layout = Layout(message.height, message.width, message.point_step, fields)
    row, size = message.width * message.point_step, len(message.data)
    rows_fit = message.height * message.row_step == size and row <= message.row_step
    if not rows_fit or (size and not row):
        raise UserError(
            f"{size:,} bytes are not those of {message.height:,} × {message.width:,} points of "
            f"{message.point_step:,} bytes; mend what publishes it"
        )
    return layout


def width_of(field: Any) -> int:
    """Return the bytes of a field's values; 0 for a type that PointField has not."""
    if not 1 <= field.datatype <= len(TYPES):
        return 0
    return int(TYPES[field.datatype - 1][1]) * max(1, int(field.count))


def bytes_of_points(message: Any, layout: Layout) -> npt.NDArray[np.uint8]:
    """Return the bytes of a cloud's points, without those between rows."""
    data = np.frombuffer(message.data, np.uint8)
    rows = data.reshape(layout.height, -1)[:, : layout.width * layout.step] if data.size else data
    return np.ascontiguousarray(rows).reshape(-1)


def points_of(message: Any) -> Points:
    """Return a cloud's points, little-endian, of shape (points,) or (rows, columns), as they lie.

    Raises UserError where the cloud contradicts itself, and where two fields have one name.
    """
    layout = layout_of_message(message)
    points = layout.points(bytes_of_points(message, layout))
    if not message.is_bigendian:
        return points
    return points.view(points.dtype.newbyteorder(">")).astype(points.dtype)


def fields_apart(message: Any) -> tuple[list[tuple[Any, int]], npt.NDArray[np.bool_]]:
    """Return a cloud's fields with their ends, and which bytes of a point they have.

    A field that lies over another one, or outside its point, is left out.
    """
    used = np.zeros(message.point_step, np.bool_)  # a point is no larger than the data
    fields = []
    for field in message.fields:
        end = field.offset + width_of(field)
        if end > field.offset and end <= message.point_step and not used[field.offset : end].any():
            used[field.offset : end] = True
            fields.append((field, end))
    return fields, used


def remove_padding(message: Any) -> bool:
    """Let a cloud's points have the bytes of their fields alone; return whether there were others.

    A cloud that contradicts itself, that is empty, or whose fields overlap stays as it is.
    """
    try:
        layout = layout_of_message(message)
    except UserError:
        return False
    if layout.step > len(message.data):  # without a point, its step is any number
        return False
    fields, used = fields_apart(message)
    data = bytes_of_points(message, layout)
    is_packed = used.all() and len(data) == len(message.data)  # nor is anything between rows
    if is_packed or len(fields) < len(message.fields):
        return False
    points = data.reshape(-1, layout.step)
    new_offsets: list[int] = (np.cumsum(used) - used).tolist()
    for field in message.fields:
        field.offset = new_offsets[field.offset]
    message.data = points[:, used].tobytes()
    message.point_step = int(used.sum())
    message.row_step = message.width * message.point_step
    return True
