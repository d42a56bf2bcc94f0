# SPDX-License-Identifier: Apache-2.0
"""``bench map``: a large map for several processes, copied to each or shared by all."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import psutil

from wirecost.bench.map_race import WAYS, Case, Lane, run_race
from wirecost.doctor.environment import environment
from wirecost.errors import UserError
from wirecost.records.journal import Journal

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


def run(settings: Settings, journal: Journal, progress: Progress) -> None:
    """Measure all cases. Raises UserError on what cannot be run."""
    settings.check()
    journal.about(
        scenario=SCENARIO,
        created=datetime.now().astimezone().isoformat(timespec="seconds"),
        command=sys.argv[1:],
        repetitions=settings.repetitions,
        seed=settings.seed,
        environment=environment(),
        contenders=ABOUT,
    )
    cases = [Case(settings.size, count) for count in settings.subscribers]
    done, total = 0, len(cases) * len(ABOUT) * settings.repetitions
    for case in cases:

        def report(publications: int, text: str, name: str = case.name) -> None:
            nonlocal done
            done += publications
            progress(done, total, f"{name}: {text}")

        lanes = [_Recorded(Lane(way), case, journal) for way in WAYS]

        def keep(lanes: list[_Recorded] = lanes) -> None:
            for one in lanes:
                one.keep()
            journal.flush()

        try:
            bare = [one.lane for one in lanes]
            run_race(case, settings.repetitions, settings.seed, bare, report, keep)
        finally:
            for one in lanes:
                one.end()


class _Recorded:
    """A lane's part of the journal."""

    def __init__(self, lane: Lane, case: Case, journal: Journal) -> None:
        self.lane = lane
        self._case = case
        self._who = {
            "case": case.name, "variant": case.name, "build": "release", "contender": lane.way,
        }  # fmt: skip
        columns = {**self._who, "subscribers": case.subscribers, "bytes": case.size}
        self._run = journal.run(self._about(), columns)
        self._kept = 0

    def keep(self) -> None:
        """The publications of the round that ended."""
        shots = self.lane.publications
        for repetition in range(self._kept, len(shots)):
            one = shots[repetition]
            for stage, ns in (
                ("readable", one.readable_ns),
                ("touch", one.touch_ns),
                ("total", one.total_ns),
            ):
                self._run.row(stage=stage, repetition=repetition, ns=ns)
        if len(shots) > self._kept:
            self._run.about(self._about())
        self._kept = len(shots)

    def end(self) -> None:
        self._run.about(self._about())

    def _about(self) -> dict[str, Any]:
        shots = self.lane.publications if self.lane.failure is None else []
        return {
            **self._who,
            "subscribers": self._case.subscribers,
            "message_bytes": self._case.size,
            "message_digest": self.lane.digest,
            "memory_bytes": _middle([one.pss_bytes for one in shots]),
            "map_memory_bytes": _middle([one.map_pss_bytes for one in shots]),
            "failure": self.lane.failure,
        }


def _middle(values: list[int]) -> int | None:
    return round(statistics.median(values)) if values else None
