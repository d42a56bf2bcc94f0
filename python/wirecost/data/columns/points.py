# SPDX-License-Identifier: Apache-2.0
"""What the points of a topic's clouds consist of, by the clouds' own fields."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from wirecost._core import RecordPass
from wirecost.data.columns.plan import DATA, POINTS, PointField, PointLayout, column_plan
from wirecost.data.columns.values import leaves, offsets, values
from wirecost.data.messages.subject import Subject
from wirecost.schema.compile.schema import Kind
from wirecost.system.errors import UserError

if TYPE_CHECKING:
    import polars as pl

_TYPES = ("sensor_msgs.PointCloud2", "sensor_msgs.PointField")
_MEMBERS = (
    ["header", "height", "width", "fields", "is_bigendian", "point_step", "row_step", "data",
     "is_dense"],
    ["name", "offset", "datatype", "count"],
)  # fmt: skip
_MOST_GAPS = 16
"""Bytes of points for each of their fields': a short file can ask for any number."""
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


def point_bytes(frame: pl.DataFrame, source: str) -> pl.Series:
    """Return the clouds' ``data`` by their ``points``; what no field covers is zeros.

    Raises UserError where points are not what each cloud's other fields say, or those differ.
    """
    import polars as pl  # noqa: PLC0415  slow to import

    lengths = frame[POINTS].list.len().cast(pl.UInt64)
    step = pl.col("point_step").cast(pl.UInt64)
    sizes = frame.select(
        ((pl.col("height").cast(pl.UInt64) * pl.col("width") != lengths)
         | ((pl.col("height") > 1) & (pl.col("width") * step != pl.col("row_step")))).any()
    )  # fmt: skip
    described = frame.select("fields", "point_step", "is_bigendian").unique(maintain_order=True)
    memory = None if sizes.item() or described.height > 1 else _laid(frame, *described.row(0))
    if memory is None:
        raise UserError(
            f"{source}: {POINTS} are not as width, height, row_step and fields say, or those "
            f"differ between clouds; read the recording with --fields {DATA} and the other fields"
        )
    data = memory.reshape(-1).data
    ends = (lengths.cast(pl.Int64).cum_sum() * memory.shape[1]).to_list()
    rows = [bytes(data[begin:end]) for begin, end in pairwise([0, *ends])]
    return pl.Series(DATA, rows, pl.Binary)


def _laid(
    frame: pl.DataFrame, fields: list[dict[str, Any]], step: int, is_big: bool
) -> npt.NDArray[np.uint8] | None:
    """Return the bytes of all points, a row for each; None where they do not fit the fields."""
    kinds = dict(enumerate(_KINDS, 1))
    if any(
        each is None or None in each.values() or each["datatype"] not in kinds for each in fields
    ):
        return None
    layout = PointLayout(
        tuple(
            PointField(each["name"], each["offset"], kinds[each["datatype"]], each["count"])
            for each in fields
        ),
        step,
        is_big,
    )
    used = sum((each.kind.width or 1) * each.values for each in layout.fields)
    points = frame[POINTS].explode(empty_as_null=False)
    given = {each.name for each in getattr(points.dtype, "fields", ())}
    is_laid = _is_plain(layout) and step <= _MOST_GAPS * (used + _MOST_GAPS)
    if not is_laid or given != {each.name for each in layout.fields}:
        return None
    memory = np.zeros((len(points), step), np.uint8)
    for each in layout.fields:
        column = points.struct.field(each.name)
        if column.dtype.is_nested():
            column = column.explode(empty_as_null=False)
        values, dtype = column.to_numpy(), np.dtype(each.kind.value)
        if column.null_count() or values.dtype != dtype or values.size != len(points) * each.values:
            return None
        ordered = values.astype(dtype.newbyteorder(">" if is_big else "<"))
        end = each.offset + dtype.itemsize * each.values
        memory[:, each.offset : end] = ordered.view(np.uint8).reshape(
            len(points), end - each.offset
        )
    return memory
