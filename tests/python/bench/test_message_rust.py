# SPDX-License-Identifier: Apache-2.0
"""Contenders in Rust: every kind of field arrives, and what goes wrong in a program is noticed."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bench.ros_schemas import every
from wirecost.data.messages.content import made_up
from wirecost.data.messages.content_file import read_content, write_content
from wirecost.data.messages.subject import Subject, subject
from wirecost.measure.bench.engine.entry import StageSample
from wirecost.measure.bench.message.backend import Timed
from wirecost.measure.bench.message.choices import RUST, RUST_LIBRARIES, USUAL
from wirecost.measure.bench.message.race import RacePart, verify_all
from wirecost.measure.bench.message.rust import backend as rust
from wirecost.measure.bench.message.rust import cargo, code
from wirecost.measure.bench.message.scenario import MessageSettings
from wirecost.measure.bench.message.selection import ContenderSelection
from wirecost.measure.bench.transport.choices import LEAST_RUST
from wirecost.schema.compile import frontends
from wirecost.system import scratch
from wirecost.system.children import ProgramFailedError

SCHEMAS = Path(__file__).parents[2] / "conformance" / "schemas"
ALL = """syntax = "proto2";
import "every_type_proto2.proto";
import "every_type_proto3.proto";
import "recursive_maps.proto";
import "well_known.proto";
message All {
  optional conformance.proto2.EveryType second = 1;
  optional conformance.proto3.EveryType third = 2;
  required conformance.recursive_maps.Table table = 3;
  map<string, conformance.recursive_maps.Cell> cells = 4;
  repeated conformance.known.Known known = 5;
}
"""
DRONE = """syntax = "proto3";
package self.mod;
message State {
  string name = 1;
  repeated double path = 2;
  map<string, int32> type = 3;
  oneof impl { int64 fn = 4; bytes ref = 5; State dyn = 8; }
  State Self = 6;
  optional bool is_up = 7;
  enum Mode { OFF = 0; ON = 1; }
  Mode mode = 9;
  message T0 {
    message State { int32 f0 = 1; }
    repeated State f0 = 1;
  }
  T0 inner = 10;
}
"""
STAGES = ["total", "fill", "encode", "decode", "read", "destroy"]

needs_rust = pytest.mark.skipif(not cargo.compiler(), reason="Rust is not installed")


@pytest.fixture(autouse=True)
def folder() -> Iterator[None]:
    with scratch.run():
        yield


def everything(folder: Path) -> Subject:
    path = folder / "all.proto"
    path.write_text(ALL)
    return subject(frontends.descriptors([str(path)], [SCHEMAS]), str(path), "All")


def drone(folder: Path) -> Subject:
    path = folder / "drone.proto"
    path.write_text(DRONE)
    return subject(frontends.descriptors([str(path)]), str(path), "self.mod.State")


def asked(*libraries: str) -> ContenderSelection:
    return ContenderSelection(frozenset(libraries))


def content_of(folder: Path, messages: list[bytes]) -> Path:
    write_content(folder / "content", messages)
    return folder / "content"


def verified(about: Subject, backend: rust.Rust, folder: Path) -> dict[str, str | None]:
    """Return the failures of all contenders."""
    assert backend.missing == {}
    entries = [contender.entry(about.type) for contender in backend.contenders()]
    messages = made_up(about, {}, 1)
    verify_all(RacePart(about, messages, backend, entries), folder, content_of(folder, messages))
    return {f"{entry.contender.library} {entry.contender.mode}": entry.failure for entry in entries}


@needs_rust
@pytest.mark.parametrize("library", RUST_LIBRARIES)
@pytest.mark.parametrize("about_of", [everything, drone])
def test_every_kind_of_field_arrives(
    tmp_path: Path, about_of: Callable[[Path], Subject], library: str
) -> None:
    about = about_of(tmp_path)
    said: list[str] = []
    failures = verified(about, rust.Rust(about, asked(library), said.append), tmp_path)
    assert failures == {f"{library} {mode}": None for mode in rust.MODES[library]}
    assert all(line.startswith(f"compiling Rust, {library}") for line in said)


@needs_rust
@pytest.mark.parametrize("library", RUST_LIBRARIES)
def test_no_two_passes_have_the_same_message(tmp_path: Path, library: str) -> None:
    about = drone(tmp_path)
    backend = rust.Rust(about, asked(library), lambda _: None)
    messages = made_up(about, {}, 1)
    content = content_of(tmp_path, messages)
    for contender in backend.contenders():
        items = list(backend.measured(contender, [content], ["key"], 3))
        samples = [item for item in items if isinstance(item, StageSample)]
        assert [(sample.repetition, sample.stage) for sample in samples] == [
            (repetition, stage) for repetition in range(3) for stage in STAGES
        ]
        assert all(sample.ns > 0 or sample.stage == "destroy" for sample in samples)
        timed = [item for item in items if isinstance(item, Timed)]
        assert len({item.expected for item in timed} - set(messages)) == 2
        if contender.wire in about.readable:
            assert [about.read(item.sent) for item in timed] == [
                about.read(item.expected) for item in timed
            ]


@needs_rust
def test_allocations_and_instructions_are_counted(tmp_path: Path) -> None:
    about = drone(tmp_path)
    backend = rust.Rust(about, asked("prost"), lambda _: None)
    content = content_of(tmp_path, made_up(about, {"path": 1000}, 1))
    new, reused = (backend.counted(contender, content) for contender in backend.contenders())
    assert new.allocations is not None and reused.allocations is not None
    assert 0 < reused.allocations < new.allocations
    assert new.instructions is None or new.instructions > 1000


def broken(
    folder: Path, monkeypatch: pytest.MonkeyPatch, library: str, file: str, changes: dict[str, str]
) -> tuple[rust.Rust, Subject]:
    """Return a backend whose program is changed, and its message, which is in ``content``."""
    generate = code.generate

    def changed(about: Subject, library: str, to: Path) -> None:
        generate(about, library, to)
        text = (to / "src" / file).read_text()
        for whole, part in changes.items():
            assert whole in text
            text = text.replace(whole, part)
        (to / "src" / file).write_text(text)

    monkeypatch.setattr(code, "generate", changed)
    path = folder / "counted.proto"
    path.write_text('syntax = "proto3"; message Counted { int32 count = 1; }')
    about = subject(frontends.descriptors([str(path)]), str(path), "Counted")
    content_of(folder, [about.message_class(count=800).SerializeToString()])
    backend = rust.Rust(about, asked(library), lambda _: None)
    assert backend.missing == {}
    return backend, about


@needs_rust
@pytest.mark.parametrize("library", RUST_LIBRARIES)
def test_a_program_that_changes_a_field_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, library: str
) -> None:
    change = {"self.f1.fill(&from.f1);": "self.f1 = 7;"}
    backend, about = broken(tmp_path, monkeypatch, library, "schema.rs", change)
    entries = [contender.entry(about.type) for contender in backend.contenders()]
    messages = read_content(tmp_path / "content")
    verify_all(RacePart(about, messages, backend, entries), tmp_path, tmp_path / "content")
    what = "read" if library == "rkyv" else "sent"
    assert {entry.failure for entry in entries} == {f"message 0 as {what} has another count"}


@needs_rust
def test_a_program_that_keeps_what_it_once_read_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes = {
        "self.parsed = None;": "",
        "self.parsed = Some(": "if self.parsed.is_some() { return Ok(()) } self.parsed = Some(",
    }
    backend, _ = broken(tmp_path, monkeypatch, "prost", "library/prost.rs", changes)
    with pytest.raises(ProgramFailedError, match="it did not read what was sent"):
        list(backend.measured(backend.contenders()[0], [tmp_path / "content"], ["key"], 1))


@needs_rust
@pytest.mark.parametrize(
    "content",
    [b"\x01", b"\x05" + bytes(7) + b"\x08", b"\xff" * 8, b"\x01" + bytes(7) + b"\xff", b""],
)
def test_content_that_cannot_be_read_is_one_line(tmp_path: Path, content: bytes) -> None:
    backend = rust.Rust(drone(tmp_path), asked("prost"), lambda _: None)
    path = tmp_path / "content"
    path.write_bytes(content)
    with pytest.raises(ProgramFailedError, match="ended with status 2: ") as error:
        backend.carried(backend.contenders()[0], tmp_path, path)
    assert "panicked" not in str(error.value)


@needs_rust
def test_a_program_that_does_not_compile_has_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change = {"self.parsed = None;": "self.nothing = None;"}
    with pytest.raises(AssertionError, match=r"it does not compile: error\[E0609\]: no field"):
        broken(tmp_path, monkeypatch, "prost", "library/prost.rs", change)


@needs_rust
def test_crates_that_cannot_be_had_are_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CARGO_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv("CARGO_NET_OFFLINE", "true")
    said: list[str] = []
    backend = rust.Rust(drone(tmp_path), asked("rkyv"), said.append)
    assert backend.missing["rkyv"].startswith("Cargo cannot get crates: error: ")
    assert said == ["compiling Rust, rkyv, with all that it needs: minutes, once"]


@pytest.mark.parametrize("said", ["", "rustc 1.88.0 (0 2025-01-01)", "rustc 1.9.0"])
def test_a_missing_or_old_compiler_has_its_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    compiler = tmp_path / "rustc"
    compiler.write_text(f"#!/bin/sh\necho '{said}'\n")
    compiler.chmod(0o755)
    (tmp_path / "cargo").symlink_to("rustc")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin" if said else "/nonexistent")
    cargo.compiler.cache_clear()
    try:
        backend = rust.Rust(drone(tmp_path), asked("prost"), lambda _: None)
    finally:
        cargo.compiler.cache_clear()
    assert backend.missing == {"prost": "Rust 1.89 or newer (https://rustup.rs)"}
    assert backend.contenders() == []


def test_schemas_that_it_cannot_express_are_refused_with_the_reason(tmp_path: Path) -> None:
    path = str(SCHEMAS / "editions_2023.proto")
    about = subject(frontends.descriptors([path]), path, "Choices")
    assert code.refused(about).startswith("prost, from whose messages all are filled, knows no")
    assert code.refused(every(tmp_path, "ros2")) == "in Rust for Protobuf's schemas only"
    assert code.refused(drone(tmp_path)) == ""


def test_only_who_asks_for_it_waits_for_it() -> None:
    assert MessageSettings().all_languages == list(USUAL)
    assert MessageSettings(libraries=("protobuf",)).all_languages == list(USUAL)
    for library in RUST_LIBRARIES:
        assert MessageSettings(libraries=("protobuf", library)).all_languages == [*USUAL, RUST]


def test_versions_are_pinned_and_locked() -> None:
    manifest = tomllib.loads((code.CRATE / "Cargo.toml").read_text())
    locked = tomllib.loads((code.CRATE / "Cargo.lock").read_text())["package"]
    versions = {f"{package['name']} {package['version']}" for package in locked}
    assert manifest["package"]["rust-version"] == LEAST_RUST
    assert set(RUST_LIBRARIES) == set(manifest["features"])
    assert {rust.version(library) for library in RUST_LIBRARIES} <= versions
