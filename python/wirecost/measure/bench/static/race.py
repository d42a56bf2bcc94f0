# SPDX-License-Identifier: Apache-2.0
"""Contenders in turns, in one thread, in several processes; what is read is checked first."""

from __future__ import annotations

import struct
from dataclasses import asdict

from wirecost.measure.bench.engine.entry import Entry, named
from wirecost.measure.bench.engine.measurement import Measurement
from wirecost.measure.bench.engine.program import Program
from wirecost.measure.bench.engine.turns import run_in_turns
from wirecost.system import scratch

from .schema import STAGES
from .settings import Settings
from .steps import Steps, of_trace, synthetic

PROGRAM = Program("static")


def run(settings: Settings, measurement: Measurement) -> None:
    """Let all contenders send the same steps. Raises UserError."""
    PROGRAM.check_installed()
    if settings.file is None:
        steps = synthetic(settings.kilometres, settings.objects)
    else:
        steps = of_trace(settings.file, settings.topic, settings.type_name, measurement.progress)
    race(steps, settings, measurement)


def race(steps: Steps, settings: Settings, measurement: Measurement) -> None:
    """Let all contenders send these steps."""
    listed = {name: about for name, *about in PROGRAM.rows("list")}
    entries = [
        Entry(name, name, named(steps.source, name), {"sent": sent}, rival=bool(int(rival)))
        for name, (sent, _, rival) in listed.items()
    ]
    lanes, boundaries, objects = steps.counts
    measurement.about(
        PROGRAM.built(),
        total=settings.rounds * len(entries),
        rounds=settings.rounds,
        processes=settings.plan.processes,
        seed=settings.seed,
        lanes=lanes,
        boundaries=boundaries,
        objects=objects,
        steps=len(steps.traffic),
        covered=steps.covered,
        changes=[asdict(change) for change in steps.changes],
        contenders={name: {"library": library} for name, (_, library, _) in listed.items()},
    )
    with (
        scratch.folder("static") as folder,
        measurement.case(steps.source, entries, settings.rounds) as case,
    ):
        (folder / "roads").write_bytes(steps.roads)
        (folder / "traffic").write_bytes(
            b"".join(struct.pack("<I", len(step)) + step for step in steps.traffic)
        )
        places = ("--roads", str(folder / "roads"), "--traffic", str(folder / "traffic"))
        run_in_turns(PROGRAM, case, settings.plan, STAGES[:-1], *places)
