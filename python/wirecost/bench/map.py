# SPDX-License-Identifier: Apache-2.0
"""``bench map``: a large map for several processes, copied to each or shared by all."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl
import psutil

from wirecost.bench.map_race import Case, Lane, run_race
from wirecost.doctor.environment import environment
from wirecost.errors import UserError
from wirecost.records.folder import write_results

SCENARIO = "map"
MOST_SUBSCRIBERS = 64
SPARE = 1.2
"""Times the memory that the maps take must be free."""
ABOUT = {
    "copied": {
        "library": "loopback sockets of the operating system",
        "what": "each subscriber receives the bytes into new memory of its own, as TCPROS does",
    },
    "shared": {
        "library": "memfd of the operating system",
        "what": "made in sealed shared memory, its descriptor sent, mapped read-only",
    },
}

Progress = Callable[[int, int, str], None]
"""Called with publications done, publications in all, and what runs now."""


@dataclass(frozen=True)
class Settings:
    """``size``: bytes of the map."""

    size: int = 100_000_000
    subscribers: tuple[int, ...] = (1, 4, 8)
    repetitions: int = 10
    seed: int = 1

    def check(self) -> None:
        """Raises UserError on what cannot be run."""
        if not 1_000_000 <= self.size <= 4_000_000_000:
            raise UserError(f"--size {self.size / 1e6:g}: must lie between 1 and 4000 MB")
        for count in self.subscribers:
            if not 1 <= count <= MOST_SUBSCRIBERS:
                raise UserError(f"--subscribers {count}: must lie between 1 and {MOST_SUBSCRIBERS}")
        if self.repetitions < 1:
            raise UserError(f"--repetitions {self.repetitions}: at least 1 is needed")
        needed = SPARE * self.size * (max(self.subscribers) + 2)
        free = psutil.virtual_memory().available
        if needed > free:
            raise UserError(
                f"--size {self.size / 1e6:g}: copies for {max(self.subscribers)} subscribers need "
                f"{needed / 1e9:.1f} GB, {free / 1e9:.1f} GB are free; choose a smaller map"
            )


@dataclass
class _Measured:
    runs: list[dict[str, Any]] = field(default_factory=list)
    samples: list[dict[str, Any]] = field(default_factory=list)
    interrupted: bool = False


def run(settings: Settings, folder: Path, progress: Progress) -> bool:
    """Measure all cases and fill the result folder. Returns whether Ctrl-C cut it short.

    Raises UserError if nothing could be measured.
    """
    settings.check()
    measured = _Measured()
    _run_cases(settings, measured, progress)
    if not measured.samples:
        told = [f"{run['contender']}: {run['failure']}" for run in measured.runs if run["failure"]]
        why = ": " + "; ".join(told) if told else " before the interrupt"
        raise UserError(f"nothing was measured{why}")
    meta = {
        "scenario": SCENARIO,
        "created": datetime.now().astimezone().isoformat(timespec="seconds"),
        "command": sys.argv[1:],
        "repetitions": settings.repetitions,
        "seed": settings.seed,
        "interrupted": measured.interrupted,
        "environment": environment(),
        "contenders": ABOUT,
        "runs": measured.runs,
    }
    write_results(folder, meta, pl.DataFrame(measured.samples))
    return measured.interrupted


def _run_cases(settings: Settings, measured: _Measured, progress: Progress) -> None:
    cases = [Case(settings.size, count) for count in settings.subscribers]
    done, total = 0, len(cases) * len(ABOUT) * settings.repetitions
    for case in cases:

        def report(publications: int, text: str, name: str = case.name) -> None:
            nonlocal done
            done += publications
            progress(done, total, f"{name}: {text}")

        try:
            lanes = run_race(case, settings.repetitions, settings.seed, report)
        except KeyboardInterrupt:
            measured.interrupted = True
            return
        for lane in lanes:
            _keep(case, lane, measured)


def _keep(case: Case, lane: Lane, measured: _Measured) -> None:
    shots = lane.publications if lane.failure is None else []
    who = {"case": case.name, "variant": case.name, "build": "release", "contender": lane.way}

    def middle(values: list[int]) -> int | None:
        return round(statistics.median(values)) if values else None

    measured.runs.append(
        {
            **who,
            "subscribers": case.subscribers,
            "message_bytes": case.size,
            "message_digest": lane.digest,
            "memory_bytes": middle([one.pss_bytes for one in shots]),
            "map_memory_bytes": middle([one.map_pss_bytes for one in shots]),
            "failure": lane.failure,
        }
    )
    measured.samples += [
        {
            **who,
            "subscribers": case.subscribers,
            "stage": stage,
            "repetition": repetition,
            "ns": ns,
            "bytes": case.size,
        }
        for repetition, one in enumerate(shots)
        for stage, ns in (
            ("readable", one.readable_ns),
            ("touch", one.touch_ns),
            ("total", one.total_ns),
        )
    ]
