# SPDX-License-Identifier: Apache-2.0
"""Messages of Protobuf as columns: Google's library agrees on every field."""

from __future__ import annotations

import math
import os
import random
import struct
from collections.abc import Collection, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from google.protobuf import descriptor_pb2 as pb
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError, Message
from google.protobuf.timestamp_pb2 import Timestamp
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import wirecost
from cost.drives import mcap
from recordings.small import small_recording
from recordings.test_columns import rows, taken
from support.random_protobuf import fill
from support.random_types import TOP, types
from support.traces import messages
from wirecost import _core
from wirecost.cli import app
from wirecost.data.columns.opened import RecordingWarning
from wirecost.data.columns.plan import ColumnPlan, column_plan
from wirecost.data.columns.values import leaves, values
from wirecost.data.messages.subject import Subject, subject
from wirecost.data.traces.messages import schema_of
from wirecost.schema.compile.plan.protobuf import varint
from wirecost.system.errors import UserError

ROOT = Path(__file__).parents[3]
DATA = Path(os.environ.get("WIRECOST_DATA", ROOT.parent / "shared" / "data")) / "osi"
TRACES = sorted([*DATA.glob("*/*.osi"), *DATA.glob("*/*.mcap")])
OSI = ("SensorView", "GroundTruth", "SensorData")
Field = pb.FieldDescriptorProto


def known(message: Message, columns: Collection[str], path: str = "") -> dict[str, Any]:
    """Return a message as Google's library reads it, as a row is: null where a field is absent.

    ``columns``: paths of the fields that have some.
    """
    row: dict[str, Any] = {}
    for item in message.DESCRIPTOR.fields:
        below = f"{path}.{item.name}".lstrip(".")
        if below not in columns:
            continue
        held = getattr(message, item.name)
        if item.message_type and item.message_type.GetOptions().map_entry:
            value = item.message_type.fields_by_name["value"]
            row[item.name] = Entries(
                (key, _value(held[key], value, columns, f"{below}.value"))
                for key in held
                if f"{below}.value" in columns
            )
        elif item.is_repeated:
            row[item.name] = [_value(each, item, columns, below) for each in held]
        elif item.has_presence and not message.HasField(item.name):
            row[item.name] = None
        else:
            row[item.name] = _value(held, item, columns, below)
    return row


def _value(held: Any, item: FieldDescriptor, columns: Collection[str], path: str) -> Any:
    if item.enum_type:
        named = item.enum_type.values_by_number.get(held)
        return named.name if named else str(held)
    return known(held, columns, path) if item.message_type else held


def columns_of(plan: ColumnPlan) -> set[str]:
    steps = [leaf.path.split(".") for leaf in leaves(plan)]
    return {".".join(path[:size]) for path in steps for size in range(1, len(path) + 1)}


class Entries(dict[Any, Any]):
    """A map."""


def same(row: Any, other: Any) -> bool:
    """Return whether two rows are equal; of a map's entries the last one of a key counts."""
    if isinstance(other, Entries):
        entries = {entry["key"]: entry["value"] for entry in row if "value" in entry}
        return entries.keys() == other.keys() and all(
            same(entries[key], other[key]) for key in entries
        )
    if isinstance(row, dict) and isinstance(other, dict):
        return row.keys() == other.keys() and all(same(row[name], other[name]) for name in row)
    if isinstance(row, list):
        return len(row) == len(other) and all(map(same, row, other))
    if isinstance(row, float) and isinstance(other, float):
        both_nan = math.isnan(row) and math.isnan(other)
        return both_nan or struct.pack("<d", row) == struct.pack("<d", other)
    return type(row) is type(other) and bool(row == other)


def agree(about: Subject, data: Sequence[bytes]) -> None:
    plan = column_plan(about)
    reading, batch = taken(plan, data)
    assert (reading.damaged, reading.mended) == (0, 0)
    columns = columns_of(plan)
    for row, each in zip(rows(batch), data, strict=True):
        expected = known(about.read(each), columns)
        assert same(row, expected), f"{row} {expected}"


def of_fields(*fields: pb.FieldDescriptorProto, syntax: str = "proto2") -> Subject:
    file = pb.FileDescriptorProto(name="a.proto", package="a", syntax=syntax)
    message = file.message_type.add(name="B", field=fields)
    if any(field.HasField("oneof_index") for field in fields):
        message.oneof_decl.add(name="choice")
    return subject(pb.FileDescriptorSet(file=[file]), "a test", "a.B")


