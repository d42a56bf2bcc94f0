# SPDX-License-Identifier: Apache-2.0
"""The race of ``bench classes`` with programs that pretend."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from wirecost.bench.classes import contender, program
from wirecost.bench.classes.contender import Contender, Work
from wirecost.bench.classes.race import run_race
from wirecost.bench.entry import Entry
from wirecost.bench.processes import plan
from wirecost.bench.program import ProgramFailedError
from wirecost.bench.scenario import Case
from wirecost.records.finished import read_journal
from wirecost.records.journal import Journal

WORK = Work("sparse", 3)
STAGES = ("build", "rebuild", "encode", "parse", "reparse", "total")
FILES = {"jemalloc": "/lib/libjemalloc.so.2", "glibc": "/lib/libc.so.6"}


class Pretended:
    """Prints what a program would print. ``started``: of all, in order."""

    started: list[tuple[str, str, dict[str, str]]]

    def __init__(self, library: str, started: list[tuple[str, str, dict[str, str]]]) -> None:
        self.library = library
        self.path = Path(__file__)
        self.started = started
        self.modes = ["arena", "fresh"] if library == "protobuf" else ["fresh"]
        self.message = b"message"
        self.fails = ""
        self.files = dict(FILES)

    def check_installed(self) -> None:
        """It is."""

    def rows(self, *_: str) -> list[list[str]]:
        return [[f"{self.library} 1"], *([mode] for mode in self.modes)]

    def lines(self, *arguments: str, environment: Mapping[str, str] | None = None) -> Iterator[str]:
        command, *options = arguments
        given = dict(pairwise(options))
        preloaded = (environment or {}).get("LD_PRELOAD", "")
        file = self.files["jemalloc" if "jemalloc" in preloaded else "glibc"]
        self.started.append((command, self.library, {**(environment or {}), **given}))
        if command in ("allocator", "measure"):
            yield f"allocator\t{file}\t{file}"
        if command == "verify":
            Path(given["--message"]).write_bytes(self.message)
        if command == "measure":
            assert Path(given["--message"]).read_bytes() == b"message"
            for repetition in range(int(given["--repetitions"])):
                yield from (f"{repetition}\t{stage}\t{100 + repetition}" for stage in STAGES)
        if command == "memory":
            yield "memory\t1000\t0"
        if command == self.fails:
            raise ProgramFailedError(f"{command} failed")


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch) -> dict[str, Pretended]:
    started: list[tuple[str, str, dict[str, str]]] = []
    made = {name: Pretended(name, started) for name in ("protobuf", "wirecost")}
    for module in (contender, program):
        monkeypatch.setattr(module, "PROGRAMS", made)
    return made


def raced(folder: Path, allocators: tuple[str, ...] = ("",)) -> list[Entry[Contender]]:
    found, not_run = program.contenders(allocators)
    assert not_run == {}
    entries = [one.entry(WORK) for one in found]
    folder.mkdir(exist_ok=True)
    run_race(WORK, Case(entries, Journal(folder), lambda *_: None), plan(5, 2, seed=1))
    return entries


def test_each_contender_has_fresh_processes_and_all_repetitions(
    programs: dict[str, Pretended], tmp_path: Path
) -> None:
    entries = raced(tmp_path)
    assert [entry.key for entry in entries] == [
        "protobuf arena", "protobuf fresh", "wirecost fresh",
    ]  # fmt: skip
    assert [entry.failure for entry in entries] == [None] * 3
    assert {entry.facts["memory_bytes"] for entry in entries} == {1000}
    assert {(entry.bytes, entry.digest) for entry in entries} == {(7, entries[0].digest)}
    _, samples = read_journal(tmp_path)
    assert len(samples) == 3 * 5 * len(STAGES)
    totals = samples.filter(stage="total", contender="wirecost")
    assert totals["repetition"].to_list() == [0, 1, 2, 3, 4]
    assert totals["process"].to_list() == [0, 0, 0, 1, 1]
    measured = [
        (library, options["--mode"])
        for command, library, options in programs["wirecost"].started
        if command == "measure"
    ]
    assert len(measured) == 2 * 3
    assert set(measured[:3]) == set(measured[3:])


def test_who_makes_other_bytes_is_not_timed(programs: dict[str, Pretended], tmp_path: Path) -> None:
    programs["wirecost"].message = b"mess"
    *others, ours = raced(tmp_path)
    assert [entry.failure for entry in others] == [None, None]
    assert ours.failure is not None
    assert ours.failure.endswith("differ from byte 4 on")
    assert ours.samples == 0


@pytest.mark.parametrize("command", ["verify", "measure", "memory"])
def test_a_failure_is_its_own(programs: dict[str, Pretended], tmp_path: Path, command: str) -> None:
    programs["wirecost"].fails = command
    *others, ours = raced(tmp_path)
    assert [entry.failure for entry in others] == [None, None]
    assert ours.failure == f"{command} failed"
    assert {entry.samples for entry in others} == {5 * len(STAGES)}


def test_where_the_first_fails_the_next_is_compared_with(
    programs: dict[str, Pretended], tmp_path: Path
) -> None:
    programs["protobuf"].fails = "verify"
    assert [entry.failure for entry in raced(tmp_path)] == ["verify failed"] * 2 + [None]


def test_each_allocator_is_an_entry_and_glibc_counts_memory(
    programs: dict[str, Pretended], tmp_path: Path
) -> None:
    entries = {entry.key: entry for entry in raced(tmp_path, ("glibc", "jemalloc"))}
    assert len(entries) == 6
    ours: dict[str, Any] = entries["wirecost fresh jemalloc"].facts
    assert (ours["malloc"], ours["memory_bytes"]) == (FILES["jemalloc"], None)
    assert entries["wirecost fresh glibc"].facts["memory_bytes"] == 1000
    preloaded = [
        "jemalloc" in options.get("LD_PRELOAD", "")
        for command, _, options in programs["wirecost"].started
        if command == "measure"
    ]
    assert sum(preloaded) == len(preloaded) / 2
    tunables = {
        options["GLIBC_TUNABLES"]
        for command, _, options in programs["wirecost"].started
        if command == "memory"
    }
    assert tunables == {"glibc.malloc.tcache_count=0"}


def test_an_allocator_that_is_not_loaded_is_left_out(programs: dict[str, Pretended]) -> None:
    for one in programs.values():
        one.files["jemalloc"] = FILES["glibc"]
    found, not_run = program.contenders(("jemalloc",))
    assert found == []
    assert "not libjemalloc.so.2" in not_run["jemalloc"]


def test_current_protobuf_is_named_where_it_is_not_built(
    programs: dict[str, Pretended], tmp_path: Path
) -> None:
    absent = Pretended("protobuf-current", programs["wirecost"].started)
    absent.path = tmp_path / "absent"
    programs["protobuf-current"] = absent
    found, not_run = program.contenders(("",))
    assert len(found) == 3
    assert not_run == {"protobuf-current": "`make rivals` in a checkout builds it"}
