# SPDX-License-Identifier: Apache-2.0
"""What the points of a topic's clouds consist of, by the clouds' own fields."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from wirecost._core import RecordPass
from wirecost.data.columns.plan import PointField, PointLayout, column_plan
from wirecost.data.columns.values import leaves, offsets, values
from wirecost.data.messages.subject import Subject
from wirecost.schema.compile.schema import Kind

_TYPES = ("sensor_msgs.PointCloud2", "sensor_msgs.PointField")
_MEMBERS = (
    ["header", "height", "width", "fields", "is_bigendian", "point_step", "row_step", "data",
     "is_dense"],
    ["name", "offset", "datatype", "count"],
)  # fmt: skip
_KINDS = (
    Kind.INT8, Kind.UINT8, Kind.INT16, Kind.UINT16, Kind.INT32, Kind.UINT32, Kind.FLOAT32,
    Kind.FLOAT64,
)  # fmt: skip
"""In the order of PointField's numbers, which begin with 1."""


def is_cloud(subject: Subject) -> bool:
    """Return whether messages are PointCloud2 as ROS defines it."""
    if subject.type != _TYPES[0]:
        return False
    found = [[item.name for item in subject.schema.message(name).fields] for name in _TYPES]
    return found == list(_MEMBERS)


def common_layout(subject: Subject, clouds: Iterable[bytes]) -> PointLayout | None:
    """Return the layout of most of these clouds; None where it is no plain one.

    Plain: each field has a name of its own, a type and values, and no byte is in two of them.
    """
    layouts = Counter(filter(None, (_layout(subject, cloud) for cloud in clouds)))
    if not layouts:
        return None
    [(layout, _)] = layouts.most_common(1)
    return layout if _is_plain(layout) else None


def _layout(subject: Subject, cloud: bytes) -> PointLayout | None:
    plan = column_plan(subject, ["fields", "point_step", "is_bigendian"])
    reading = RecordPass(plan.native)
    size, zero = np.array([len(cloud)], np.uint64), np.zeros(1, np.uint64)
    reading.add(np.frombuffer(cloud, np.uint8), zero, size, np.zeros(1, np.int64), 1, 1)
    batch = reading.take()
    if not batch.rows:
        return None
    of = {leaf.path: leaf for leaf in leaves(plan)}
    texts = values(batch, of["fields.name"]).tobytes()
    ends = offsets(batch, of["fields.name"]).tolist()
    names = [texts[begin:end].decode() for begin, end in pairwise(ends)]
    columns = [values(batch, of[f"fields.{name}"]).tolist() for name in _MEMBERS[1][1:]]
    kinds = dict(enumerate(_KINDS, 1))
    fields = [
        PointField(name, offset, kinds[datatype], count)
        for name, offset, datatype, count in zip(names, *columns, strict=True)
        if datatype in kinds
    ]
    step, is_big = (int(values(batch, of[name])[0]) for name in ("point_step", "is_bigendian"))
    if not fields or len(fields) < len(names):
        return None
    return PointLayout(tuple(fields), step, bool(is_big))


def _is_plain(layout: PointLayout) -> bool:
    end = 0
    for field in sorted(layout.fields, key=lambda field: field.offset):
        if field.offset < end or field.values < 1 or not field.name or "." in field.name:
            return False
        end = field.offset + (field.kind.width or 1) * field.values
    return end <= layout.step and len({field.name for field in layout.fields}) == len(layout.fields)