def field(number: int, kind: int, name: str = "", **others: Any) -> pb.FieldDescriptorProto:
    others.setdefault("label", Field.LABEL_OPTIONAL)
    return pb.FieldDescriptorProto(name=name or f"f{number}", number=number, type=kind, **others)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(descriptors=types(), seeds=st.lists(st.integers(0, 1 << 30), min_size=1, max_size=4))
def test_google_agrees_on_every_field(descriptors: pb.FileDescriptorSet, seeds: list[int]) -> None:
    about = subject(descriptors, "a test", TOP)
    parts = [
        fill(about.message_class(), random.Random(seed)).SerializePartialToString()
        for seed in seeds
    ]
    # Two messages in one: the last value of a field counts, messages merge, lists go on.
    agree(about, [*parts, b"".join(parts), b""])


def test_fields_that_come_packed_and_not_are_one_list() -> None:
    one, two = (
        of_fields(
            *(field(n, kind, label=3, options=pb.FieldOptions(packed=is_packed))
              for n, kind in enumerate((13, 17, 8, 1, 7), 1))
        )
        for is_packed in (False, True)
    )  # fmt: skip
    parts = [
        fill(about.message_class(), random.Random(seed)).SerializeToString()
        for about in (one, two)
        for seed in range(9)
    ]
    for about in (one, two):
        agree(about, [*parts, b"".join(parts)])


@pytest.mark.parametrize("name", OSI)
def test_google_agrees_on_random_messages_of_osi(name: str) -> None:
    data = [
        fill(osi(name).message_class(), random.Random(seed), depth=6).SerializeToString()
        for seed in range(6)
    ]
    agree(osi(name), data)


