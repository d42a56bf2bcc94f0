# SPDX-License-Identifier: Apache-2.0
"""JSON as columns: Python's own reader agrees on every value, and what is lost is counted."""

from __future__ import annotations

import base64
import json
import math
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import wirecost
from cost.drives import mcap
from recordings.test_columns import rows, taken
from wirecost.cli import app
from wirecost.data.columns.json_types import JsonType, JsonTypes, Shape
from wirecost.data.columns.opened import RecordingWarning
from wirecost.data.columns.plan import ColumnPlan, column_plan
from wirecost.data.columns.values import leaves
from wirecost.system.errors import UserError

TIME = {"type": "integer", "minimum": 0}
SCAN = {
    "title": "mine.Scan",
    "type": "object",
    "properties": {
        "timestamp": {"type": "object", "title": "time", "properties": {"sec": TIME, "nsec": TIME}},
        "age": {"type": "object", "title": "duration", "properties": {"sec": TIME, "nsec": TIME}},
        "frame_id": {"type": "string"},
        "pose": {"$ref": "#/$defs/pose"},
        "step": {"type": "number"},
        "count": TIME,
        "offset": {"type": "integer"},
        "is_dense": {"type": "boolean"},
        "level": {"oneOf": [{"title": "OFF", "const": 0}, {"title": "ON", "const": 1}]},
        "ranges": {"type": "array", "items": {"type": "number"}},
        "fields": {"type": "array", "items": {"properties": {"name": {"type": "string"}}}},
        "data": {"type": "string", "contentEncoding": "base64"},
    },
    "$defs": {"pose": {"type": "object", "properties": {"x": {"type": ["number", "null"]}}}},
}
"""A JSON Schema in the form that Foxglove generates for its types."""
COLUMNS = {
    "log_time": "datetime64[ns]", "timestamp": "datetime64[ns]", "age": "timedelta64[ns]",
    "frame_id": "string", "pose.x": "float64", "step": "float64", "count": "uint64",
    "offset": "int64", "is_dense": "bool", "level": "int64", "ranges": "list of float64",
    "fields.name": "list of string", "data": "binary",
}  # fmt: skip


def scan(number: int) -> dict[str, Any]:
    return {
        "timestamp": {"sec": number, "nsec": 5},
        "age": {"sec": 0, "nsec": number},
        "frame_id": f'übung {number} "\\\n',
        "pose": {"x": number / 3},
        "step": number,
        "count": number,
        "offset": -number,
        "is_dense": number % 2 == 0,
        "level": number % 2,
        "ranges": [number / 7] * (number % 4),
        "fields": [{"name": "x"}, {"name": "y"}],
        "data": base64.b64encode(bytes(range(number))).decode(),
    }


def scanned(number: int) -> dict[str, Any]:
    """Return the row of a scan."""
    stamp = number * 10**9 + 5
    return {
        **scan(number), "timestamp": stamp, "age": number, "step": float(number),
        "data": bytes(range(number)),
    }  # fmt: skip


def recording(
    path: Path, messages: Sequence[bytes], schema: Any = None, topic: str = "/scan"
) -> Path:
    channel = (topic, "json", "mine.Scan", "jsonschema", json.dumps(schema).encode())
    if schema is None:
        channel = (topic, "json", "", "", b"")
    mcap(path, [channel], [(0, at * 10**9, data) for at, data in enumerate(messages)])
    return path


def learnt(values: Sequence[bytes], schema: bytes = b"") -> ColumnPlan:
    types = JsonTypes("a test")
    shape = types.of_schema(schema) or Shape()
    shape.settle()
    types.learn(shape, values)
    shape.kinds = {"object"}
    return column_plan(JsonType("T", shape))


def same(row: Any, value: Any) -> bool:
    """Return whether a row has a value; what JSON lacks is null, values of mixed types are text."""
    if row is None or value is None:
        return row is None and value in (None, {})
    if isinstance(row, str):
        return row == value or same(json.loads(row), value)
    if isinstance(row, dict):
        names = row.keys() - {"\0"}
        return isinstance(value, dict) and all(same(row[name], value.get(name)) for name in names)
    if isinstance(row, list):
        return len(row) == len(value) and all(map(same, row, value))
    if isinstance(row, float):
        return row == float(value) or (math.isnan(row) and math.isnan(value))
    return bool(row == value) and isinstance(row, bool) == isinstance(value, bool)


