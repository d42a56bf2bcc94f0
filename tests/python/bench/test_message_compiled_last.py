# SPDX-License-Identifier: Apache-2.0
"""Contenders of large schemas that compile for long, which come when all others are measured."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from wirecost.data.messages.content import made_up
from wirecost.data.messages.content_file import read_content
from wirecost.data.messages.subject import Subject, subject
from wirecost.measure.bench.engine.entry import StageSample
from wirecost.measure.bench.engine.measurement import Measurement
from wirecost.measure.bench.engine.processes import plan
from wirecost.measure.bench.message import compiled_last
from wirecost.measure.bench.message.compiled_last import compile_and_measure, last_races
from wirecost.measure.serializers import selection
from wirecost.measure.serializers.backend import (
    Carried,
    LaterContenders,
    MessageCounts,
    Timed,
)
from wirecost.measure.serializers.contender import Contender
from wirecost.measure.serializers.cpp import programs
from wirecost.measure.serializers.cpp.compiling import compiled
from wirecost.measure.serializers.cpp.source import HARNESS, MAIN
from wirecost.measure.serializers.cpp.sources import generate
from wirecost.measure.serializers.selection import ContenderSelection
from wirecost.results.records.journal import Journal
from wirecost.results.records.schemas.message import LATER
from wirecost.schema.compile import frontends

SCHEMAS = Path(__file__).parents[2] / "conformance" / "schemas"
FIRST = {"protobuf new": 100.0, "protobuf reused": 50.0}
LAST = {"flatbuffers-table new": 20.0, "wirecost-columns view": 10.0}


def of(name: str) -> Contender:
    library, mode = name.split()
    return Contender("cpp", library, mode, "protobuf", "1")


@pytest.fixture(scope="module")
def about() -> Subject:
    path = str(SCHEMAS / "every_type_proto3.proto")
    return subject(frontends.descriptors([path]), path, "EveryType")


class Backend:
    """Carries messages as they are, and takes as long as it is said."""

    lang = "cpp"
    most_s = 1.0

    def __init__(self, compile_last: Callable[[Backend], None]) -> None:
        self.missing: dict[str, str] = {}
        self.environment: dict[str, str] = {}
        self._ns = FIRST
        self._compile = compile_last
        self.limits: list[float] = []

    def add(self, *names: str) -> None:
        self._ns = self._ns | {name: LAST[name] for name in names}

    def contenders(self) -> list[Contender]:
        return list(map(of, self._ns))

    def later(self) -> LaterContenders | None:
        def compile_(say: Callable[[str], None], limit_s: float) -> None:
            say("compiling, 2 of 3 units left")
            self.limits.append(limit_s)
            self._compile(self)

        return LaterContenders(list(map(of, LAST)), compile_)

    def carried(self, contender: Contender, folder: Path, content: Path) -> dict[str, Carried]:
        del folder
        return {contender.mode: Carried(read_content(content), None)}

    def measured(
        self, contender: Contender, contents: Sequence[Path], keys: Sequence[str], repetitions: int
    ) -> Iterator[StageSample | Timed]:
        del contents
        ns = self._ns[f"{contender.library} {contender.mode}"]
        for repetition in range(repetitions):
            yield StageSample(keys[0], repetition, "total", ns)

    def counted(self, contender: Contender, content: Path) -> MessageCounts:
        del contender, content
        return MessageCounts()


class Recorded(Journal):
    """Keeps what is written, and when the first part ended."""

    def __init__(self, folder: Path) -> None:
        self.lines: list[dict[str, Any]] = []
        super().__init__(folder)
        self.after_part = lambda: self.lines.append({"part": True})

    def _write(self, line: dict[str, Any]) -> None:
        self.lines.append(line)
        super()._write(line)

    def not_run(self) -> list[dict[str, str]]:
        return [line["meta"]["not_run"] for line in self.lines if "not_run" in line.get("meta", {})]


def run(backend: Backend, about: Subject, journal: Journal) -> list[str]:
    """Compile and measure what is left of a backend, and return what is said meanwhile."""
    said: list[str] = []
    measurement = Measurement("message", journal, lambda _done, _total, text: said.append(text))
    races = last_races([backend], {"cpp": backend.contenders()})
    messages = made_up(about, {}, 1)[:2]
    compile_and_measure(races, about, messages, (), measurement, plan(4, 2, 1), {"cpp x": "y"})
    return said


def test_they_are_measured_beside_the_library_in_use(about: Subject, tmp_path: Path) -> None:
    backend, journal = Backend(lambda one: one.add(*LAST)), Recorded(tmp_path)
    said = run(backend, about, journal)
    runs = [line["about"] for line in journal.lines if "columns" in line]
    assert {run["variant"] for run in runs} == {LATER}
    assert {f"{run['contender']} {run['mode']}" for run in runs} == {*FIRST, *LAST}
    assert backend.limits == [compiled_last.LIMIT_S]
    libraries = "flatbuffers-table and wirecost-columns"
    note = f"compiling {libraries}, which takes long (Ctrl-C ends with what is here)"
    assert said[:2] == [note, f"{note}: 2 of 3 units left"]
    assert said[-2:] == [
        "C++: flatbuffers-table new 20 ns, 0.2 × protobuf new",
        "C++: wirecost-columns view 10 ns, 0.1 × protobuf new",
    ]
    left, after = journal.not_run()
    assert list(left) == ["cpp x", "cpp flatbuffers-table", "cpp wirecost-columns"]
    assert after == {"cpp x": "y"}


def test_what_does_not_compile_is_missing_with_reason_and_command(
    about: Subject, tmp_path: Path
) -> None:
    def one_only(backend: Backend) -> None:
        backend.missing["flatbuffers-table"] = "no end after 300 s"
        backend.add("wirecost-columns view")

    journal = Recorded(tmp_path)
    said = run(Backend(one_only), about, journal)
    assert said[-1].startswith("C++: wirecost-columns view") and "flatbuffers" not in said[-1]
    assert journal.not_run()[-1] == {
        "cpp x": "y",
        "cpp flatbuffers-table": "no end after 300 s; --library protobuf,flatbuffers-table",
    }


def test_nothing_is_measured_where_nothing_compiles(about: Subject, tmp_path: Path) -> None:
    def nothing(backend: Backend) -> None:
        backend.missing |= dict.fromkeys(("flatbuffers-table", "wirecost-columns"), "why")

    journal = Recorded(tmp_path)
    run(Backend(nothing), about, journal)
    assert not [line for line in journal.lines if "run" in line]


def test_an_interruption_leaves_what_is_left_by_name(about: Subject, tmp_path: Path) -> None:
    def interrupted(_: Backend) -> None:
        raise KeyboardInterrupt

    journal = Recorded(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        run(Backend(interrupted), about, journal)
    assert journal.lines[-1] == {"part": True}
    (left,) = journal.not_run()
    assert left["cpp wirecost-columns"] == (
        "the run ended before it was compiled; --library protobuf,wirecost-columns"
    )


@pytest.mark.parametrize("is_asked", [False, True])
def test_those_of_a_large_schema_come_later_unless_they_are_asked_for(
    about: Subject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_asked: bool
) -> None:
    monkeypatch.setattr(selection, "MOST_MESSAGES", 1)
    names = ("protobuf", "flatbuffers-table", "wirecost-columns")
    chosen = ContenderSelection(
        libraries=frozenset(names) if is_asked else None,
        lists=(("inners[]", "conformance.proto3.EveryType.Inner"),),
    )
    sources, missing = generate(about, chosen, tmp_path)
    later = {source.name for source in sources if source.is_later}
    expected = set() if is_asked else {"flatbuffers-table", "wirecost-columns"} - set(missing)
    assert later == expected
    assert ("wirecost-classes" in missing) != is_asked


def test_compilers_end_at_the_limit(tmp_path: Path) -> None:
    quick, slow, waiting = (tmp_path / name for name in ("quick", "slow", "waiting"))
    ended = tmp_path / "ended"
    forever = [sys.executable, "-c", f"import time; time.sleep(3); open({str(ended)!r}, 'w')"]
    remaining: list[int] = []
    commands = {quick: ["false"], slow: forever, waiting: ["true"]}
    begun_s = time.monotonic()
    failed = compiled(commands, 1, remaining.append, limit_s=1.0)
    assert time.monotonic() - begun_s < 2.5
    assert failed == {
        quick: "it does not compile: no reason given",
        slow: "no end after 1 s",
        waiting: "no end after 1 s",
    }
    assert remaining[0] == 3 and remaining[-1] == 2
    time.sleep(2.5)
    assert not ended.exists()


def test_a_unit_waits_for_what_it_includes(tmp_path: Path) -> None:
    unit, header, other = (tmp_path / name for name in ("unit", "header", "other"))
    commands = {
        unit: ["test", "-e", str(header)],
        header: ["sh", "-c", f"sleep 0.2; touch {header}"],
        other: ["true"],
    }
    remaining: list[int] = []
    assert compiled(commands, 3, remaining.append, after={unit: header}) == {}
    assert 2 in remaining


def test_what_all_programs_share_is_compiled_once(
    about: Subject, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited_for: dict[str, str] = {}

    def noted(
        commands: Mapping[Path, object], _jobs: int, _report: object, _limit_s: float,
        after: Mapping[Path, Path],
    ) -> dict[Path, str]:  # fmt: skip
        waited_for.update({path.name: after.get(path, Path()).name for path in commands})
        return {}

    monkeypatch.setattr(programs, "compiled", noted)
    wanted = ContenderSelection(frozenset({"wirecost", "memcpy"}))
    programs.Programs(about, wanted, lambda _: None, lambda _: None)
    header = f"{HARNESS}.gch"
    ours = ("holders.cpp.o", "memcpy.cpp.o", "wirecost.cpp.o")
    assert waited_for == {header: "", f"{MAIN}.o": "", **dict.fromkeys(ours, header)}
