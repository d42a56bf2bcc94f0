# SPDX-License-Identifier: Apache-2.0
"""The programs that fill and read columns in place carry every kind of field."""

from __future__ import annotations

import random
import re
import shutil
import struct
from collections.abc import Sequence
from pathlib import Path

import pytest
from osi3.osi_sensorview_pb2 import SensorView

from wirecost.data.messages import fields
from wirecost.data.messages.content import made_up
from wirecost.data.messages.content_file import write_content
from wirecost.data.messages.subject import Subject, subject
from wirecost.measure.bench.message.advice.columns import long_lists
from wirecost.measure.serializers.choices import COLUMNS
from wirecost.measure.serializers.cpp.backend import Cpp
from wirecost.measure.serializers.cpp.sources import generate
from wirecost.measure.serializers.java import backend as java_backend
from wirecost.measure.serializers.java import columns_code
from wirecost.measure.serializers.java.backend import Java
from wirecost.measure.serializers.python.backend import Python
from wirecost.measure.serializers.race import RacePart, verify_all
from wirecost.measure.serializers.selection import ContenderSelection
from wirecost.schema.compile import frontends

ITEM = """
enum Color { NONE = 0; RED = 1; BLUE = -5; }
message Inner { double a = 1; optional float b = 2; string label = 3; repeated sint32 numbers = 4;
  bytes raw = 5; }
message Leaf { bool on = 1; bytes data = 2; repeated string words = 3; }
message Item {
  double x = 1; optional double ox = 2; bool flag = 3; optional bool oflag = 4;
  Color color = 5; optional Color ocolor = 6; string name = 7; optional string oname = 8;
  bytes raw = 9; Inner inner = 10; repeated float floats = 11; repeated bool flags = 12;
  repeated Color colors = 13; repeated string words = 14; repeated Leaf leaves = 15;
  map<string, Leaf> by_name = 16; map<int32, double> plain = 17;
  oneof choice { Inner one_inner = 18; int64 one_number = 19; string one_text = 20; }
  sint64 s = 21; fixed32 f = 22; uint64 namespace = 23;
}
"""
SCHEMA = f"""syntax = "proto3";
package kinds;
{ITEM}
message Around {{
  string id = 1; repeated Item items = 2; oneof k {{ int32 p = 3; string q = 4; }}
}}
message Top {{
  int64 stamp = 1; Around around = 2; repeated Item direct = 3; map<string, string> tags = 4;
}}
"""
OLD = """syntax = "proto2";
package kinds;
message Item {
  required int32 id = 1; optional string name = 2 [default = "none"];
  optional double x = 3 [default = 2.5];
  optional group Part = 4 { required bool is_on = 5; repeated int32 n = 6 [packed = true]; }
}
message Top { required int64 stamp = 1; repeated Item direct = 3; }
"""
LISTS = (("direct[]", "kinds.Item"), ("around.items[]", "kinds.Item"))
DEEP = """syntax = "proto3";
package kinds;
message Item { float x = 1; }
message Top { repeated Item direct = 1; Top before = 2; repeated Item more = 3; }
"""
DEEP_LISTS = tuple(
    (path, "kinds.Item") for path in ("direct[]", "before.direct[]", "before.before.before.more[]")
)
NESTED = """syntax = "proto3";
package kinds;
message Ray { double time = 1; optional float strength = 2; }
message Part { string name = 1; repeated Ray rays = 2; }
message Sensor { int32 id = 1; Part part = 2; repeated Ray rays = 3; repeated Part parts = 4; }
message Around { bool on = 1; repeated Sensor sensors = 2; }
message Top { int64 stamp = 1; Around around = 2; repeated Sensor direct = 3; Ray ray = 4; }
"""
NESTED_LISTS = tuple(
    (path, "kinds.Ray")
    for path in (
        "direct[].rays[]", "around.sensors[].part.rays[]", "around.sensors[].parts[].rays[]"
    )
)  # fmt: skip
ODD = """syntax = "proto3";
message Top {
  message Item { message Builder { int32 wait = 1; } int32 size = 1; repeated Builder class = 2;
    string values0 = 3; int64 has_all = 4; bool is_stored = 5; bytes find = 6; }
  message Nothing {}
  repeated Item direct = 1; repeated Item Arrays = 2; repeated Nothing nothing = 3;
}
"""
ODD_LISTS = (
    ("direct[]", "Top.Item"), ("Arrays[]", "Top.Item"), ("nothing[]", "Top.Nothing")
)  # fmt: skip
TREE = """syntax = "proto3";
package kinds;
message Item { float x = 1; repeated Item parts = 2; }
message Top { repeated Item direct = 1; }
"""
needs_java = pytest.mark.skipif(shutil.which("javac") is None, reason="Java is not installed")


