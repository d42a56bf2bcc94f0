# SPDX-License-Identifier: Apache-2.0
"""The co-simulations, and the result folder that they fill."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from wirecost.measure.bench.engine.entry import Entry
from wirecost.measure.bench.engine.measurement import Case, Measurement
from wirecost.measure.bench.engine.program import SCHEMAS
from wirecost.measure.bench.osi.cases import OsiWork, cases_of
from wirecost.measure.bench.osi.contenders import OsiContender, Registry
from wirecost.measure.bench.osi.fmu import Values
from wirecost.measure.bench.osi.settings import Settings
from wirecost.measure.bench.osi.trace_files import TraceFrames, can_play, check_trace, write_trace
from wirecost.measure.bench.osi.turns import run_race
from wirecost.measure.bench.osi.verification import empty_step_ns
from wirecost.measure.bench.osi.worker_process import Assignment
from wirecost.system import scratch


def run(settings: Settings, measurement: Measurement, registry: Registry | None = None) -> None:
    """Measure all cases. Raises UserError on what cannot be run."""
    if settings.trace is not None:
        check_trace(settings.trace)
    registry = registry or Registry()
    cases = cases_of(settings, registry)
    for build in {work.build for work in cases}:
        names = [name for work in cases if work.build == build for name in work.contenders]
        if missing := registry.missing(build, names):
            measurement.report(registry.effort(build, missing))
            registry.make(build, missing)
    total = sum(settings.steps * len(work.pairs) for work in cases)
    measurement.about(
        {
            "compiler": registry.manifest["compiler"],
            "flags": registry.manifest["flags"],
            "empty_step_ns": empty_step_ns(),
        },
        total=total,
        steps=settings.steps,
        processes=settings.plan.processes,
        fmi=settings.fmi,
        seed=settings.seed,
        contenders={
            name: {"wire": c.wire, "library": c.library} for name, c in registry.contenders.items()
        },
    )
    for race, work in enumerate(cases):
        logs = measurement.journal.folder / "logs" / f"{race}"
        entries = [
            _entry(registry.contenders[name], allocator, work, settings, logs)
            for name, allocator in work.pairs
            if not work.player or can_play(registry.contenders[name], _frames(work, settings))
        ]
        label = f"{work.name}, {work.variant}, {work.build}"
        with (
            scratch.folder("traces") as traces,
            measurement.case(label, entries, settings.steps) as case,
        ):
            assignments = {
                entry.key: _assignment(entry, work, settings, registry) for entry in entries
            }
            if work.player:
                _give_traces(assignments, case, work, settings, registry, traces)
            run_race(case, assignments, settings.plan, work.variant == "same-work")


def _entry(
    contender: OsiContender, allocator: str, work: OsiWork, settings: Settings, logs: Path
) -> Entry[OsiContender]:
    """Return the entry of a contender; ``logs``: folder of the race's logs."""
    key = " ".join(part for part in (contender.name, allocator) if part)
    who = {
        "case": work.name,
        "contender": contender.name,
        "mode": allocator,
        "variant": work.variant,
        "build": work.build,
        "fmi": settings.fmi,
    }
    facts = {
        "race": logs.name,
        "reflections": work.reflections,
        "objects": work.objects,
        "content": work.content,
        "read": work.read,
        "pages": work.pages,
        "player": work.player,
        "trace": str(work.trace) if work.trace else None,
        "sensor_view_bytes": None,
        "sensor_data_bytes": None,
        "sensor_view_digest": None,
        "sensor_data_digest": None,
        "peak_memory_bytes": None,
        "malloc": None,
    }
    where = logs / key.replace(" ", "-")
    return Entry(key, contender, who, facts, bytes=None, logs=where)


def _assignment(
    entry: Entry[OsiContender], work: OsiWork, settings: Settings, registry: Registry
) -> Assignment:
    contender, logs = entry.contender, entry.logs
    assert logs is not None
    logs.mkdir(parents=True)
    common: Values = {
        "published": work.variant == "published" or contender.compared == "published",
        "log_folder": str(logs.absolute()),
    }
    return Assignment(
        source=registry.archive(contender.fmus, "source", settings.fmi, work.build),
        sensor=registry.archive(contender.fmus, "sensor", settings.fmi, work.build),
        wire=contender.wire,
        schema=SCHEMAS / contender.schema,
        source_values=common | _content(work, settings),
        sensor_values=common | {"read_all": work.read == "all"},
        allocator=entry.who["mode"],
        small_pages=work.pages == "small",
    )


def _content(work: OsiWork, settings: Settings) -> Values:
    """Return the source's parameters that say what it sends."""
    return {
        "reflections": work.reflections,
        "objects": work.objects,
        "varied": work.content != "report",
        "distinct": work.content == "distinct",
        "seed": settings.seed,
    }


def _frames(work: OsiWork, settings: Settings) -> TraceFrames:
    source = None if work.trace else _content(work, settings)
    return TraceFrames(work.trace, source, settings.fmi, work.build)


def _give_traces(
    assignments: dict[str, Assignment],
    case: Case[OsiContender],
    work: OsiWork,
    settings: Settings,
    registry: Registry,
    folder: Path,
) -> None:
    """Put a trace player with a contender's trace in the place of its source."""
    frames = _frames(work, settings)
    for entry in case.entries:
        trace = write_trace(entry.contender, frames, registry, folder, case.report)
        former = assignments[entry.key]
        values = {name: former.source_values[name] for name in ("published", "log_folder")}
        assignments[entry.key] = replace(
            former,
            source=registry.archive(entry.contender.fmus, "player", settings.fmi, work.build),
            source_values=values | {"trace": str(trace)},
            poison_view=False,
        )