@pytest.mark.skipif(not TRACES, reason=f"no traces in {DATA}; set WIRECOST_DATA")
@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.name)
def test_google_agrees_on_messages_of_a_trace(path: Path) -> None:
    by_type: dict[str, list[bytes]] = {}
    for name, data in messages(path):
        by_type.setdefault(name, []).append(data)
    for name in set(by_type) & set(OSI):
        data = by_type[name]
        agree(osi(name), data[:: len(data) // 20 + 1])


@cache
def osi(name: str) -> Subject:
    return subject(pb.FileDescriptorSet.FromString(schema_of(name)), "OSI", f"osi3.{name}")


def test_every_cut_of_a_message_is_read_or_refused_as_google_does() -> None:
    about = osi("SensorView")
    whole = fill(about.message_class(), random.Random(5), depth=3).SerializeToString()[:4000]
    cuts = [whole[:size] for size in range(len(whole))]
    readable = []
    for cut in cuts:
        try:
            readable.append(about.read(cut))
        except DecodeError:
            continue
    plan = column_plan(about)
    reading, batch = taken(plan, cuts)
    assert 0 < len(readable) == batch.rows == len(cuts) - reading.damaged
    columns = columns_of(plan)
    for row, message in zip(_rows(batch), readable, strict=True):
        assert same(row, known(message, columns))


def _rows(batch: Any) -> list[dict[str, Any]]:
    return pl.DataFrame(batch).drop("log_time").to_dicts()


def test_damaged_bytes_leave_no_trace_in_other_rows() -> None:
    about = osi("GroundTruth")
    whole = fill(about.message_class(), random.Random(3), depth=4).SerializeToString()
    chance = random.Random(1)
    spoilt = []
    for _ in range(60):
        message = bytearray(whole)
        message[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
        spoilt += [bytes(message), whole]
    plan = column_plan(about)
    reading, batch = taken(plan, spoilt)
    assert reading.damaged > 0
    assert batch.rows == len(spoilt) - reading.damaged
    expected = known(about.read(whole), columns_of(plan))
    assert sum(same(row, expected) for row in _rows(batch)) >= 60


@pytest.mark.parametrize(
    "data",
    [
        b"\x08" + b"\xff" * 10 + b"\1",
        b"\x08\xff",
        b"\x12\x05abcd",
        b"\x12\xff\xff\xff\xff\x7f",
        b"\x00\x00",
        b"\x0b\x08\x01",
        b"\x0c",
        b"\x0e\0",
        b"\x1b" * 200 + b"\x1c" * 200,
        b"\x22\x05\0\0\0\0\0",
    ],
)
def test_what_is_no_message_has_no_row(data: bytes) -> None:
    about = of_fields(
        field(1, Field.TYPE_INT32), field(2, Field.TYPE_STRING),
        field(4, Field.TYPE_FLOAT, label=3, options=pb.FieldOptions(packed=True)),
    )  # fmt: skip
    reading, batch = taken(column_plan(about), [b"\x08\x01", data, b"\x12\x01a"])
    assert (reading.damaged, batch.rows) == (1, 2)
    ours = [(row["f1"], row["f2"]) for row in _rows(batch)]
    assert ours == [(1, None), (None, "a")]
    with pytest.raises(DecodeError):
        about.read(data)


def test_few_bytes_do_not_become_many_rows() -> None:
    """An element of two bytes has a row of all its fields, of which a message has no end."""
    about = osi("GroundTruth")
    number = about.message_class.DESCRIPTOR.fields_by_name["moving_object"].number
    element = varint(number << 3 | 2) + b"\0"
    reading, batch = taken(column_plan(about), [element * 1000, element * (1 << 20), b""])
    assert reading.damaged == 1
    assert [len(row["moving_object"]) for row in _rows(batch)] == [1000, 0]


def test_a_batch_counts_the_bytes_of_its_columns() -> None:
    reading = _core.RecordPass(column_plan(osi("GroundTruth")).native)
    empty, times = np.zeros(9, np.uint64), np.zeros(9, np.int64)
    assert reading.add(np.zeros(1, np.uint8), empty, empty, times, 1 << 20, 100) == 1
    assert (reading.rows, reading.bytes > 100) == (1, True)


def test_unknown_fields_are_skipped_and_counted() -> None:
    about = of_fields(field(1, Field.TYPE_INT32))
    others = [b"\x10\1", b"\x19" + bytes(8), b"\x22\1x", b"\x2b\x08\1\x2c", b"\x35" + bytes(4)]
    other_type = b"\x0a\1x"
    reading, batch = taken(column_plan(about), [b"".join([*others, b"\x08\7", other_type])])
    assert (reading.unknown, reading.damaged) == (6, 0)
    assert rows(batch) == [{"f1": 7}]


def test_of_a_oneof_the_last_member_stays_and_nothing_of_others() -> None:
    about = of_fields(
        field(1, Field.TYPE_STRING, oneof_index=0), field(2, Field.TYPE_DOUBLE, oneof_index=0),
        field(3, Field.TYPE_MESSAGE, type_name=".a.B", oneof_index=0),
        field(4, Field.TYPE_INT32),
        syntax="proto3",
    )  # fmt: skip
    text, number, empty = b"\x0a\2ab", b"\x11" + struct.pack("<d", 1.5), b"\x1a\0"
    data = [text + number, number + text, text + number + text, text + empty, empty + number]
    plan = column_plan(about)
    assert plan.cut == ["f3"]
    _, batch = taken(plan, data)
    assert [(row["f1"], row["f2"]) for row in rows(batch)] == [
        (None, 1.5), ("ab", None), ("ab", None), (None, None), (None, 1.5),
    ]  # fmt: skip
    _, batch = taken(column_plan(about, ["f1"]), data)
    assert [row["f1"] for row in rows(batch)] == [None, "ab", "ab", None, None]


def test_members_of_a_oneof_that_come_in_turn_without_end_are_refused() -> None:
    others = [field(n, Field.TYPE_INT32) for n in range(3, 2000)]
    about = of_fields(*(field(n, Field.TYPE_BOOL, oneof_index=0) for n in (1, 2)), *others)
    turn = b"\x08\1\x10\1"
    reading, batch = taken(column_plan(about, ["f1", "f2"]), [turn * 20_000, turn * 3])
    assert (reading.damaged, batch.rows) == (1, 1)


def test_a_map_of_a_recording_is_read(tmp_path: Path) -> None:
    file = pb.FileDescriptorProto(name="a.proto", package="a", syntax="proto3")
    message = file.message_type.add(name="B")
    entry = message.nested_type.add(name="MEntry", options=pb.MessageOptions(map_entry=True))
    entry.field.extend(
        [
            field(1, Field.TYPE_STRING, "key"),
            field(2, Field.TYPE_MESSAGE, "value", type_name=".a.B"),
        ]
    )
    message.field.append(field(1, Field.TYPE_MESSAGE, "m", label=3, type_name=".a.B.MEntry"))
    definition = pb.FileDescriptorSet(file=[file]).SerializeToString()
    path = tmp_path / "a.mcap"
    mcap(path, [("/m", "protobuf", "a.B", "protobuf", definition)], [(0, 1, b"\x0a\3\x0a\1k")])
    with wirecost.open_recording(path) as opened, pytest.warns(RecordingWarning, match="in itself"):
        (row,) = opened["/m"].polars().rows(named=True)
    assert row["m"] == [{"key": "k"}]


def test_enums_with_very_many_names_are_refused() -> None:
    file = pb.FileDescriptorProto(name="a.proto", package="a", syntax="proto3")
    values = [pb.EnumValueDescriptorProto(name=f"V{n}", number=n) for n in range(1000)]
    file.enum_type.add(name="E", value=values)
    file.message_type.add(
        name="B", field=[field(n, Field.TYPE_ENUM, type_name=".a.E") for n in range(1, 202)]
    )
    about = subject(pb.FileDescriptorSet(file=[file]), "a test", "a.B")
    with pytest.raises(UserError, match="more than 200,000 names together; choose some --fields"):
        column_plan(about)
    _, batch = taken(column_plan(about, ["f7"]), [b"\x38\7"])
    assert rows(batch) == [{"f7": "V7"}]


def test_absent_is_null_where_protobuf_can_tell_and_else_the_default() -> None:
    fields = [field(1, Field.TYPE_INT32, default_value="7"), field(2, Field.TYPE_STRING)]
    _, batch = taken(column_plan(of_fields(*fields)), [b""])
    assert rows(batch) == [{"f1": None, "f2": None}]
    fields[0].ClearField("default_value")
    plan = column_plan(of_fields(*fields, syntax="proto3"))
    reading, batch = taken(plan, [b"", b"\x12\2\xff\xfe"])
    assert rows(batch) == [{"f1": 0, "f2": ""}, {"f1": 0, "f2": "\ufffd\ufffd"}]
    assert reading.mended == 1
    first = next(leaf for leaf in leaves(plan) if leaf.path == "f1")
    assert values(batch, first).tolist() == [0, 0]


def test_chosen_fields_have_the_values_that_all_have() -> None:
    about = osi("GroundTruth")
    data = [
        fill(about.message_class(), random.Random(seed), depth=5).SerializeToString()
        for seed in range(4)
    ]
    fields = ["timestamp.nanos", "moving_object.base.position", "host_vehicle_id"]
    some = rows(taken(column_plan(about, fields), data)[1])
    for row, whole in zip(some, rows(taken(column_plan(about), data)[1]), strict=True):
        stamp, objects = whole["timestamp"], whole["moving_object"]
        assert same(row, {
            "timestamp": stamp and {"nanos": stamp["nanos"]},
            "moving_object": [
                {"base": each["base"] and {"position": each["base"]["position"]}}
                for each in objects
            ],
            "host_vehicle_id": whole["host_vehicle_id"],
        })  # fmt: skip
    with pytest.raises(UserError, match=r"has no field timestamp\.x; choose from version"):
        column_plan(about, ["timestamp.x"])


def stamps(path: Path, numbers: Sequence[int]) -> Path:
    descriptor = pb.FileDescriptorProto()
    Timestamp.DESCRIPTOR.file.CopyToProto(descriptor)
    definition = pb.FileDescriptorSet(file=[descriptor]).SerializeToString()
    channel = ("/t", "protobuf", "google.protobuf.Timestamp", "protobuf", definition)
    data = [
        (0, n * 10**9, Timestamp(seconds=number, nanos=n).SerializeToString())
        for n, number in enumerate(numbers)
    ]
    mcap(path, [channel], [*data, (0, 99 * 10**9, b"\x08")])
    return path


def test_a_recording_has_its_messages_and_says_what_is_lost(tmp_path: Path) -> None:
    path = stamps(tmp_path / "a.mcap", range(20))
    lost = r"1 message has no row: no google\.protobuf\.Timestamp, or too large"
    with wirecost.open_recording(path) as opened, pytest.warns(RecordingWarning, match=lost):
        frame = opened["/t"].polars()
        assert opened["/t"].columns == {
            "log_time": "datetime64[ns]", "seconds": "int64", "nanos": "int32",
        }  # fmt: skip
        assert opened["/t"].between(3 * 10**9, 5 * 10**9).numpy("seconds").tolist() == [3, 4]
    assert frame["seconds"].to_list() == frame["nanos"].to_list() == list(range(20))


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".npz"])
def test_a_trace_of_osi_becomes_a_file(tmp_path: Path, suffix: str) -> None:
    path, out = small_recording(tmp_path, "osi"), tmp_path / f"out{suffix}"
    words = ["columns", "read", str(path), "--out", str(out)]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    assert "3 messages of SensorView" in " ".join(result.output.split())
    assert len(result.output.splitlines()) <= 24
    if suffix == ".parquet":
        frame = pl.read_parquet(out)
        assert frame["timestamp"].struct.field("seconds").to_list() == [0, 1, 2]
        assert frame["mounting_position"].null_count() == 3
    elif suffix == ".arrow":
        assert pl.read_ipc(out)["version"].to_list()[2]["version_major"] == 3


def enums(path: Path) -> Path:
    """Write a recording of every number that an enum can have on the wire, and of none."""
    file = pb.FileDescriptorProto(name="a.proto", package="a", syntax="proto3")
    file.enum_type.add(name="E", value=[
        pb.EnumValueDescriptorProto(name=name, number=number)
        for name, number in (("ZERO", 0), ("LOW", -5), ("HIGH", 1 << 30), ("ALIAS", 0))
    ]).options.allow_alias = True  # fmt: skip
    message = file.message_type.add(name="B")
    common: dict[str, Any] = {"kind": Field.TYPE_ENUM, "type_name": ".a.E"}
    message.field.extend([
        field(1, **common), field(2, **common, label=3),
        field(3, **common, proto3_optional=True, oneof_index=0),
    ])  # fmt: skip
    message.oneof_decl.add(name="_f3")
    definition = pb.FileDescriptorSet(file=[file])
    made = subject(definition, "a test", "a.B").message_class
    numbers = [0, -5, 1 << 30, 7, -(1 << 31), (1 << 31) - 1]
    data = [made(f1=number, f2=numbers[: at + 1], f3=number) for at, number in enumerate(numbers)]
    mcap(
        path,
        [("/e", "protobuf", "a.B", "protobuf", definition.SerializeToString())],
        [(0, at, each.SerializeToString()) for at, each in enumerate([*data, made()])],
    )
    return path


NAMES = ["ZERO", "LOW", "HIGH", "7", str(-(1 << 31)), str((1 << 31) - 1)]


def test_enums_are_names_and_an_unknown_number_is_not_lost(tmp_path: Path) -> None:
    path, out = enums(tmp_path / "a.mcap"), tmp_path / "out"
    with wirecost.open_recording(path) as opened:
        topic = opened["/e"]
        assert topic.columns["f1"] == "enum"
        arrow, frame = topic.arrow(), topic.polars()
        numbers = topic.numpy("f1")
        several = [row for batch in topic.batches(2) for row in pl.DataFrame(batch)["f1"].to_list()]
        chosen = topic.select("f1").polars().columns
    expected = [(name, NAMES[: at + 1], name) for at, name in enumerate(NAMES)]
    expected.append(("ZERO", [], None))
    assert pa.types.is_dictionary(arrow.schema.field("f1").type)
    assert [(row["f1"], row["f2"], row["f3"]) for row in arrow.to_pylist()] == expected
    assert frame.drop("log_time").rows() == expected
    assert several == [*NAMES, "ZERO"]
    assert (numbers.dtype, numbers.tolist()[3:5]) == (np.int32, [7, -(1 << 31)])
    assert chosen == ["log_time", "f1"]
    for suffix in (".parquet", ".arrow", ".npz"):
        words = ["columns", "read", str(path), "--out", str(out.with_suffix(suffix))]
        assert CliRunner().invoke(app, words).exit_code == 0
    for written in (pl.read_parquet(f"{out}.parquet"), pl.read_ipc(f"{out}.arrow")):
        assert written.drop("log_time").rows() == expected
    assert np.load(f"{out}.npz")["f2"].tolist()[:3] == [0, 0, -5]
    by_duckdb = duckdb.sql(f"SELECT f1, f2, f3 FROM '{out}.parquet'").fetchall()
    assert by_duckdb == expected
    assert duckdb.sql("SELECT f1, f2, f3 FROM arrow").fetchall() == expected
