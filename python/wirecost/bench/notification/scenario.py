# SPDX-License-Identifier: Apache-2.0
"""``bench notification`` as a whole: settings, cases, and the result folder they fill."""

from __future__ import annotations

from dataclasses import dataclass

from wirecost.bench import limits
from wirecost.bench.allocators import NAMED
from wirecost.bench.notification.backend import Backend, Contender, Content
from wirecost.bench.notification.choices import CONTENTS, LANGUAGES, MODES, WIRES
from wirecost.bench.notification.cpp import MEASURED, Cpp
from wirecost.bench.notification.java import Java
from wirecost.bench.notification.python import Python
from wirecost.bench.notification.race import run_race
from wirecost.bench.processes import PROCESSES, Plan, plan
from wirecost.bench.scenario import Measurement, Progress
from wirecost.errors import UserError
from wirecost.records.journal import Journal

SCENARIO = "notification"
TICKET_SIZES = (4, 8, 16, 32, 64, 128)
LARGEST_SIZE = 65_536


@dataclass(frozen=True)
class Settings:
    """``allocators``: of ``allocators.NAMED``, for C++; none for the one this program has."""

    languages: tuple[str, ...] = LANGUAGES
    sizes: tuple[int, ...] = TICKET_SIZES
    modes: tuple[str, ...] = MODES
    contents: tuple[str, ...] = CONTENTS
    wires: tuple[str, ...] = WIRES
    repetitions: int = 30
    seed: int = 1
    processes: int = PROCESSES
    allocators: tuple[str, ...] = ()

    def check(self) -> None:
        """Raises UserError on what cannot be run."""
        for size in self.sizes:
            limits.between("--sizes", size, 1, LARGEST_SIZE)
        limits.at_least_one("--repetitions", self.repetitions)
        limits.at_least_one("--processes", self.processes)
        limits.seed(self.seed)

    def plan(self, lang: str) -> Plan:
        """Virtual machines take seconds to compile what they run: JMH's own fork is one process."""
        return plan(self.repetitions, 1 if lang == "java" else self.processes, self.seed)


def run(settings: Settings, journal: Journal, progress: Progress) -> None:
    """Measure all cases. Raises UserError on what cannot be run."""
    settings.check()
    cpp = Cpp(settings.allocators or ("",))
    reason = cpp.missing()
    if reason:
        raise UserError(f"the messages cannot be made: {reason}")
    contents = [
        Content(kind, size, settings.seed) for kind in settings.contents for size in settings.sizes
    ]
    middle = contents[(len(settings.sizes) - 1) // 2]
    backends: list[Backend] = [cpp, Python(cpp.messages), Java(cpp.messages, middle)]
    not_run: dict[str, str] = {}
    racing: list[tuple[Backend, list[Contender]]] = []
    for backend in backends:
        if backend.lang not in settings.languages:
            continue
        progress(0, 1, f"{backend.lang}: starting")
        if why := backend.missing():
            not_run[backend.lang] = why
            continue
        not_run |= {f"{backend.lang} {name}": why for name, why in backend.not_run().items()}
        if chosen := _chosen(backend.contenders(), settings):
            racing.append((backend, chosen))
    if not racing:
        reasons = "".join(f"; {name}: {why}" for name, why in not_run.items())
        raise UserError(
            f"no contender of {', '.join(settings.languages)} has mode {', '.join(settings.modes)} "
            f"on {', '.join(settings.wires)}{reasons}"
        )
    repetitions = settings.repetitions
    total = sum(repetitions * len(chosen) * len(contents) for _, chosen in racing)
    measurement = Measurement(journal, progress, total)
    measurement.about(
        SCENARIO,
        MEASURED.built(),
        repetitions=repetitions,
        processes=settings.plan("").processes,
        seed=settings.seed,
        contenders={
            f"{c.lang} {c.label} {c.mode}": c.about for _, contenders in racing for c in contenders
        },
        allocators={name: NAMED[name].settings for name in settings.allocators},
        not_run=not_run,
        types={"ns": "Float64", "bytes": "Float64"},
    )
    for content in contents:
        messages = cpp.messages(content)
        for backend, chosen in racing:
            entries = [contender.entry(content) for contender in chosen]
            with measurement.case(f"{backend.lang}, {content.case}", entries, repetitions) as case:
                run_race(backend, case, content, messages, settings.plan(backend.lang))


def _chosen(contenders: list[Contender], settings: Settings) -> list[Contender]:
    return [c for c in contenders if c.mode in settings.modes and c.wire in settings.wires]
