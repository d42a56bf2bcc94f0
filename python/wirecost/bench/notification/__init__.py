# SPDX-License-Identifier: Apache-2.0
"""``bench notification``: a small message over several wires, in C++, Python and Java."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from wirecost.bench.notification.backend import Backend, Contender, Content
from wirecost.bench.notification.cpp import Cpp
from wirecost.bench.notification.java import Java
from wirecost.bench.notification.python import Python
from wirecost.bench.notification.race import Lane, run_race
from wirecost.bench.recorded import RecordedRace
from wirecost.doctor.environment import environment
from wirecost.errors import UserError
from wirecost.records.journal import Journal

SCENARIO = "notification"
LANGUAGES = ("cpp", "python", "java")
MODES = ("new", "reused", "arena", "view", "facade")
CONTENTS = ("ticket", "realistic")
WIRES = ("protobuf", "ros1", "cdr")
TICKET_SIZES = (4, 8, 16, 32, 64, 128)
LARGEST_SIZE = 65_536
COLUMNS = ("case", "variant", "build", "lang", "contender", "mode", "wire", "factor")

Progress = Callable[[int, int, str], None]
"""Called with samples taken, samples in all, and what runs now."""


@dataclass(frozen=True)
class Settings:
    languages: tuple[str, ...] = LANGUAGES
    sizes: tuple[int, ...] = TICKET_SIZES
    modes: tuple[str, ...] = MODES
    contents: tuple[str, ...] = CONTENTS
    wires: tuple[str, ...] = WIRES
    repetitions: int = 20
    seed: int = 1

    def check(self) -> None:
        """Raises UserError on what cannot be run."""
        for size in self.sizes:
            if not 1 <= size <= LARGEST_SIZE:
                raise UserError(f"--sizes {size}: must lie between 1 and {LARGEST_SIZE}")
        if self.repetitions < 1:
            raise UserError(f"--repetitions {self.repetitions}: at least 1 is needed")
        if not 0 <= self.seed < 2**63:
            raise UserError(f"--seed {self.seed}: must lie between 0 and 2^63 - 1")


def run(settings: Settings, journal: Journal, progress: Progress) -> None:
    """Measure all cases. Raises UserError on what cannot be run."""
    settings.check()
    cpp = Cpp()
    reason = cpp.missing()
    if reason:
        raise UserError(f"the messages cannot be made: {reason}")
    contents = [
        Content(kind, size, settings.seed) for kind in settings.contents for size in settings.sizes
    ]
    middle = contents[(len(settings.sizes) - 1) // 2]
    backends: list[Backend] = [cpp, Python(cpp.messages), Java(cpp.messages, middle)]
    left_out: dict[str, str] = {}
    racing: list[tuple[Backend, list[Contender]]] = []
    for backend in backends:
        if backend.lang not in settings.languages:
            continue
        progress(0, 1, f"{backend.lang}: starting")
        why = backend.missing()
        if why:
            left_out[backend.lang] = why
            continue
        left_out |= {f"{backend.lang} {name}": w for name, w in backend.not_run().items()}
        chosen = _chosen(backend.contenders(), settings)
        if chosen:
            racing.append((backend, chosen))
    if not racing:
        told = "; ".join(f"{name}: {why}" for name, why in left_out.items())
        raise UserError(
            f"no contender of {', '.join(settings.languages)} has mode {', '.join(settings.modes)} "
            f"on {', '.join(settings.wires)}{'; ' + told if told else ''}"
        )
    journal.about(
        scenario=SCENARIO,
        created=datetime.now().astimezone().isoformat(timespec="seconds"),
        command=sys.argv[1:],
        repetitions=settings.repetitions,
        seed=settings.seed,
        environment=environment() | cpp.built(),
        contenders={
            f"{c.lang} {c.label} {c.mode}": {
                "wire": c.wire,
                "library": c.library,
                "guarantees": c.guarantees,
            }
            for _, contenders in racing
            for c in contenders
        },
        not_run=left_out,
        types={"ns": "Float64", "bytes": "Float64"},
    )
    _run_cases(cpp, racing, contents, settings, journal, progress)


def _chosen(contenders: list[Contender], settings: Settings) -> list[Contender]:
    return [c for c in contenders if c.mode in settings.modes and c.wire in settings.wires]


def _run_cases(
    cpp: Cpp,
    racing: list[tuple[Backend, list[Contender]]],
    contents: list[Content],
    settings: Settings,
    journal: Journal,
    progress: Progress,
) -> None:
    total = sum(settings.repetitions * len(c) * len(contents) for _, c in racing)
    done = 0
    for content in contents:
        messages = cpp.messages(content)
        for backend, contenders in racing:
            label = f"{backend.lang}, {content.case}"

            def report(samples: int, text: str, label: str = label) -> None:
                nonlocal done
                done += samples
                progress(done, total, f"{label}: {text}")

            lanes = [Lane(contender) for contender in contenders]
            about = {lane.contender.key: partial(_about, lane, content) for lane in lanes}
            race = RecordedRace(journal, about, COLUMNS)
            try:
                run_race(backend, lanes, content, messages, settings.repetitions, report, race.keep)
            finally:
                race.end()


def _about(lane: Lane, content: Content) -> dict[str, Any]:
    contender = lane.contender
    return {
        "case": content.case,
        "variant": content.kind,
        "build": "release",
        "lang": contender.lang,
        "contender": contender.label,
        "mode": contender.mode,
        "wire": contender.wire,
        "factor": content.factor,
        "message_bytes": lane.bytes,
        "message_digest": lane.digest,
        "allocations": lane.counted.allocations,
        "instructions": lane.counted.instructions,
        "failure": lane.failure,
    }
