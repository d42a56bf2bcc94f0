# SPDX-License-Identifier: Apache-2.0
"""Messages as columns: rosbags agrees on every value, and nothing is lost in silence."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from google.protobuf import descriptor_pb2 as pb
from hypothesis import given, settings
from hypothesis import strategies as st

from recordings.rosbags_messages import (
    RandomValues,
    encoded,
    expected,
    same,
    schema,
    types,
)
from wirecost import _core
from wirecost.data.columns.plan import ColumnPlan, column_plan
from wirecost.data.columns.values import leaves, offsets, values
from wirecost.data.messages.ros.definitions import RosDefinitions
from wirecost.data.messages.subject import Subject
from wirecost.system.errors import UserError

WIRES = {"ros1": "ros1", "ros2": "cdr"}
HEAD = b"\0\1\0\0"


@cache
def plan_of(dialect: str, name: str) -> ColumnPlan:
    dotted = name.replace("/msg/", ".").replace("/", ".")
    return column_plan(Subject(dotted, schema(dialect), pb.FileDescriptorSet(), WIRES[dialect]))


def of_text(
    text: str, dialect: str = "ros2", fields: Sequence[str] = (), **others: str
) -> ColumnPlan:
    texts = {"a/B": text, **{f"a/{name}": other for name, other in others.items()}}
    schema = RosDefinitions(dialect, texts).schema()
    return column_plan(Subject("a.B", schema, pb.FileDescriptorSet(), WIRES[dialect]), fields)


def taken(
    plan: ColumnPlan, messages: Sequence[bytes]
) -> tuple[_core.RecordPass, _core.RecordBatch]:
    """Return the pass over messages in one piece of memory, and its batch."""
    sizes = np.array([len(message) for message in messages], np.uint64)
    begins = (np.cumsum(sizes) - sizes).astype(np.uint64)
    memory = np.frombuffer(b"".join(messages), np.uint8)
    reading = _core.RecordPass(plan.native)
    times = np.arange(len(messages), dtype=np.int64)
    assert reading.add(memory, begins, sizes, times, 1 << 20, 1 << 30) == len(messages)
    return reading, reading.take()


def plain(scalar: Any) -> Any:
    """Return a value of pyarrow's as Python's, times in nanoseconds."""
    if not scalar.is_valid:
        return None
    if isinstance(scalar, pa.StructScalar):
        return {name: plain(field) for name, field in scalar.items()}
    if isinstance(scalar, (pa.LargeListScalar, pa.FixedSizeListScalar)):
        return [plain(element) for element in scalar.values]
    if isinstance(scalar, (pa.TimestampScalar, pa.DurationScalar)):
        return scalar.value
    return scalar.as_py()


def rows(batch: _core.RecordBatch) -> list[dict[str, Any]]:
    array = pa.record_batch(batch)
    array.validate(full=True)
    read = [plain(row) for row in array.to_struct_array()]
    assert [row.pop("log_time") for row in read] == sorted(range(len(read)))
    return read


@pytest.mark.parametrize(("dialect", "order"), [("ros1", "<"), ("ros2", "<"), ("ros2", ">")])
@settings(max_examples=60, deadline=None, derandomize=True)
@given(data=st.data())
def test_rosbags_agrees_on_every_value(dialect: str, order: str, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(types(dialect)))
    seeds = data.draw(st.lists(st.integers(0, 1 << 30), min_size=1, max_size=4))
    agree(dialect, order, name, seeds)


@pytest.mark.thorough
@pytest.mark.parametrize(("dialect", "order"), [("ros1", "<"), ("ros2", "<"), ("ros2", ">")])
def test_rosbags_agrees_over_all_types(dialect: str, order: str) -> None:
    assert len(types("ros1")) + len(types("ros2")) > 200
    for name in types(dialect):
        agree(dialect, order, name, range(5))


def agree(dialect: str, order: str, name: str, seeds: Sequence[int]) -> None:
    messages = [
        encoded(dialect, name, RandomValues(dialect, seed).message(name), order) for seed in seeds
    ]
    reading, batch = taken(plan_of(dialect, name), messages)
    assert (reading.damaged, reading.longer, reading.mended) == (0, 0, 0), name
    for row, message in zip(rows(batch), messages, strict=True):
        known = expected(dialect, name, message)
        assert same(row, known), f"{name}: {row} {known}"


@pytest.mark.parametrize(("dialect", "order"), [("ros1", "<"), ("ros2", "<"), ("ros2", ">")])
def test_messages_that_lie_alike_have_their_own_values(dialect: str, order: str) -> None:
    plan = of_text(
        "uint8 first\nstring name\nbuiltin_interfaces/Time t\nfloat64[9] m\nuint16[] list\n"
        "uint8[] data\nfloat64 last\n" if dialect == "ros2" else
        "uint8 first\nstring name\ntime t\nfloat64[9] m\nuint16[] list\nuint8[] data\n"
        "float64 last\n",
        dialect,
    )  # fmt: skip
    head = {"ros1": b"", "<": HEAD, ">": bytes(4)}["ros1" if dialect == "ros1" else order]
    kinds = "B I5s II 9d I3H I2s d" if dialect == "ros1" else "B3xI5s3xII 9d I3H2xI2s6x d"

    def message(number: int, name: bytes = b"base\0", **other: bytes) -> bytes:
        several = [number + n / 8 for n in range(9)]
        return other.get("head", head) + struct.pack(
            order + kinds, number % 256, 5, name, number, number, *several,
            3, *range(number, number + 3), 2, struct.pack("<H", number), -number,
        )  # fmt: skip

    messages = [message(number) for number in range(200)]
    messages[70] = message(70, b"ba\0e\0")
    messages[90] = message(90)[:-1]
    if dialect == "ros2":
        messages[100] = message(100, head=b"\0\7\0\0")
    reading, batch = taken(plan, messages)
    kept = [number for number in range(200) if number not in {90, 100 if head else 90}]
    assert batch.rows == len(kept) == 200 - reading.damaged - sum(reading.refused.values())
    read = [plain(row) for row in pa.record_batch(batch).to_struct_array()]
    end = "\0" if dialect == "ros1" else ""  # which is part of a text there
    for number, row in zip(kept, read, strict=True):
        assert row == {
            "log_time": number, "first": number % 256,
            "name": ("ba\0e" if number == 70 else "base") + end,
            "t": number * (10**9 + 1), "m": [number + n / 8 for n in range(9)],
            "list": list(range(number, number + 3)), "data": struct.pack("<H", number),
            "last": -number,
        }  # fmt: skip


LISTS = {
    "visualization_msgs/msg/MarkerArray": ("markers", "visualization_msgs/msg/Marker", "id"),
    "nav_msgs/msg/Path": ("poses", "geometry_msgs/msg/PoseStamped", "pose"),
    "diagnostic_msgs/msg/DiagnosticStatus": ("values", "diagnostic_msgs/msg/KeyValue", "key"),
}


def list_message(dialect: str, name: str, pattern: Sequence[int]) -> Any:
    """Return a message whose elements of one number differ at most in a field."""
    elements, of_type, field = LISTS[name]
    random = RandomValues(dialect, 7)
    kinds = [random.message(of_type) for _ in range(max(pattern) + 1)]
    others = [random.message(of_type) for _ in pattern]
    made = [
        replace(kinds[kind], **{field: getattr(other, field)})
        for kind, other in zip(pattern, others, strict=True)
    ]
    return replace(random.message(name), **{elements: made})


@pytest.mark.parametrize(("dialect", "order"), [("ros1", "<"), ("ros2", "<"), ("ros2", ">")])
@pytest.mark.parametrize("name", LISTS)
def test_elements_that_lie_alike_have_their_own_values(dialect: str, order: str, name: str) -> None:
    pattern = [0] * 150 + [1, 0] * 4 + [2] * 5 + [0, 0, 1, 1, 2] * 3
    messages = [
        encoded(dialect, name, list_message(dialect, name, pattern[begin:]), order)
        for begin in (0, 140)
    ]
    reading, batch = taken(plan_of(dialect, name), messages)
    assert (reading.damaged, reading.longer, reading.mended) == (0, 0, 0)
    for row, message in zip(rows(batch), messages, strict=True):
        assert same(row, expected(dialect, name, message))


def test_a_text_of_alike_elements_that_is_no_utf8_is_mended_in_each() -> None:
    plan = of_text("a/C[] list\n", C="int32 number\nstring name\n")
    element = struct.pack("<iI4s", 1, 4, b"a\xffb\0")
    reading, batch = taken(plan, [HEAD + struct.pack("<I", 9) + 9 * element])
    assert reading.mended == 9
    assert rows(batch)[0]["list"] == [{"number": 1, "name": "a\ufffdb"}] * 9


def test_the_checksum_of_chunks_is_that_of_zlib() -> None:
    data = np.random.default_rng(1).integers(0, 256, 1 << 12, np.uint8)
    for size in (*range(200), 1000, 4000):
        for begin in (0, 1, 13):
            part = data[begin : begin + size]
            assert _core.crc32(part) == zlib.crc32(part.tobytes())


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("name", ["visualization_msgs/msg/Marker", "nav_msgs/msg/Path"])
def test_every_cut_of_a_message_is_counted_and_leaves_no_trace(order: str, name: str) -> None:
    made = [
        list_message("ros2", name, [0] * 8) if name in LISTS else
        RandomValues("ros2", seed).message(name) for seed in range(3)
    ]  # fmt: skip
    whole = [encoded("ros2", name, message, order) for message in made]
    cut = [whole[1][:size] for size in range(len(whole[1]) - 3)]
    messages = [whole[0], *cut, whole[2]]
    reading, batch = taken(plan_of("ros2", name), messages)
    assert reading.damaged == len(cut)
    read = [plain(row) for row in pa.record_batch(batch).to_struct_array()]
    assert [row.pop("log_time") for row in read] == [0, len(messages) - 1]
    assert all(
        same(row, expected("ros2", name, whole[n])) for row, n in zip(read, (0, 2), strict=True)
    )


def test_lengths_beyond_the_message_take_no_memory() -> None:
    plan = of_text("C[] list\nstring[] names\nfloat64[] numbers\n", C="string name\n")
    for at in range(3):
        huge = HEAD + struct.pack("<3I", *(0xFFFFFFFF if at == n else 0 for n in range(3)))
        reading, batch = taken(plan, [huge])
        assert (reading.damaged, batch.rows) == (1, 0)


def test_a_message_that_goes_on_is_read_and_counted() -> None:
    plan = of_text("int32 x\n")
    reading, batch = taken(plan, [HEAD + bytes(4) + bytes(rest) for rest in (0, 3, 4, 100)])
    assert (reading.longer, reading.damaged) == (2, 0)
    assert rows(batch) == [{"x": 0}] * 4
    reading, _ = taken(of_text("int32 x\n", "ros1"), [bytes(4), bytes(5)])
    assert reading.longer == 1


def test_other_representations_are_refused() -> None:
    headers = [b"\0\1", b"\0\7", b"\0\7", b"\0\x03", b"\x99\x99"]
    reading, batch = taken(of_text("int32 x\n"), [head + bytes(6) for head in headers])
    assert reading.refused == {7: 2, 3: 1, 0x9999: 1}
    assert batch.rows == 1


def test_a_text_that_is_no_utf8_is_mended_and_counted() -> None:
    message = HEAD + struct.pack("<I", 5) + b"20 \xb0\0"
    reading, batch = taken(of_text("string s\n"), [message])
    assert (rows(batch), reading.mended) == ([{"s": "20 �"}], 1)


@pytest.mark.parametrize("text", [b"", b"a", b"a\0", b"a\0b\0"])
def test_a_text_ends_with_one_nul_or_none(text: bytes) -> None:
    message = HEAD + struct.pack("<I", len(text)) + text
    _, batch = taken(of_text("string s\n"), [message])
    assert rows(batch) == [{"s": text.removesuffix(b"\0").decode()}]


def test_messages_without_fields_have_no_column_and_are_listed() -> None:
    plan = of_text("C empty\nC[] list\nC[2] array\nint8 x\n", C="")
    assert plan.dropped == ["empty", "list", "array"]
    _, batch = taken(plan, [HEAD + b"\0\0\0\0" + struct.pack("<I", 1) + b"\0\0\0\x05"])
    assert rows(batch) == [{"x": 5}]
    plan = of_text("C empty\nC[] list\nC[2] array\nint8 x\n", "ros1", C="")
    _, batch = taken(plan, [struct.pack("<Ib", 0xFFFFFFFF, 5)])
    assert rows(batch) == [{"x": 5}]
    for message in (b"", b"\0"):
        assert rows(taken(of_text(""), [HEAD + message])[1]) == [{}]


def test_times_carry_and_are_counted() -> None:
    plan = of_text("builtin_interfaces/Time t\n", "ros2")
    times = [(1, 999_999_999), (-1, 0), (1, 2_000_000_000)]
    reading, batch = taken(plan, [HEAD + struct.pack("<iI", *time) for time in times])
    assert [row["t"] for row in rows(batch)] == [1_999_999_999, -(10**9), 3 * 10**9]
    assert reading.carried == 1
    _, batch = taken(
        of_text("duration d\ntime t\n", "ros1"), [struct.pack("<iiII", -1, -5, 1 << 31, 7)]
    )
    assert rows(batch) == [{"d": -1_000_000_005, "t": (1 << 31) * 10**9 + 7}]


def test_chosen_fields_have_the_values_that_all_have() -> None:
    name = "nav_msgs/msg/Path"
    messages = [
        encoded("ros2", name, RandomValues("ros2", seed).message(name)) for seed in range(5)
    ]
    subject = Subject("nav_msgs.Path", schema("ros2"), pb.FileDescriptorSet(), "cdr")
    fields = ["header.frame_id", "poses.pose.position.y"]
    some = rows(taken(column_plan(subject, fields), messages)[1])
    for row, whole in zip(some, rows(taken(column_plan(subject), messages)[1]), strict=True):
        ys = [
            {"pose": {"position": {"y": pose["pose"]["position"]["y"]}}} for pose in whole["poses"]
        ]
        assert same(row, {"header": {"frame_id": whole["header"]["frame_id"]}, "poses": ys})
    with pytest.raises(
        UserError, match=r"has no field poses\.z; choose from header, header\.stamp"
    ):
        column_plan(subject, ["poses.z"])


def test_a_definition_that_unfolds_to_too_many_fields_is_refused() -> None:
    others = {f"C{n}": f"C{n + 1}[] a\nC{n + 1}[] b\n" for n in range(40)}
    with pytest.raises(UserError, match="more than 20,000 fields"):
        of_text("C0 c\n", **others, C40="int8 x\n")


def test_numpy_has_the_same_values_as_arrow() -> None:
    plan = of_text(
        "bool[2] flags\nC[2] pairs\nfloat32[] list\nstring s\n", C="int16 x\nuint8[3] id\n"
    )
    messages = [
        HEAD + b"\1\0" + struct.pack("<h3sxh3sx", 1, b"abc", 2, b"def")
        + bytes(2) + struct.pack("<I2f", 2, 1.5, 2.5) + struct.pack("<I2s", 2, b"x\0")
    ] * 3  # fmt: skip
    _, batch = taken(plan, messages)
    assert rows(batch)[0]["pairs"] == [{"x": 1, "id": b"abc"}, {"x": 2, "id": b"def"}]
    by_path = {leaf.path: leaf for leaf in leaves(plan)}
    assert {path: leaf.type for path, leaf in by_path.items()} == {
        "log_time": "datetime64[ns]", "flags": "bool[2]", "pairs.x": "int16[2]",
        "pairs.id": "binary[2][3]", "list": "list of float32", "s": "string",
    }  # fmt: skip
    assert values(batch, by_path["flags"]).tolist() == [[True, False]] * 3
    assert values(batch, by_path["pairs.x"]).tolist() == [[1, 2]] * 3
    assert values(batch, by_path["pairs.id"]).shape == (3, 2, 3)
    assert values(batch, by_path["list"]).tolist() == [1.5, 2.5] * 3
    assert offsets(batch, by_path["list"]).tolist() == [0, 2, 4, 6]
    assert values(batch, by_path["s"]).tobytes() == b"xxx"


def test_a_batch_ends_with_its_rows_or_its_bytes() -> None:
    plan = of_text("uint8[] data\n", "ros1")
    message = struct.pack("<I", 1000) + bytes(1000)
    memory = np.frombuffer(message * 10, np.uint8)
    begins = np.arange(10, dtype=np.uint64) * 1004
    sizes, times = np.full(10, 1004, np.uint64), np.zeros(10, np.int64)
    reading = _core.RecordPass(plan.native)
    assert reading.add(memory, begins, sizes, times, 4, 1 << 20) == 4
    assert reading.add(memory, begins, sizes, times, 4, 1 << 20) == 0
    assert reading.take().rows == 4
    assert reading.add(memory, begins, sizes, times, 100, 2000) == 2
    assert (reading.rows, reading.bytes) == (2, 2008)


def test_a_message_must_lie_in_its_memory() -> None:
    plan = of_text("uint8 x\n", "ros1")
    reading = _core.RecordPass(plan.native)
    begins = np.array([0, 1, 2, (1 << 64) - 1], np.uint64)
    reading.add(np.zeros(1, np.uint8), begins, np.ones(4, np.uint64), np.zeros(4, np.int64), 9, 9)
    assert (reading.rows, reading.damaged) == (1, 3)


def test_polars_takes_a_batch_whose_buffers_outlive_it() -> None:
    _, batch = taken(
        of_text("float64[] x\nuint64 u\n", "ros1"), [struct.pack("<IdQ", 1, 2.5, 2**64 - 1)]
    )
    frame = pl.DataFrame(batch)
    del batch
    assert frame["x"].to_list() == [[2.5]]
    assert frame["u"].to_list() == [2**64 - 1]