def read(text: str, folder: Path) -> Subject:
    path = folder / "kinds.proto"
    path.write_text(text)
    return subject(frontends.descriptors([str(path)]), str(path), "Top")


@pytest.mark.parametrize(
    ("text", "lists"),
    [
        pytest.param(SCHEMA, LISTS, marks=pytest.mark.thorough),
        (OLD, LISTS[:1]),
        (DEEP, DEEP_LISTS),
        (NESTED, NESTED_LISTS),
    ],
)
def test_every_kind_of_field_arrives(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    lists: tuple[tuple[str, str], ...],
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    about = read(text, tmp_path)
    compiler = tmp_path / "compiler"
    compiler.write_text('#!/bin/sh\nexec c++ -fsanitize=address,undefined "$@"\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    selection = ContenderSelection(frozenset({COLUMNS}), lists=lists, flags=("-std=c++20", "-O0"))
    backend = Cpp(about, selection, lambda _: None)
    assert backend.missing == {}
    entries = [contender.entry(about.type) for contender in backend.contenders()]
    assert [entry.contender.mode for entry in entries] == ["view", "converted"]
    messages = [*made_up(about, {"direct": 300}, 1), *sparse(about)]
    write_content(tmp_path / "content", messages)
    verify_all(RacePart(about, messages, backend, entries), tmp_path, tmp_path / "content")
    assert [entry.failure for entry in entries] == [None, None]
    samples = backend.measured(entries[0].contender, [tmp_path / "content"], ["a"], 1)
    assert len(list(samples)) > 1  # it says itself where it reads other values than were sent


@pytest.mark.parametrize(
    ("text", "lists"),
    [
        pytest.param(SCHEMA, LISTS, marks=pytest.mark.thorough, id="every kind"),
        pytest.param(OLD, LISTS[:1], marks=pytest.mark.thorough, id="proto2"),
        pytest.param(DEEP, DEEP_LISTS, id="recursive"),
        pytest.param(ODD, ODD_LISTS, id="odd names"),
    ],
)
@needs_java
def test_java_and_python_fill_and_read_arrays_of_every_kind(
    tmp_path: Path, text: str, lists: tuple[tuple[str, str], ...]
) -> None:
    about = read(text, tmp_path)
    messages = [*made_up(about, {"direct": 60}, 1), *sparse(about)]
    content = tmp_path / "content"
    write_content(content, messages)
    sent = []
    for language in (Java, Python):
        selection = ContenderSelection(frozenset({COLUMNS}), lists=lists)
        backend = language(about, selection, lambda _: None)
        assert backend.missing == {}
        (entry,) = [contender.entry(about.type) for contender in backend.contenders()]
        assert (entry.contender.library, entry.contender.mode) == (COLUMNS, "view")
        assert entry.contender.wire == "columns"
        verify_all(RacePart(about, messages, backend, [entry]), tmp_path, content)
        assert entry.failure is None
        samples = backend.measured(entry.contender, [content], ["a"], 1)
        assert len(list(samples)) > 1
        sent.append(backend.carried(entry.contender, tmp_path, content)["view"].sent)
    if all("." not in path for path, _ in lists):  # those of messages take part in Python alone
        assert sent[0] == sent[1]


def scan(reflections: int, objects: int) -> bytes:
    """Return a sensor view with lists of those lengths."""
    view = SensorView()
    for _ in range(2 if reflections else 0):
        sensor = view.lidar_sensor_view.add()
        for number in range(reflections):
            sensor.reflection.add(time_of_flight=1e-8 * number)
    for number in range(objects):
        moving = view.global_ground_truth.moving_object.add()
        moving.base.position.x = number
        for _ in range(60):
            moving.assigned_lane_id.add(value=number)
    data: bytes = view.SerializeToString()
    return data


@pytest.mark.parametrize(
    ("reflections", "objects", "paths"),
    [
        (100, 0, ["lidar_sensor_view[].reflection[]"]),
        (0, 60, ["global_ground_truth.moving_object[]"]),  # with all lists in it
        (0, 2, ["global_ground_truth.moving_object[].assigned_lane_id[]"]),
        (10, 0, []),
        (0, 0, []),
    ],
)
def test_a_long_list_of_a_recording_takes_part(
    tmp_path: Path, reflections: int, objects: int, paths: list[str]
) -> None:
    about = subject(frontends.descriptors(["osi3"]), "osi3", "SensorView")
    messages = [scan(reflections, objects)] * 2
    lists = long_lists(about, messages, fields.counted(about, messages)[0])
    assert [path for path, _ in lists] == paths
    selection = ContenderSelection(frozenset({COLUMNS}), lists=tuple(lists))
    sources, missing = generate(about, selection, tmp_path)
    assert missing == {}
    assert (COLUMNS in [source.name for source in sources]) == bool(paths)


def test_python_fills_and_reads_arrays_of_messages_in_the_message(tmp_path: Path) -> None:
    about = read(DEEP, tmp_path)
    selection = ContenderSelection(frozenset({COLUMNS}), lists=DEEP_LISTS[1:2])
    backend = Python(about, selection, lambda _: None)
    assert backend.missing == {}
    inner, content = about.message_class(direct=[{"x": 1.5}] * 60), tmp_path / "content"
    messages = [about.message_class(before=inner).SerializeToString(), b""]
    write_content(content, messages)
    (entry,) = [contender.entry(about.type) for contender in backend.contenders()]
    verify_all(RacePart(about, messages, backend, [entry]), tmp_path, content)
    assert entry.failure is None
    with_list, without = backend.carried(entry.contender, tmp_path, content)["view"].sent
    first = with_list.index(struct.pack("<60f", *[1.5] * 60))
    assert first % 64 == 0 and without == b""


def test_python_fills_and_reads_arrays_of_repeated_messages(tmp_path: Path) -> None:
    about = read(NESTED, tmp_path)
    backend = Python(
        about, ContenderSelection(frozenset({COLUMNS}), lists=NESTED_LISTS), lambda _: None
    )
    assert backend.missing == {}
    messages = [*made_up(about, {"direct": 3, "sensors": 3, "rays": 60}, 1), *sparse(about)]
    content = tmp_path / "content"
    write_content(content, messages)
    (entry,) = [contender.entry(about.type) for contender in backend.contenders()]
    verify_all(RacePart(about, messages, backend, [entry]), tmp_path, content)
    assert entry.failure is None
    samples = backend.measured(entry.contender, [content], ["a"], 1)
    assert len(list(samples)) > 1
    rays = [{"time": 2.5}] * 60
    sensors = [{"rays": rays}, {}, {"part": {"rays": rays}, "parts": [{}, {"rays": rays}]}]
    whole = about.message_class(direct=sensors, around={"sensors": sensors})
    write_content(content, [whole.SerializeToString()])
    (sent,) = backend.carried(entry.contender, tmp_path, content)["view"].sent
    values = re.escape(struct.pack("<60d", *[2.5] * 60))
    found = [match.start() for match in re.finditer(values, sent)]
    # `direct` has one, `around` two; the other lists stay rows.
    assert len(found) == 3 and all(at % 64 == 0 for at in found)


@pytest.mark.parametrize(
    ("language", "text", "list_", "why"),
    [
        (Java, SCHEMA, LISTS[1], "around.items[]: from arrays only lists that are fields of the"),
        (Python, DEEP, ("before." * 9 + "direct[]", "kinds.Item"), "only lists in at most 8 mess"),
        (Java, TREE, ("direct[]", "kinds.Item"), "contains itself"),
        (Python, TREE, ("direct[]", "kinds.Item"), "contains itself"),
    ],
)
def test_a_list_that_takes_no_part_is_named_with_its_reason(
    tmp_path: Path, language: type[Python | Java], text: str, list_: tuple[str, str], why: str
) -> None:
    selection = ContenderSelection(frozenset({COLUMNS}), lists=(list_,))
    backend = language(read(text, tmp_path), selection, lambda _: None)
    assert not backend.contenders()
    assert why in backend.missing[COLUMNS]


@needs_java
def test_java_says_itself_where_it_reads_other_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = columns_code.columns_program

    def wrong(about: Subject, lists: Sequence[tuple[str, str]]) -> str:
        return program(about, lists).replace("plain.get(i)", "plain.get(0)")

    monkeypatch.setattr(java_backend, "columns_program", wrong)
    about = read(OLD, tmp_path)
    backend = Java(about, ContenderSelection(frozenset({COLUMNS}), lists=LISTS[:1]), lambda _: None)
    (entry,) = [contender.entry(about.type) for contender in backend.contenders()]
    messages = made_up(about, {"direct": 60}, 1)
    write_content(tmp_path / "content", messages)
    verify_all(RacePart(about, messages, backend, [entry]), tmp_path, tmp_path / "content")
    assert "it did not read what was sent" in str(entry.failure)


def sparse(about: Subject) -> list[bytes]:
    """Return messages of which half the elements lack half the fields, and one without any."""
    chosen = random.Random(1)
    made = []
    for data in made_up(about, {"direct": 20}, 2):
        message = about.read(data)
        for item in message.direct:
            for field, _ in item.ListFields():
                if field.name != "id" and chosen.random() < 0.5:
                    item.ClearField(field.name)
        made.append(message.SerializeToString())
    message.ClearField("direct")
    return [*made, message.SerializeToString()]
