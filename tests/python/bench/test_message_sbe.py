# SPDX-License-Identifier: Apache-2.0
"""SBE's contender: every kind of field arrives, and what its groups cannot hold is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bench.ros_schemas import every
from wirecost.data.messages.content import made_up
from wirecost.data.messages.content_file import write_content
from wirecost.data.messages.subject import Subject, subject
from wirecost.measure.bench.message.cpp import sbe_code, sources
from wirecost.measure.bench.message.cpp.backend import Cpp
from wirecost.measure.bench.message.race import RacePart, verify_all
from wirecost.measure.bench.message.selection import ContenderSelection
from wirecost.schema.compile import frontends

SCHEMAS = Path(__file__).parents[2] / "conformance" / "schemas"
# Of every kind, as the conformance schemas are, but no message that can hold itself.
EVERY = """syntax = "proto3";
enum Color { ZERO = 0; BIG = 70000; NEGATIVE = -5; }
message Point { double x = 1; float y = 2; bool is_new = 3; }
message Empty {}
message Inner {
  string text = 1; repeated int32 numbers = 2; Point at = 3; optional bytes raw = 4;
  map<string, Point> points = 5; repeated string names = 6;
}
message Every {
  double a_double = 1; float a_float = 2; sint32 an_int = 3; fixed64 a_long = 4; bool a_bool = 5;
  Color color = 6; string text = 7; bytes raw = 8;
  optional double maybe_double = 11; optional string maybe_text = 12; optional bool maybe = 13;
  optional bytes maybe_raw = 14;
  Inner inner = 21; Point point = 22; Empty empty = 23;
  repeated double doubles = 31; repeated bool bools = 32; repeated Color colors = 33;
  repeated string texts = 34; repeated bytes raws = 35; repeated Inner inners = 36;
  repeated Point points = 37; repeated uint64 longs = 38;
  oneof choice {
    int32 number = 41; string name = 42; Inner chosen = 43; bytes data = 44; Point there = 45;
  }
  map<string, int32> by_text = 51; map<int32, string> texts_of = 52; map<bool, Inner> of_flag = 53;
  map<string, string> names = 54; map<uint64, bytes> raws_of = 55; map<string, Inner> of_text = 56;
  map<int64, Point> points_of = 57;
}
"""
ASKED = ContenderSelection(frozenset({"sbe"}), flags=("-std=c++20", "-O0"))

needs_sbe = pytest.mark.skipif(sbe_code.jar() is None, reason="sbe-all is not installed")


def of_protobuf(folder: Path) -> Subject:
    path = folder / "every.proto"
    path.write_text(EVERY)
    return subject(frontends.descriptors([str(path)]), str(path), "Every")


def of_ros(folder: Path) -> Subject:
    return every(folder, "ros1")


@needs_sbe
@pytest.mark.parametrize("about_of", [of_protobuf, of_ros])
def test_every_kind_of_field_arrives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, about_of: Callable[[Path], Subject]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    about = about_of(tmp_path)
    backend = Cpp(about, ASKED, lambda _: None)
    assert backend.missing == {}
    entries = [contender.entry(about.type) for contender in backend.contenders()]
    assert [entry.contender.mode for entry in entries] == ["reused"]
    messages = [*made_up(about, {}, 1), b""] if about.ros is None else made_up(about, {}, 1)
    write_content(tmp_path / "content", messages)
    verify_all(RacePart(about, messages, backend, entries), tmp_path, tmp_path / "content")
    assert entries[0].failure is None
    # A buffer as long as an empty message in Protobuf needs is lengthened.
    write_content(tmp_path / "content", [messages[-1]])
    carried = backend.carried(entries[0].contender, tmp_path, tmp_path / "content")["reused"]
    assert carried.back is not None
    assert list(map(about.read, carried.back)) == [about.read(messages[-1])]


def test_what_its_groups_cannot_hold_is_refused() -> None:
    def refused(source: str, type_name: str) -> str:
        about = subject(frontends.descriptors([source]), source, type_name)
        return sbe_code.inexpressible(about.schema, about.type)

    recursive = refused(str(SCHEMAS / "recursive_maps.proto"), "Table")
    assert recursive.endswith(" can hold itself, which SBE's groups cannot")
    assert not refused("osi3", "SensorView")


def test_what_would_compile_for_long_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    about = of_protobuf(tmp_path)
    groups = sbe_code.sbe(about)[sbe_code.SCHEMA].count("<group")
    monkeypatch.setattr(sbe_code, "MOST_GROUPS", groups)
    assert sbe_code.inexpressible(about.schema, about.type) == ""
    monkeypatch.setattr(sbe_code, "MOST_GROUPS", groups - 1)
    why = sbe_code.inexpressible(about.schema, about.type)
    assert why == f"left out: Every would have {groups} groups, which compile for long"


def test_a_missing_compiler_has_its_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    about = subject(frontends.descriptors(["osi3"]), "osi3", "MountingPosition")
    generated, missing = sources.generate(about, ASKED, tmp_path)
    assert generated == []
    assert missing == {"sbe": sbe_code.REMEDY}


def test_the_newest_version_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for version in ("1.9.0", "1.38.1", "1.38.0"):
        folder = tmp_path / ".m2/repository/uk/co/real-logic/sbe-all" / version
        folder.mkdir(parents=True)
        (folder / f"sbe-all-{version}.jar").touch()
        (folder / f"sbe-all-{version}-sources.jar").touch()
    jar = sbe_code.jar()
    assert jar is not None and jar.name == "sbe-all-1.38.1.jar"