def has_values(value: Any) -> bool:
    inside = value.values() if isinstance(value, dict) else value
    if isinstance(value, (dict, list)):
        return any(map(has_values, inside))
    return value is not None


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)
NUMBERS = st.integers(-(1 << 65), 1 << 65) | st.floats(allow_nan=True)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(TEXTS, inside, max_size=3),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.sampled_from(["a", "b", "", "a.b", 'q"', "log_time"]), VALUES)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(values=st.lists(OBJECTS, min_size=1, max_size=5), is_ascii=st.booleans())
def test_python_agrees_on_every_value(values: list[dict[str, Any]], is_ascii: bool) -> None:
    texts = [json.dumps(value, ensure_ascii=is_ascii).encode() for value in values]
    plan = learnt(texts)
    reading, batch = taken(plan, texts)
    assert (reading.damaged, reading.unknown, reading.mended) == (0, 0, 0)
    for row, value in zip(json_rows(batch, plan), values, strict=True):
        assert same(row, value), f"{row} {value}"
        assert {name for name, held in value.items() if has_values(held)} <= row.keys()


def json_rows(batch: Any, plan: ColumnPlan) -> list[dict[str, Any]]:
    table = pa.record_batch(batch)
    table.validate(full=True)
    own = plan.parts[1].name
    read: list[dict[str, Any]] = table.drop_columns([own]).to_pylist()
    return read


