# SPDX-License-Identifier: Apache-2.0
"""Lists of several sensors' elements, and real scans, in rows and in columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path

import zstandard

from wirecost.data.messages.subject import MessageReader
from wirecost.measure.bench.engine.entry import Entry, StageSample
from wirecost.measure.bench.engine.measurement import Measurement
from wirecost.measure.serializers.backend import MessageCounts, Timed
from wirecost.measure.serializers.contender import Contender
from wirecost.measure.serializers.cpp.backend import Cpp
from wirecost.measure.serializers.race import RacePart, run_race
from wirecost.measure.serializers.selection import OPTIMIZED, ContenderSelection, Generated

from ..shared.stages import Stages, combined
from . import program
from .contents import SCANNED, Content, of_scan, synthetic
from .elements import RepeatedElements, repeated_elements
from .reader import ColumnsReader, ReducedRowsReader
from .settings import Settings

ZSTD_LEVEL = 3
STAGES: Stages = {
    "encode": {"fill": 1, "encode": 1},
    "decode": {"decode": 1, "read": 1},
    "total": {"total": 1},
}
LIBRARIES = frozenset({"protobuf", "wirecost", "wirecost-protobuf", "flatbuffers-table"})
REDUCED, REDUCED_ROWS = "columns-reduced", "rows of columns-reduced"
NONE = "none"
"""Wire of floors."""


@dataclass(frozen=True)
class RaceRow:
    """A contender's names in the results, and its description."""

    name: str
    mode: str
    guarantees: str


ROWS = {
    ("protobuf", "new"): RaceRow("protobuf", "new", "owning, validating"),
    ("protobuf", "reused"): RaceRow("protobuf", "reused", "owning, validating"),
    ("wirecost-protobuf", "reused"): RaceRow("wirecost-protobuf", "reused", "owning, validating"),
    ("wirecost-protobuf", "view"): RaceRow("wirecost-protobuf", "view", "borrowing, validating"),
    ("wirecost-ros1", "reused"): RaceRow("wirecost-ros1", "reused", "owning, validating"),
    ("wirecost-ros1", "view"): RaceRow("wirecost-ros1", "view", "borrowing, validating"),
    ("flatbuffers-table", "reused"): RaceRow("flatbuffers", "view", "borrowing, validating"),
    (program.NAME, "columns"): RaceRow("columns", "view", "borrowing, validating"),
    (program.NAME, REDUCED): RaceRow(
        REDUCED, "view", "borrowing, validating, within stated errors"
    ),
    (program.NAME, "arrays"): RaceRow("arrays", "reused", "trusting; a floor"),
    (program.NAME, "memcpy"): RaceRow("memcpy", "reused", "trusting; a floor"),
}  # fmt: skip
"""Rows by library and mode, in the order of the results."""


class RepeatedBackend(Cpp):
    """The programs of a list, with the stages of this study."""

    def measured(
        self, contender: Contender, contents: Sequence[Path], keys: Sequence[str], repetitions: int
    ) -> Iterator[StageSample | Timed]:
        return combined(super().measured(contender, contents, keys, repetitions), STAGES)

    def counted(
        self, contender: Contender, content: Path, with_instructions: bool = False
    ) -> MessageCounts:
        return super().counted(contender, content, with_instructions)


@dataclass(frozen=True)
class RepeatedRace:
    """A list with its programs."""

    elements: RepeatedElements
    backend: RepeatedBackend
    rows: dict[RaceRow, Contender]

    def entries(self, variant: str, count: int) -> list[Entry[Contender]]:
        """Return an entry for each contender; ``variant``: the list, or the scan with it."""
        entries = []
        for row, contender in self.rows.items():
            who = {
                "case": f"{variant}, {count} element{'s' * (count != 1)}",
                "variant": variant,
                "build": "release",
                "contender": row.name,
                "mode": row.mode,
                "wire": contender.wire.removesuffix("-reduced"),
                "elements": count,
            }
            facts = {"list": self.elements.name, "compressed_bytes": 0, "allocations": None}
            entries.append(Entry(f"{row.name}/{row.mode}", contender, who, facts))
        return entries


