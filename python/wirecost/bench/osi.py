# SPDX-License-Identifier: Apache-2.0
"""``bench osi``: Protobuf, FlatBuffers … over an OSMP co-simulation of a source and a sensor."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from wirecost import scratch
from wirecost.bench.contenders import PUBLISHED, SCHEMAS, Contender, Registry
from wirecost.bench.cosimulation import Values
from wirecost.bench.playing import REFLECTIONS, Frames, can_play, write_trace
from wirecost.bench.race import Lane, run_race
from wirecost.bench.worker import Assignment
from wirecost.doctor.environment import environment
from wirecost.errors import UserError
from wirecost.records.journal import Journal
from wirecost.verification import empty_step_ns

SCENARIO = "osi"
VARIANTS = ("same-work", "published")
CONTENTS = ("varied", "report")
BUILDS = ("release", "debug")
BYTES_A_REFLECTION = 28  # the largest contender's
MAX_REFLECTIONS = (2**31 - 1 - 2**20) // BYTES_A_REFLECTION
MAX_OBJECTS = 1_000_000

PLAYING = (
    "protobuf",
    PUBLISHED,
    "protobuf-arena",
    "protobuf-reuse",
    "protobuf-view",
    "flatbuffers-table",
    "columns",
)
"""Who plays the report's trace."""

Progress = Callable[[int, int, str], None]
"""Called with steps done, steps in all, and what runs now."""


@dataclass(frozen=True)
class Case:
    """One race: the same content, build and variant for all its contenders."""

    reflections: int
    objects: int
    variant: str
    content: str
    build: str
    contenders: tuple[str, ...]
    player: bool = False
    """A trace player sends what the source would have sent, or the frames of ``trace``."""
    trace: Path | None = None

    @property
    def name(self) -> str:
        if self.trace:
            return f"trace {self.trace.name}"
        content = f"{self.reflections:,} reflections, {self.objects:,} objects"
        return f"trace player, {content}" if self.player else content


@dataclass(frozen=True)
class Settings:
    cases: tuple[Case, ...]
    steps: int = 20
    fmi: int = 2
    seed: int = 1

    def check(self) -> None:
        """Raises UserError on what cannot be run."""
        if self.steps < 1:
            raise UserError(f"--steps {self.steps}: at least 1 step is needed")
        if self.fmi not in (2, 3):
            raise UserError(f"--fmi {self.fmi}: FMI 2 and FMI 3 are offered")
        if not 0 <= self.seed < 2**31:
            raise UserError(f"--seed {self.seed}: must lie between 0 and 2147483647")
        for case in self.cases:
            if case.reflections < 0:
                raise UserError(f"--reflections {case.reflections}: must not be negative")
            if case.reflections > MAX_REFLECTIONS:
                raise UserError(
                    f"--reflections {case.reflections}: the message would reach 2^31 bytes, more "
                    f"than OSMP can carry; at most {MAX_REFLECTIONS}"
                )
            if not 1 <= case.objects <= MAX_OBJECTS:
                raise UserError(f"--objects {case.objects}: must lie between 1 and {MAX_OBJECTS}")


def run(settings: Settings, journal: Journal, registry: Registry, progress: Progress) -> None:
    """Measure all cases. Raises UserError on what cannot be run."""
    settings.check()
    for build in {case.build for case in settings.cases}:
        names = [n for case in settings.cases if case.build == build for n in case.contenders]
        if missing := registry.missing(build, names):
            progress(0, 1, f"building the {build} FMUs of {', '.join(missing)}, once")
            registry.make(build, missing)
    journal.about(
        scenario=SCENARIO,
        created=datetime.now().astimezone().isoformat(timespec="seconds"),
        command=sys.argv[1:],
        steps=settings.steps,
        fmi=settings.fmi,
        seed=settings.seed,
        environment=environment()
        | {
            "compiler": registry.manifest["compiler"],
            "flags": registry.manifest["flags"],
            "empty_step_ns": empty_step_ns(),
        },
        contenders={
            name: {"wire": c.wire, "library": c.library} for name, c in registry.contenders.items()
        },
    )
    total = sum(settings.steps * len(case.contenders) for case in settings.cases)
    done = 0

    def report(steps: int, text: str) -> None:
        nonlocal done
        done += steps
        progress(done, total, text)

    for race, case in enumerate(settings.cases):
        _run_case(case, settings, race, registry, journal, report)


def _run_case(
    case: Case,
    settings: Settings,
    race: int,
    registry: Registry,
    journal: Journal,
    report: Callable[[int, str], None],
) -> None:
    logs = journal.folder / "logs" / f"{race}"
    contenders = registry.select(list(case.contenders))
    label = f"{case.name}, {case.variant}, {case.build}"

    def tell(steps: int, text: str) -> None:
        report(steps, f"{label}: {text}")

    with scratch.folder("traces") as traces:
        assignments = {
            c.name: _assignment(c, case, settings, registry, logs / c.name) for c in contenders
        }
        if case.player:
            frames = _frames(case, settings)
            contenders = [c for c in contenders if can_play(c, frames)]
            assignments = {
                c.name: _playing(
                    assignments[c.name],
                    registry.archive(c.fmus, "player", settings.fmi, case.build),
                    write_trace(c, frames, registry, traces, lambda text: tell(0, text)),
                )
                for c in contenders
            }
        lanes = [
            _Recorded(Lane(c.name), case, settings, logs / c.name, journal) for c in contenders
        ]

        def keep() -> None:
            for one in lanes:
                one.keep()

        try:
            run_race(
                [one.lane for one in lanes],
                assignments,
                settings.steps,
                case.variant == "same-work",
                tell,
                keep,
            )
        finally:
            for one in lanes:
                one.end()


