# SPDX-License-Identifier: Apache-2.0
"""``bench probe``: what a section of a program costs that is timed and counted, scheme by scheme.

Every contender has a process of its own, since a process records one set of counters; they are
measured in turns.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from wirecost import scratch
from wirecost.bench.notification.backend import BackendFailedError
from wirecost.bench.probe import program
from wirecost.bench.probe.program import SECTIONS_OF_A_SAMPLE, Contender, Told
from wirecost.bench.probe.verification import absent, fault
from wirecost.doctor.environment import environment
from wirecost.errors import UserError
from wirecost.records.journal import Journal

SCENARIO = "probe"
MOST_SAMPLES = 1000
"""A log holds every section that is timed."""

Progress = Callable[[int, int, str], None]
"""Called with samples taken, samples in all, and what runs now."""


@dataclass(frozen=True)
class Settings:
    samples: int = 200

    def check(self) -> None:
        """Raises UserError on what cannot be run."""
        if not 1 <= self.samples <= MOST_SAMPLES:
            raise UserError(f"--samples {self.samples}: must lie between 1 and {MOST_SAMPLES}")


def run(settings: Settings, journal: Journal, progress: Progress) -> None:
    """Measure all contenders. Raises UserError on what cannot be run."""
    settings.check()
    program.check_installed()
    contenders = program.contenders()
    journal.about(
        scenario=SCENARIO,
        created=datetime.now().astimezone().isoformat(timespec="seconds"),
        command=sys.argv[1:],
        repetitions=settings.samples,
        sections_of_a_sample=SECTIONS_OF_A_SAMPLE,
        environment=environment() | program.built(),
        contenders={
            f"{c.case}: {c.label}": {
                "what": c.what,
                "system_calls": c.system_calls,
                "library": "none" if c.name in {"floor", "pmu_analyzer"} else "wirecost",
            }
            for c in contenders
        },
    )
    total, done = settings.samples * len(contenders), 0

    def report(taken: int, text: str) -> None:
        nonlocal done
        done += taken
        progress(done, total, text)

    told = {one.number: Told() for one in contenders}
    # In memory, as docs/probe.md advises.
    with scratch.folder("probe", in_memory=True) as folder:
        recorded = [
            _Recorded(one, told[one.number], folder / str(one.number), journal)
            for one in contenders
        ]

        def keep() -> None:
            for one in recorded:
                one.keep()
            journal.flush()

        failure, whole = None, False
        try:
            program.measure(settings.samples, folder, told, keep, report)
            whole = True
        except BackendFailedError as error:
            failure = str(error)
        finally:
            for one in recorded:
                one.end(failure, whole)
            not_run = {one.name: one.missing for one in recorded if one.missing}
            journal.about(not_run=not_run)


class _Recorded:
    """A contender's part of the journal. ``logs``: the folder of its probe logs."""

    def __init__(self, contender: Contender, told: Told, logs: Path, journal: Journal) -> None:
        self._contender = contender
        self._told = told
        self._logs = logs
        self._who = {
            "case": contender.case,
            "variant": contender.case,
            "build": "release",
            "contender": contender.name,
            "mode": contender.mode,
        }
        columns = {**self._who, "stage": "total", "bytes": 0}
        self._run = journal.run(self._about(None), columns)
        self._kept = 0
        self.missing: str | None = None
        """Why it does not take part."""

    @property
    def name(self) -> str:
        return f"{self._contender.label} ({self._contender.case})"

    def keep(self) -> None:
        """Its samples since the last time."""
        if self._kept == 0:
            self._look()
        for repetition in range(self._kept, len(self._told.samples)):
            self._run.row(repetition=repetition, ns=self._told.samples[repetition])
        self._kept = len(self._told.samples)

    def end(self, failure: str | None, whole: bool) -> None:
        """``whole``: the race came to its end; else its log ends anywhere."""
        if self._kept == 0:
            self._look()
        if not self.missing:
            found = fault(self._contender, self._told, self._logs) if whole else None
            self._run.about(self._about(failure or found))

    def _look(self) -> None:
        self.missing = self._told.missing or absent(self._contender, self._logs)
        if self.missing:
            self._run.about(None)

    def _about(self, failure: str | None) -> dict[str, Any]:
        return {
            **self._who,
            "what": self._contender.what,
            "counters": list(self._contender.counters),
            "system_calls": self._contender.system_calls,
            "message_bytes": 0,
            "message_digest": "",
            "failure": failure,
        }
