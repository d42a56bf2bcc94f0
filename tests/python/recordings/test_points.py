# SPDX-License-Identifier: Apache-2.0
"""Points of clouds as columns: NumPy agrees on every value, and other layouts are said."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pytest
from google.protobuf import descriptor_pb2 as pb
from hypothesis import given, settings
from hypothesis import strategies as st

from recordings.rosbags_messages import encoded, schema, store
from recordings.test_columns import taken
from wirecost import _core
from wirecost.data.columns.plan import ColumnPlan, column_plan
from wirecost.data.columns.points import common_layout
from wirecost.data.columns.values import leaves, offsets, values
from wirecost.data.messages.subject import Subject

NAME = "sensor_msgs/msg/PointCloud2"
TYPES = ["i1", "u1", "i2", "u2", "i4", "u4", "f4", "f8"]


class Cloud(NamedTuple):
    """``fields``: name, offset, datatype, count; ``pad``: bytes behind each line of points."""

    fields: list[tuple[str, int, int, int]]
    step: int
    width: int = 3
    height: int = 1
    pad: int = 0
    is_big: bool = False
    frame: str = "base"

    def message(self, dialect: str = "ros2", order: str = "<", seed: int = 0) -> bytes:
        types = store(dialect).types
        row = self.step * self.width + (self.pad if self.height > 1 else 0)
        data = np.random.default_rng(seed).integers(0, 256, row * self.height, np.uint8)
        stamp = types["builtin_interfaces/msg/Time"](1, 2)
        seq = [7] if dialect == "ros1" else []
        header = types["std_msgs/msg/Header"](*seq, stamp, self.frame)
        fields = [types["sensor_msgs/msg/PointField"](*field) for field in self.fields]
        cloud = types[NAME](
            header, self.height, self.width, fields, self.is_big, self.step, row, data, True
        )
        return encoded(dialect, NAME, cloud, order)

    def expected(self, seed: int = 0) -> np.ndarray[Any, Any]:
        """Return the points by NumPy's own reading of the bytes."""
        row = self.step * self.width + (self.pad if self.height > 1 else 0)
        data = np.random.default_rng(seed).integers(0, 256, row * self.height, np.uint8)
        order = ">" if self.is_big else "<"
        dtype = np.dtype({
            "names": [name for name, *_ in self.fields],
            "formats": [f"({count},){order}{TYPES[kind - 1]}" for _, _, kind, count in self.fields],
            "offsets": [offset for _, offset, *_ in self.fields],
            "itemsize": self.step,
        })  # fmt: skip
        strides = (row, self.step)
        return np.ndarray((self.height, self.width), dtype, data.data, strides=strides).ravel()


@cache
def subject(dialect: str) -> Subject:
    wire = "cdr" if dialect == "ros2" else "ros1"
    return Subject("sensor_msgs.PointCloud2", schema(dialect), pb.FileDescriptorSet(), wire)


def plan_of(messages: Sequence[bytes], dialect: str = "ros2", *fields: str) -> ColumnPlan:
    layout = common_layout(subject(dialect), messages)
    return column_plan(subject(dialect), fields, points=layout)


def agree(batch: _core.RecordBatch, plan: ColumnPlan, known: Sequence[Any]) -> None:
    of = {leaf.path: leaf for leaf in leaves(plan)}
    ends = np.cumsum([0, *map(len, known)])
    assert offsets(batch, of["points"]).tolist() == ends.tolist()
    for name in known[0].dtype.names:
        read = values(batch, of[f"points.{name}"])
        every = np.concatenate([cloud[name] for cloud in known])
        little = every.astype(every.dtype.newbyteorder("<"))
        assert read.tobytes() == little.tobytes(), name
        assert read.dtype == little.dtype


@st.composite
def clouds(draw: st.DrawFn) -> Cloud:
    at, fields = draw(st.integers(0, 3)), []
    for number in range(draw(st.integers(1, 5))):
        kind, count = draw(st.integers(1, 8)), draw(st.integers(1, 3))
        fields.append((f"f{number}", at, kind, count))
        at += np.dtype(TYPES[kind - 1]).itemsize * count + draw(st.integers(0, 3))
    sizes = (draw(st.integers(0, 4)), draw(st.integers(1, 3)), draw(st.integers(0, 5)))
    step = at + draw(st.integers(0, 4))
    return Cloud(draw(st.permutations(fields)), step, *sizes, draw(st.booleans()))


