# SPDX-License-Identifier: Apache-2.0
"""``PointCloud2`` to ``CompressedPointCloud2`` and back, as classes of rosbags."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from wirecost.data.clouds.conversion import Wanted, check_errors, check_memory
from wirecost.data.clouds.packed import (
    Layout,
    errors_by_field,
    errors_made,
    layout_of,
    pack,
    unpack,
)
from wirecost.data.clouds.point_cloud2 import bytes_of_points, layout_of_message
from wirecost.system.errors import UserError
from wirecost.system.foreign import shown

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
        raise UserError("its points are big-endian, which packed clouds are not")
    layout = layout_of_message(cloud)
    data = bytes_of_points(cloud, layout)
    allowed = errors_by_field(wanted.error, [name for name, *_ in layout.fields])
    packed = pack(data, layout, allowed, wanted.quick)
    came_back = unpack(packed, layout_of(packed))
    errors = errors_made(layout.points(data), layout.points(came_back))
    check_errors(errors, allowed)
    types = store(CDR).types
    message = types[PACKED](
        header=_header(cloud.header),
        height=cloud.height,
        width=cloud.width,
        fields=[
            types["sensor_msgs/msg/PointField"](
                point_field.name, point_field.offset, point_field.datatype, point_field.count
            )
            for point_field in cloud.fields
        ],
        is_bigendian=False,
        point_step=cloud.point_step,
        row_step=cloud.row_step,
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
    row = layout.width * layout.step
    row_step = max(message.row_step, row)
    if layout.height * row_step > wanted.memory:
        raise UserError(f"rows of {row_step:,} bytes; allow them by --memory")
    data = np.zeros((layout.height, row_step), np.uint8)
    data[:, :row] = unpack(packed, layout).reshape(layout.height, row)
    types = store(CDR).types
    cloud = types[CLOUD](
        header=message.header,
        height=layout.height,
        width=layout.width,
        fields=message.fields,
        is_bigendian=False,
        point_step=layout.step,
        row_step=row_step,
        data=data.reshape(-1),
        is_dense=message.is_dense,
    )
    if layout_of_message(cloud).fields != layout.fields:
        raise UserError("its fields are not those of its packed points; pack the cloud again")
    return cloud, layout


def _header(header: Any) -> Any:
    """Return a header as ROS 2 has it, which has no number."""
    types = store(CDR).types
    time = types["builtin_interfaces/msg/Time"](header.stamp.sec, header.stamp.nanosec)
    return types["std_msgs/msg/Header"](time, header.frame_id)
