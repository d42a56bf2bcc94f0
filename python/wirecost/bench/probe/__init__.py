# SPDX-License-Identifier: Apache-2.0
"""``bench probe``: what a section of a program costs that is timed and counted, scheme by scheme.

Every contender has a process of its own, since a process records one set of counters; they are
measured in turns.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl

from wirecost.bench.notification.backend import BackendFailedError
from wirecost.bench.probe import program
from wirecost.bench.probe.program import SECTIONS_OF_A_SAMPLE, Contender, Told
from wirecost.bench.probe.verification import absent, fault
from wirecost.doctor.environment import environment
from wirecost.errors import UserError
from wirecost.records.folder import write_results

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


@dataclass
class _Measured:
    runs: list[dict[str, Any]] = field(default_factory=list)
    samples: list[dict[str, Any]] = field(default_factory=list)
    not_run: dict[str, str] = field(default_factory=dict)
    interrupted: bool = False


def run(settings: Settings, folder: Path, progress: Progress) -> bool:
    """Measure all cases and fill the result folder. Returns whether Ctrl-C cut it short.

    Raises UserError if nothing could be measured.
    """
    settings.check()
    program.check_installed()
    contenders = program.contenders()
    measured = _measure(contenders, settings.samples, progress)
    if not measured.samples:
        told = [f"{run['contender']}: {run['failure']}" for run in measured.runs if run["failure"]]
        why = ": " + "; ".join(told) if told else " before the interrupt"
        raise UserError(f"nothing was measured{why}")
    meta = {
        "scenario": SCENARIO,
        "created": datetime.now().astimezone().isoformat(timespec="seconds"),
        "command": sys.argv[1:],
        "repetitions": settings.samples,
        "sections_of_a_sample": SECTIONS_OF_A_SAMPLE,
        "interrupted": measured.interrupted,
        "environment": environment() | program.built(),
        "contenders": {
            f"{c.case}: {c.label}": {
                "what": c.what,
                "system_calls": c.system_calls,
                "library": "none" if c.name in {"floor", "pmu_analyzer"} else "wirecost",
            }
            for c in contenders
        },
        "not_run": measured.not_run,
        "runs": measured.runs,
    }
    write_results(folder, meta, pl.DataFrame(measured.samples))
    return measured.interrupted


def _measure(contenders: list[Contender], samples: int, progress: Progress) -> _Measured:
    total = samples * len(contenders)
    done = 0

    def report(taken: int, text: str) -> None:
        nonlocal done
        done += taken
        progress(done, total, text)

    measured = _Measured()
    told: dict[int, Told] = {}
    shared = Path("/dev/shm")  # in memory, as docs/probe.md advises
    where = shared if os.access(shared, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="wirecost-probe-", dir=where) as folder:
        failure = None
        try:
            program.measure(samples, Path(folder), told, report)
        except BackendFailedError as error:
            failure = str(error)
        except KeyboardInterrupt:
            measured.interrupted = True
        for one in contenders:
            _keep(one, told.get(one.number, Told()), Path(folder), failure, measured)
    return measured


def _keep(
    one: Contender, told: Told, folder: Path, failure: str | None, measured: _Measured
) -> None:
    logs = folder / str(one.number)
    missing = told.missing or absent(one, logs)
    if missing:
        measured.not_run[f"{one.label} ({one.case})"] = missing
        return
    # The logs of an interrupted run end anywhere.
    problem = failure if failure or measured.interrupted else fault(one, told, logs)
    measured.runs.append(
        {
            "case": one.case,
            "variant": one.case,
            "build": "release",
            "contender": one.name,
            "mode": one.mode,
            "what": one.what,
            "counters": list(one.counters),
            "system_calls": one.system_calls,
            "message_bytes": 0,
            "message_digest": "",
            "failure": problem,
        }
    )
    if problem is None:
        measured.samples += [
            {
                "case": one.case,
                "variant": one.case,
                "build": "release",
                "contender": one.name,
                "mode": one.mode,
                "stage": "total",
                "repetition": repetition,
                "ns": ns,
                "bytes": 0,
            }
            for repetition, ns in enumerate(told.samples)
        ]