class _Recorded:
    """A lane's part of the journal."""

    def __init__(
        self, lane: Lane, case: Case, settings: Settings, logs: Path, journal: Journal
    ) -> None:
        self.lane = lane
        self._about = partial(_run_record, case, settings, lane, logs.parent.name)
        columns = {
            "case": case.name,
            "contender": lane.name,
            "variant": case.variant,
            "build": case.build,
            "fmi": settings.fmi,
        }
        self._run = journal.run(self._about(), columns, logs)
        self._kept = 0

    def keep(self) -> None:
        """The turns of the round that ended."""
        if self._kept == 0 and self.lane.turns:
            self._run.about(self._about())
        for turn in self.lane.turns[self._kept :]:
            self._run.steps(turn.first_step, turn.transfer_ns)
        self._kept = len(self.lane.turns)

    def end(self) -> None:
        self._run.about(self._about())


def _assignment(
    contender: Contender, case: Case, settings: Settings, registry: Registry, logs: Path
) -> Assignment:
    logs.mkdir(parents=True)
    common: Values = {
        "published": case.variant == "published" or contender.compared == "published",
        "log_folder": str(logs.absolute()),
    }
    return Assignment(
        source=registry.archive(contender.fmus, "source", settings.fmi, case.build),
        sensor=registry.archive(contender.fmus, "sensor", settings.fmi, case.build),
        wire=contender.wire,
        schema=SCHEMAS / contender.schema,
        source_values=common | _content(case, settings),
        sensor_values=common,
        compared=contender.compared,
    )


def _content(case: Case, settings: Settings) -> Values:
    """The source's parameters that say what it sends."""
    return {
        "reflections": case.reflections,
        "objects": case.objects,
        "varied": case.content == "varied",
        "seed": settings.seed,
    }


def _frames(case: Case, settings: Settings) -> Frames:
    source = None if case.trace else _content(case, settings)
    return Frames(case.trace, source, settings.fmi, case.build)


def _playing(assignment: Assignment, player: Path, trace: Path) -> Assignment:
    """The same with a trace player in place of the source."""
    values = {name: assignment.source_values[name] for name in ("published", "log_folder")}
    return replace(
        assignment,
        source=player,
        source_values=values | {"trace": str(trace)},
        poison_view=False,
    )


def _run_record(case: Case, settings: Settings, lane: Lane, race: str) -> dict[str, Any]:
    verified = lane.verified
    return {
        "race": race,
        "case": case.name,
        "reflections": case.reflections,
        "objects": case.objects,
        "contender": lane.name,
        "variant": case.variant,
        "content": case.content,
        "player": case.player,
        "trace": str(case.trace) if case.trace else None,
        "build": case.build,
        "fmi": settings.fmi,
        "failure": lane.failure,
        "sensor_view_bytes": verified.sizes[0] if verified else None,
        "sensor_data_bytes": verified.sizes[1] if verified else None,
        "sensor_view_digest": verified.digests[0] if verified else None,
        "sensor_data_digest": verified.digests[1] if verified else None,
        "peak_memory_bytes": max((turn.peak_memory_bytes for turn in lane.turns), default=None),
    }


def cases_for(
    contenders: list[str],
    reflections: list[int],
    objects: list[int],
    variants: list[str],
    builds: list[str],
    content: str | None,
    player: bool = False,
    trace: Path | None = None,
) -> tuple[Case, ...]:
    """Every combination; content defaults to varied for same-work, the report's for published."""
    return tuple(
        Case(
            r,
            o,
            variant,
            content or _default_content(variant),
            build,
            tuple(contenders),
            player,
            trace,
        )
        for variant in variants
        for build in builds
        for r in reflections
        for o in objects
    )


def table1_cases(variants: list[str], content: str | None) -> tuple[Case, ...]:
    """The races behind the ten rows of the report's Table 1."""
    pair = ("protobuf", "flatbuffers-table")
    all_four = (*pair, "flatbuffers-object", "flatbuffers-struct")
    cases = []
    for variant in variants:
        full = Case(829_440, 10, variant, content or _default_content(variant), "release", all_four)
        cases.append(full)
        for reflections, objects in ((400_000, 10), (100_000, 10), (0, 10), (0, 200), (0, 500)):
            cases.append(replace(full, reflections=reflections, objects=objects, contenders=pair))
        cases.append(replace(full, build="debug", contenders=pair))
        playing = PLAYING if variant == "same-work" else pair
        cases.append(replace(full, reflections=REFLECTIONS, contenders=playing, player=True))
    return tuple(cases)


def _default_content(variant: str) -> str:
    return "varied" if variant == "same-work" else "report"