def test_a_schema_gives_the_types_and_messages_the_values(tmp_path: Path) -> None:
    path = recording(tmp_path / "a.mcap", [json.dumps(scan(n)).encode() for n in range(9)], SCAN)
    with wirecost.open_recording(path) as opened:
        topic = opened["/scan"]
        assert topic.columns == COLUMNS
        table = topic.arrow()
        frame = topic.polars()
        assert topic.numpy("step").tolist() == list(range(9))
        assert topic.numpy("timestamp")[3] == np.datetime64(3_000_000_005, "ns")
        assert topic.select("pose").polars().columns == ["log_time", "pose"]
        assert topic.between(2 * 10**9, 4 * 10**9).numpy("count").tolist() == [2, 3]
    table = table.set_column(1, "timestamp", table["timestamp"].cast(pa.int64()))
    table = table.set_column(2, "age", table["age"].cast(pa.int64()))
    assert table.drop_columns(["log_time"]).to_pylist() == [scanned(n) for n in range(9)]
    assert frame["data"].to_list() == table["data"].to_pylist()


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".npz"])
def test_files_have_what_python_has(tmp_path: Path, suffix: str) -> None:
    path = recording(tmp_path / "a.mcap", [json.dumps(scan(n)).encode() for n in range(9)])
    out = tmp_path / f"out{suffix}"
    result = CliRunner().invoke(app, ["columns", "read", str(path), "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert "9 messages of /scan" in " ".join(result.output.split())
    assert len(result.output.splitlines()) <= 24
    expected = [scan(n) for n in range(9)]
    if suffix == ".npz":
        arrays = np.load(out)
        assert arrays["ranges.offsets"].tolist() == [0, 0, 1, 3, 6, 6, 7, 9, 12, 12]
        assert arrays["timestamp.sec"].tolist() == list(range(9))
        assert arrays["offset"].dtype == np.int64
        return
    frame = pl.read_parquet(out) if suffix == ".parquet" else pl.read_ipc(out)
    assert frame.drop("log_time").to_dicts() == expected


LOST = [
    b"", b"nothing", b"[1]", b"7", b'{"a":1', b'{"a":1} x', b'{"a" 1}', b"{'a':1}", b'{"a":1,}',
    b'{"a":01}', b'{"a":1.}', b'{"b":"\\ud800"}', b'{"b":"\n"}', b'{"a":"1"}', b'{"a":true}',
    b'{"a":1.5}', b'{"a":9223372036854775808}', b'{"b":1}', b'{"c":"a"}', b'{"d":[1,"2"]}',
    b'{"d":{}}', b'{"e":[]}', b'{"z":' + b"[" * 101 + b"]" * 101 + b"}",
    b'{"z":' + b"[" * 100_000 + b"]" * 100_000 + b"}", b'{"t":{"sec":9223372036854775807}}',
    b'\xef\xbb\xbf{"a":1}',
]  # fmt: skip


@pytest.mark.parametrize("data", LOST)
def test_what_is_no_json_or_does_not_fit_has_no_row(data: bytes) -> None:
    members = {
        "a": {"type": "integer"}, "b": {"type": "string"},
        "c": {"type": "string", "contentEncoding": "base64"},
        "d": {"type": "array", "items": {"type": "number"}}, "e": {"properties": {"f": TIME}},
        "t": {"properties": {"sec": TIME, "nsec": TIME}},
    }  # fmt: skip
    plan = learnt([], json.dumps({"properties": members}).encode())
    good = [b'{"a":1,"d":[1],"b":"x"}', b'{"a":2.0,"d":[2],"c":"/w=="}']
    reading, batch = taken(plan, [good[0], data, good[1]])
    assert (reading.damaged, batch.rows) == (1, 2)
    first, second = json_rows(batch, plan)
    assert (first["a"], first["b"], first["d"], first["c"]) == (1, "x", [1.0], None)
    assert (second["a"], second["b"], second["d"], second["c"]) == (2, None, [2.0], b"\xff")


def test_numbers_beyond_json_and_names_that_come_twice() -> None:
    texts = [
        b'{"a":NaN,"b":-Infinity,"c":1e999,"d":1e-999,"e":18446744073709551615,"f":1}',
        b'{"a":1,"b":2,"c":3,"d":4,"e":0,"f":18446744073709551616}',
        b'{"a":1,"a":2,"b":5,"b":null,"g":[1],"g":[2,3],"h":{"i":1,"j":1},"h":{"i":2}}',
    ]
    plan = learnt(texts)
    reading, batch = taken(plan, texts)
    assert reading.damaged == 0
    types = {leaf.path: leaf.type for leaf in leaves(plan) if leaf.part.format}
    assert (types["a"], types["e"], types["f"]) == ("float64", "uint64", "float64")
    one, two, three = json_rows(batch, plan)
    assert math.isnan(one["a"])
    assert (one["b"], one["c"], one["d"]) == (-math.inf, math.inf, 0)
    assert (one["e"], two["f"]) == (2**64 - 1, 2.0**64)
    assert (three["a"], three["b"], three["g"], three["h"]) == (2, None, [2, 3], {"i": 2})
    assert reading.unknown == 1


def test_text_that_is_no_utf8_is_mended_and_names_without_a_column_are_counted() -> None:
    texts = [b'{"a":"\xff","x\\u0000y":1}', b'{"a":"b","t":1}']
    plan = learnt(texts[:1])
    reading, batch = taken(plan, texts)
    assert (reading.mended, reading.unknown, reading.damaged) == (1, 2, 0)
    assert rows(batch) == [{"a": "\ufffd"}, {"a": "b"}]


def test_damaged_bytes_leave_no_trace_in_other_rows() -> None:
    whole = json.dumps(scan(7)).encode()
    chance, spoilt = random.Random(1), []
    for _ in range(300):
        data = bytearray(whole)
        data[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
        spoilt += [bytes(data), whole]
    plan = learnt([whole], json.dumps(SCAN).encode())
    reading, batch = taken(plan, spoilt)
    assert 0 < reading.damaged == len(spoilt) - batch.rows
    (expected,) = json_rows(taken(plan, [whole])[1], plan)
    assert json_rows(batch, plan).count(expected) >= 300


def test_what_would_take_all_memory_is_refused() -> None:
    plan = learnt([json.dumps({"a": [{f"f{n}": 1 for n in range(200)}]}).encode()])
    few = b'{"a":[' + b"{}," * 999 + b"{}]}"
    reading, batch = taken(plan, [few, b'{"a":[' + b"{}," * (1 << 18) + b"{}]}", b"{}"])
    assert (reading.damaged, batch.rows) == (1, 2)
    short = b'{"a":[' + b"{}," * 50_000 + b"{}]}"  # 90 MB in columns
    assert taken(plan, [short])[0].damaged == 1
    often = b"{" + b'"b":{},' * 2000 + b'"b":{}}'  # each removes what the one before it has
    plan = learnt([json.dumps({"b": {f"f{n}": 1 for n in range(2000)}}).encode()])
    reading, batch = taken(plan, [often, b'{"b":{"f0":1},"b":{}}'])
    assert (reading.damaged, batch.rows) == (1, 1)
    names = json.dumps({f"f{n}": 1 for n in range(20_001)}).encode()
    with pytest.raises(UserError, match="its JSON has more than 20,000 fields"):
        learnt([names])
    twice = {f"d{n}": {"properties": {"x": {"$ref": f"#/$defs/d{n + 1}"},
                                      "y": {"$ref": f"#/$defs/d{n + 1}"}}}
             for n in range(60)}  # fmt: skip
    with pytest.raises(UserError, match="its JSON has more than 20,000 fields"):
        learnt([], json.dumps({"$ref": "#/$defs/d0", "$defs": twice}).encode())


def test_a_schema_with_a_value_that_lies_too_deep_is_read() -> None:
    deep: Any = []
    for _ in range(150):
        deep = [deep]
    plan = learnt([], json.dumps({"properties": {"a": {"enum": [1, deep]}}}).encode())
    assert json_rows(taken(plan, [b'{"a":1}'])[1], plan) == [{"a": "1"}]


def test_a_value_in_itself_is_text() -> None:
    tree = {"properties": {"name": {"type": "string"}, "inner": {"$ref": "#"}}}
    text = b'{"name":"a","inner":{"name":"b", "inner":null}}'
    plan = learnt([], json.dumps(tree).encode())
    _, batch = taken(plan, [text])
    (row,) = json_rows(batch, plan)
    assert row["name"] == "a"
    assert json.loads(row["inner"])["name"] == "b"


def test_what_is_lost_is_said_and_other_encodings_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    schema = json.dumps({"properties": {"a": {"type": "integer"}}}).encode()
    mcap(
        path,
        [("/a", "json", "A", "jsonschema", schema), ("/a", "cbor", "A", "", b""),
         ("/b", "json", "B", "jsonschema", b"no schema"), ("/c", "cbor", "C", "", b"")],
        [(0, 0, b'{"a":1}'), (0, 1, b"junk"), (0, 2, b'{"a":2,"b":1}'), (1, 3, b"\0"),
         (2, 4, b'{"x":[1,null,2.5]}'), (3, 5, b"\0")],
    )  # fmt: skip
    said = (
        "1 message has no row: no JSON that fits the columns", "1 field has a name that the type",
        "1 message left out: /a: cbor A",
    )  # fmt: skip
    with wirecost.open_recording(path) as opened:
        with pytest.warns(RecordingWarning) as warned:
            assert opened["/a"].polars()["a"].to_list() == [1, 2]
        texts = " ".join(str(each.message) for each in warned)
        assert all(text in texts for text in said)
        with pytest.warns(RecordingWarning, match="its schema is no JSON Schema"):
            assert opened["/b"].polars()["x"].to_list() == [[1, None, 2.5]]
        with pytest.raises(UserError, match=r"in protobuf, ros1, cdr, json with a schema"):
            opened["/c"].polars()


def test_cost_and_lost_still_count_json_and_price_none(tmp_path: Path) -> None:
    path = recording(tmp_path / "a.mcap", [json.dumps(scan(n)).encode() for n in range(9)], SCAN)
    cost = CliRunner().invoke(app, ["cost", str(path), "--json", "-"])
    assert cost.exit_code == 0, cost.output
    (topic,) = json.loads(cost.stdout)["topics"]
    assert (topic["count"], topic["decode_ns"], topic["unknown"]) == (9, None, "no prices of json")
    lost = CliRunner().invoke(app, ["lost", str(path), "--json", "-"])
    assert lost.exit_code == 0, lost.output
    assert "/scan" in lost.stdout
