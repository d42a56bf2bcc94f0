# SPDX-License-Identifier: Apache-2.0
"""Cap'n Proto's contender: every kind of field arrives, and its own tool reads what was sent."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.ros_schemas import every
from support.programs import execute
from wirecost.data.messages.content import made_up
from wirecost.data.messages.content_file import write_content
from wirecost.data.messages.subject import Subject, subject
from wirecost.measure.bench.message.cpp import sources
from wirecost.measure.bench.message.cpp.backend import Cpp
from wirecost.measure.bench.message.cpp.capnproto_code import SCHEMA, capnproto
from wirecost.measure.bench.message.race import RacePart, verify_all
from wirecost.measure.bench.message.selection import ContenderSelection
from wirecost.schema.compile import frontends

SCHEMAS = Path(__file__).parents[2] / "conformance" / "schemas"
ALL = """syntax = "proto2";
import "every_type_proto2.proto";
import "every_type_proto3.proto";
import "recursive_maps.proto";
message All {
  optional conformance.proto2.EveryType second = 1;
  optional conformance.proto3.EveryType third = 2;
  required conformance.recursive_maps.Table table = 3;
  map<string, conformance.recursive_maps.Cell> cells = 4;
}
"""
QUICK = ("-std=c++20", "-O0")
MODES = ("new", "reused")

needs_capnp = pytest.mark.skipif(shutil.which("capnp") is None, reason="capnp is not installed")


def of_protobuf(folder: Path) -> Subject:
    path = folder / "all.proto"
    path.write_text(ALL)
    return subject(frontends.descriptors([str(path)], [SCHEMAS]), str(path), "All")


def of_ros(folder: Path) -> Subject:
    return every(folder, "ros2")


def selection(library: str) -> ContenderSelection:
    return ContenderSelection(frozenset({library}), flags=QUICK)


@needs_capnp
@pytest.mark.parametrize("about_of", [of_protobuf, of_ros])
def test_every_kind_of_field_arrives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, about_of: Callable[[Path], Subject]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    about = about_of(tmp_path)
    backend = Cpp(about, selection("capnproto"), lambda _: None)
    assert backend.missing == {}
    entries = [contender.entry(about.type) for contender in backend.contenders()]
    assert tuple(entry.contender.mode for entry in entries) == MODES
    messages = made_up(about, {}, 1)
    verify_all(RacePart(about, messages, backend, entries), tmp_path, written(tmp_path, messages))
    assert [entry.failure for entry in entries] == [None, None]


def written(folder: Path, messages: list[bytes]) -> Path:
    write_content(folder / "content", messages)
    return folder / "content"


@needs_capnp
def test_its_own_tool_reads_what_was_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "drone.proto"
    path.write_text(
        'syntax = "proto3"; message State { string name = 1; repeated double path = 2; '
        "map<string, int32> class = 3; oneof import { int64 lambda = 4; bytes synchronized = 5; } "
        "State before = 6; optional bool is_up = 7; }"
    )
    about = subject(frontends.descriptors([str(path)]), str(path), "State")
    message = about.message_class(name="kestrel", path=[0.5, -2.0], is_up=False)
    getattr(message, "class")["a"] = -7
    message.before.synchronized = b"\x00\xff"
    message.before.path.extend(map(float, range(5000)))  # more than a first segment holds
    backend = Cpp(about, selection("capnproto"), lambda _: None)
    content = written(tmp_path, [message.SerializeToString()] * 2)
    by_mode = backend.carried(backend.contenders()[0], tmp_path, content)
    (tmp_path / SCHEMA).write_text(capnproto(about)[SCHEMA])
    for mode in MODES:
        for number, sent in enumerate(by_mode[mode].sent):
            read = converted(tmp_path, sent)
            assert read["f0"] == "kestrel" and read["f1"] == [0.5, -2]
            assert read["f2"] == [{"k": "a", "v": -7}]
            assert (read["f6"], read["h6"]) == (False, True)
            before = read["f5"]
            assert before["f1"] == list(range(5000)), (mode, number)
            assert before["c0"] == {"f4": [0, 255]} and "f5" not in before


def converted(folder: Path, sent: bytes) -> dict[str, Any]:
    """Return a message as the tool prints it in JSON."""
    (folder / "sent").write_bytes(sent)
    command = ["sh", "-c", f"capnp convert binary:json {SCHEMA} T0 < sent"]
    done = execute(command, check=True, cwd=folder)
    document: dict[str, Any] = json.loads(done.stdout)
    return document


@needs_capnp
def test_a_program_that_changes_a_field_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    whole = "b.setF0(static_cast<std::int32_t>(v.count));"

    def wrong(about: Subject) -> dict[str, str]:
        texts = capnproto(about)
        assert whole in texts["capnproto.cpp"]
        return texts | {"capnproto.cpp": texts["capnproto.cpp"].replace(whole, "b.setF0(7);")}

    monkeypatch.setattr(sources, "capnproto", wrong)
    path = tmp_path / "counted.proto"
    path.write_text('syntax = "proto3"; message Counted { int32 count = 1; }')
    about = subject(frontends.descriptors([str(path)]), str(path), "Counted")
    messages = [about.message_class(count=8).SerializeToString()]
    backend = Cpp(about, selection("capnproto"), lambda _: None)
    entries = [contender.entry(about.type) for contender in backend.contenders()]
    verify_all(RacePart(about, messages, backend, entries), tmp_path, written(tmp_path, messages))
    assert {entry.failure for entry in entries} == {"message 0 as read has another count"}


def test_a_missing_compiler_has_its_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources.shutil, "which", lambda _: None)
    about = subject(frontends.descriptors(["osi3"]), "osi3", "MountingPosition")
    generated, missing = sources.generate(about, selection("capnproto"), tmp_path)
    assert generated == []
    assert missing == {"capnproto": "apt-get install capnproto libcapnp-dev"}


def test_only_who_asks_for_it_waits_for_it(tmp_path: Path) -> None:
    about = subject(frontends.descriptors(["osi3"]), "osi3", "MountingPosition")
    generated, missing = sources.generate(about, ContenderSelection(), tmp_path)
    assert "capnproto" not in {*missing, *(source.name for source in generated)}
