# SPDX-License-Identifier: Apache-2.0
"""The program that fills and reads columns in place carries every kind of field."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from wirecost.measure.bench.message.content import made_up
from wirecost.measure.bench.message.content_file import write_content
from wirecost.measure.bench.message.cpp.backend import Cpp
from wirecost.measure.bench.message.cpp.columns_program import NAME
from wirecost.measure.bench.message.python.backend import Python
from wirecost.measure.bench.message.race import RacePart, verify_all
from wirecost.measure.bench.message.selection import ContenderSelection
from wirecost.measure.bench.message.subject import Subject, subject
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


def read(text: str, folder: Path) -> Subject:
    path = folder / "kinds.proto"
    path.write_text(text)
    return subject(frontends.descriptors([str(path)]), str(path), "kinds.Top")


@pytest.mark.parametrize(("text", "lists"), [(SCHEMA, LISTS), (OLD, LISTS[:1]), (DEEP, DEEP_LISTS)])
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
    selection = ContenderSelection(frozenset({NAME}), lists=lists, flags=("-std=c++20", "-O0"))
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


def test_python_fills_and_reads_arrays_of_every_kind(tmp_path: Path) -> None:
    about = read(SCHEMA, tmp_path)
    backend = Python(about, ContenderSelection(frozenset({NAME}), lists=LISTS), lambda _: None)
    entries = [contender.entry(about.type) for contender in backend.contenders()]
    assert [(entry.contender.library, entry.contender.mode) for entry in entries] == [
        (NAME, "view")
    ]
    messages = [*made_up(about, {"direct": 60}, 1), *sparse(about)]
    write_content(tmp_path / "content", messages)
    verify_all(RacePart(about, messages, backend, entries), tmp_path, tmp_path / "content")
    assert [entry.failure for entry in entries] == [None]


def test_python_leaves_out_lists_that_stand_deeper(tmp_path: Path) -> None:
    selection = ContenderSelection(frozenset({NAME}), lists=LISTS[1:])
    backend = Python(read(SCHEMA, tmp_path), selection, lambda _: None)
    assert not backend.contenders()
    assert NAME in backend.missing


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