def run(settings: Settings, measurement: Measurement) -> None:
    """Measure all cases. Raise UserError on what cannot be run."""
    contents = list(_contents(settings))
    races = {
        name: _race(name, settings.jobs, measurement.report)
        for name in dict.fromkeys(name for name, _, _ in contents)
    }
    measurement.about(
        {key: text for race in races.values() for key, text in race.backend.environment.items()},
        total=sum(len(races[name].rows) for name, _, _ in contents) * settings.repetitions,
        repetitions=settings.repetitions,
        processes=settings.plan.processes,
        seed=settings.seed,
        zstd_level=ZSTD_LEVEL,
        contenders={
            f"{row.name} {row.mode}": {
                "wire": contender.wire.removesuffix("-reduced"),
                "library": contender.version,
                "guarantees": row.guarantees,
            }
            for race in races.values()
            for row, contender in race.rows.items()
        },
        errors={
            name: {field.path: field.error for field in race.elements.fields if field.error > 0}
            for name, race in races.items()
        },
        not_run={
            f"{library}, {name}": reason
            for name, race in races.items()
            for library, reason in race.backend.missing.items()
        },
        types={"ns": "Float64"},
    )
    for name, variant, content in contents:
        race = races[name]
        entries = race.entries(variant, len(next(iter(content.values()))))
        with measurement.case(entries[0].who["case"], entries, settings.repetitions) as case:
            about = race.elements.subject
            messages = [about.write(race.elements.message(content))]
            part = RacePart(about, messages, race.backend, entries, facts=_facts)
            run_race([part], case, settings.plan, is_counted=True)


def _contents(settings: Settings) -> Iterator[tuple[str, str, Content]]:
    """Yield list, variant and content: synthetic ones by count, then scans."""
    for name in settings.lists:
        for count in settings.synthetic_counts:
            yield name, name, synthetic(name, count, settings.seed)
    for path in settings.scans:
        for name in settings.lists:
            if name in SCANNED:
                yield name, f"{name} of scan {path.parent.name}/{path.stem}", of_scan(name, path)


def _race(name: str, jobs: int, say: Callable[[str], None]) -> RepeatedRace:
    """Compile what is not in the cache. Raise UserError where there is no compiler."""
    plain = repeated_elements(name)
    readers: dict[str, MessageReader] = {
        "columns": ColumnsReader(plain),
        REDUCED: ColumnsReader(plain, is_reduced=True),
        REDUCED_ROWS: ReducedRowsReader(plain),
    }
    elements = replace(plain, subject=replace(plain.subject, readers=readers))
    own = elements.subject.wire
    ours = partial(Contender, "cpp", program.NAME, version=f"wirecost {version('wirecost')}")
    floor = partial(Contender, "cpp", program.NAME, wire=NONE, version=NONE, again=own)
    generated = Generated(
        program.NAME,
        partial(program.generate, elements),
        (
            ours(mode="columns", wire="columns", again=own),
            ours(mode=REDUCED, wire=REDUCED, again=REDUCED_ROWS),
            floor(mode="arrays"),
            floor(mode="memcpy"),
        ),
    )
    selection = ContenderSelection(LIBRARIES, generated=(generated,), flags=OPTIMIZED, jobs=jobs)
    backend = RepeatedBackend(elements.subject, selection, lambda text: say(f"{name}: {text}"))
    contenders = {
        (_row_name(contender), contender.mode): contender for contender in backend.contenders()
    }
    return RepeatedRace(
        elements, backend, {row: contenders[key] for key, row in ROWS.items() if key in contenders}
    )


def _row_name(contender: Contender) -> str:
    is_ours = contender.library.partition("-")[0] == "wirecost"
    return f"wirecost-{contender.wire}" if is_ours else contender.library


def _facts(sent: Sequence[bytes]) -> dict[str, int]:
    compressed = (zstandard.compress(message, ZSTD_LEVEL) for message in sent if message)
    return {"compressed_bytes": sum(map(len, compressed))}