@pytest.mark.parametrize(("dialect", "order"), [("ros1", "<"), ("ros2", "<"), ("ros2", ">")])
@settings(max_examples=40, deadline=None, derandomize=True)
@given(cloud=clouds())
def test_numpy_agrees_on_every_point(dialect: str, order: str, cloud: Cloud) -> None:
    if cloud.width == 0:
        cloud = cloud._replace(pad=0)
    # The length of a frame's name moves what follows it.
    every = [cloud, cloud._replace(frame="b"), cloud._replace(width=cloud.width + 1)]
    messages = [one.message(dialect, order, seed) for seed, one in enumerate(every)]
    plan = plan_of(messages, dialect)
    reading, batch = taken(plan, messages)
    assert (reading.damaged, reading.pointless) == (0, 0)
    pa.record_batch(batch).validate(full=True)
    agree(batch, plan, [one.expected(seed) for seed, one in enumerate(every)])


XYZ = [("x", 0, 7, 1), ("y", 4, 7, 1), ("z", 8, 7, 1)]
USUAL = Cloud(XYZ, 16)


@pytest.mark.parametrize(
    "other",
    [
        USUAL._replace(step=12),
        USUAL._replace(is_big=True),
        USUAL._replace(fields=XYZ[:2]),
        USUAL._replace(fields=[*XYZ[:2], ("z", 12, 7, 1)]),
        USUAL._replace(fields=[*XYZ[:2], ("z", 8, 6, 1)]),
        USUAL._replace(fields=[*XYZ[:2], ("w", 8, 7, 1)]),
        USUAL._replace(fields=[*XYZ[:2], ("z", 8, 7, 2)]),
    ],
)
def test_a_cloud_of_another_layout_is_null_and_counted(other: Cloud) -> None:
    messages = [USUAL.message(), other.message(), USUAL.message()]
    for fields in ((), ("points",), ("points.y", "header.stamp")):
        plan = plan_of(messages, "ros2", *fields)
        reading, batch = taken(plan, messages)
        assert (batch.rows, reading.pointless) == (3, 1)
        points = pa.record_batch(batch)["points"]
        assert points.is_null().to_pylist() == [False, True, False]
        expected = USUAL.expected()
        names = ["y"] if "points.y" in fields else ["x", "y", "z"]
        assert [list(point) for point in points[2].as_py()] == [names] * 3
        assert [point["y"] for point in points[2].as_py()] == pytest.approx(
            expected["y"].ravel().tolist(), nan_ok=True
        )
        assert "fields" not in pa.record_batch(batch).schema.names or not fields


@pytest.mark.parametrize("size", [0, 47, 49])
def test_bytes_that_are_no_whole_lines_are_null(size: int) -> None:
    message = USUAL.message()
    at = message.rindex(struct.pack("<II", 48, 48)) + 4
    message = message[:at] + struct.pack("<I", size) + bytes(size) + b"\1"
    reading, batch = taken(plan_of([USUAL.message()]), [message])
    assert (batch.rows, reading.pointless, reading.damaged) == (1, 1, 0)


@pytest.mark.parametrize(
    "fields",
    [
        [("x", 0, 7, 1), ("y", 3, 7, 1)],
        [("x", 0, 7, 1), ("x", 4, 7, 1)],
        [("x", 0, 9, 1)],
        [("x", 0, 7, 0)],
        [("x", 13, 7, 1)],
        [("", 0, 7, 1)],
        [],
    ],
)
def test_fields_that_are_not_plain_leave_the_bytes(fields: list[Any]) -> None:
    messages = [USUAL._replace(fields=fields).message()]
    plan = plan_of(messages)
    _, batch = taken(plan, messages)
    (data,) = pa.record_batch(batch)["data"]
    assert len(data.as_py()) == 48


def test_other_fields_are_read_without_points() -> None:
    messages = [USUAL.message()]
    _, batch = taken(plan_of(messages, "ros2", "header.stamp", "width"), messages)
    assert pa.record_batch(batch).schema.names == ["log_time", "header", "width"]


def test_the_bytes_are_there_where_they_are_asked_for() -> None:
    _, batch = taken(plan_of([USUAL.message()], "ros2", "data"), [USUAL.message()])
    assert pa.record_batch(batch).schema.names == ["log_time", "data"]
