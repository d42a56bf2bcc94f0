# SPDX-License-Identifier: Apache-2.0
"""``bench tensor`` as a whole: settings, cases, and the result folder they fill."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from wirecost.bench import limits
from wirecost.bench.processes import PROCESSES
from wirecost.bench.tensor import addresses
from wirecost.bench.tensor.camera import Camera
from wirecost.bench.tensor.cases import Case, Entry, Plan, plan
from wirecost.bench.tensor.content import CONTENTS, Source
from wirecost.bench.tensor.interpreters import Interpreter
from wirecost.bench.tensor.pair import PATTERNS
from wirecost.bench.tensor.plugins import DEVICES, PLUGINS, SHARED
from wirecost.bench.tensor.race import (
    WARM_UP,
    Outcome,
    Pairs,
    Round,
    rounds_of,
    run_back_to_back,
    run_round,
    warm_up_of,
)
from wirecost.bench.tensor.remote import LostError, Remote
from wirecost.bench.tensor.schedule import GC_POLICY
from wirecost.doctor.environment import environment
from wirecost.errors import UserError
from wirecost.records.journal import Journal, Run

SCENARIO = "tensor"
PAPER_TRIALS = 2000
LARGEST = 1 << 30
"""Bytes of an array."""
START_S = 3.0
"""What starting a pair of processes takes, roughly."""
BLOCK_S = 0.4

Progress = Callable[[int, int, str], None]
"""Called with messages sent, messages in all, and what runs now."""


@dataclass(frozen=True)
class Settings:
    plugins: tuple[str, ...]
    mwares: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...] = ((200, 200),)
    dtypes: tuple[str, ...] = ("float64",)
    devices: tuple[str, ...] = ("cpu",)
    content: str = "ones"
    rate: float = 100.0
    """Messages per second."""
    trials: int = 200
    pattern: str = "pubsub"
    sweep: bool = False
    addresses: dict[str, str] = field(default_factory=dict)
    """Where a contender's ends meet, if it does not decide that itself."""
    processes: int = PROCESSES
    """Pairs of them, or where nothing travels single ones: of each contender, one a round."""
    seed: int = 1
    """Of the contenders' order in each round."""
    interpreters: dict[str, Interpreter] = field(default_factory=dict)
    """Of plugins that have one of their own."""

    def check(self) -> None:
        """Raises UserError on what cannot be run."""
        limits.between("--trials", self.trials, 1, 1_000_000)
        limits.between("--processes", self.processes, 1, 1_000)
        limits.seed(self.seed)
        if not 0.1 <= self.rate <= 10_000:
            raise UserError(f"--rate {self.rate:g}: must lie between 0.1 and 10000 Hz")
        if self.content not in CONTENTS:
            raise UserError(f"--content {self.content}: there are {', '.join(CONTENTS)}")
        if self.pattern not in PATTERNS:
            raise UserError(f"--pattern {self.pattern}: there are {', '.join(PATTERNS)}")
        if self.pattern == "reqrep" and set(self.devices) != {"cpu"}:
            raise UserError("--pattern reqrep: measures the host's memory only; leave cuda out")
        for name in self.dtypes:
            try:
                usable = np.dtype(name).kind in "iufc"
            except TypeError:
                usable = False
            if not usable:
                raise UserError(
                    f"--dtype {name}: give numeric types, such as float32, uint8 or int64"
                )
        for shape in self.shapes:
            size = int(np.prod(shape, dtype=np.float64)) * 16
            if min(shape, default=0) < 1 or size > 16 * LARGEST:
                text = "x".join(map(str, shape))
                raise UserError(f"--shape {text}: give positive extents, below {LARGEST} elements")

    def plan(self, remote: Remote | None = None) -> Plan:
        """What can be measured. Raises UserError if nothing can."""
        if remote is not None and SHARED in self.devices:
            raise UserError(f"--device {SHARED}: stays on this machine; leave --peer out")

        def refusal(name: str) -> str | None:
            if remote is None:
                return None
            return addresses.refusal(name, self.addresses, remote.loopback)

        return plan(
            list(self.plugins), list(self.mwares), list(self.shapes), list(self.dtypes),
            list(self.devices), self.rate, self.trials, self.pattern, self.sweep,
            refusal, self.interpreters,
        )  # fmt: skip


def expected_seconds(made: Plan, processes: int) -> float:
    """How long measuring takes, roughly: messages at their rate, and starting."""
    rounds = max(len(rounds_of(case.trials, processes)) for case in made.cases)
    starts = {(entry.mware, entry.apart) for case in made.cases for entry in case.entries}
    blocks = sum(
        len(case.entries)
        * (
            rounds * BLOCK_S
            + (case.trials + rounds * warm_up_of(case.nbytes)) / (case.rate or 1000.0)
        )
        for case in made.cases
    )
    return START_S * rounds * len(starts) + blocks


def run(
    settings: Settings,
    made: Plan,
    journal: Journal,
    progress: Progress,
    remote: Remote | None = None,
) -> str | None:
    """Measure all cases; ``remote``: where listeners are.

    Returns how the other machine was lost if it was.
    """
    names = {entry.plugin for case in made.cases for entry in case.entries if entry.plugin}
    journal.about(
        scenario=SCENARIO,
        created=datetime.now().astimezone().isoformat(timespec="seconds"),
        command=sys.argv[1:],
        trials=settings.trials,
        rate=settings.rate,
        content=settings.content,
        pattern=settings.pattern,
        warm_up=WARM_UP,
        processes=settings.processes,
        seed=settings.seed,
        gc=GC_POLICY,
        environment=environment() | {"packages": _versions(names - set(settings.interpreters))},
        interpreters={
            name: {"path": str(one.path), "packages": one.packages}
            for name, one in settings.interpreters.items()
        },
        contenders={name: contender.about() for name, contender in made.contenders.items()},
        not_run=made.not_run,
        listener=remote.about if remote else None,
        lost=None,
    )
    logs = journal.folder / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    total = sum(case.trials * len(case.entries) for case in made.cases)
    done = 0
    pairs = Pairs(
        made.contenders, settings.pattern, logs, settings.addresses, remote, settings.interpreters
    )
    recorded = [
        [_Recorded(Outcome(entry), case, settings, journal) for entry in case.entries]
        for case in made.cases
    ]

    def report(messages: int, text: str) -> None:
        nonlocal done
        done += messages
        progress(done, total, text)

    try:
        _run_rounds(settings, made.cases, recorded, pairs, journal, report)
    except LostError as error:
        journal.about(lost=str(error))
        return str(error)
    finally:
        pairs.end()
        for entries in recorded:
            for one in entries:
                one.end()
    return None


def _run_rounds(
    settings: Settings,
    cases: list[Case],
    recorded: list[list[_Recorded]],
    pairs: Pairs,
    journal: Journal,
    report: Callable[[int, str], None],
) -> None:
    """Every case has its turn in each round, so that new processes serve all of them. Raises
    LostError."""
    rounds = [rounds_of(case.trials, settings.processes) for case in cases]
    for number in range(max(map(len, rounds))):
        for case, trials, entries in zip(cases, rounds, recorded, strict=True):
            if number >= len(trials):
                continue

            def told(messages: int, text: str, name: str = case.name) -> None:
                report(messages, f"{name}: {text}")

            def keep(entries: list[_Recorded] = entries) -> None:
                for one in entries:
                    one.keep()
                journal.flush()

            outcomes = [one.outcome for one in entries]
            turn = Round(number, trials[number], settings.seed)
            run_round(case, pairs, settings.content, settings.pattern, turn, outcomes, told, keep)
            last = number == len(trials) - 1
            if settings.sweep and last and settings.pattern == "pubsub" and not case.one_process:
                run_back_to_back(case, pairs, settings.content, outcomes, told)
        pairs.end()


class _Recorded:
    """An entry's part of the journal."""

    def __init__(self, outcome: Outcome, case: Case, settings: Settings, journal: Journal) -> None:
        self.outcome = outcome
        self._case = case
        self._settings = settings
        self._journal = journal
        self._run: Run | None = None
        self._kept = 0
        name = case.name if settings.pattern == "pubsub" else f"{case.name}, {settings.pattern}"
        self._who = {
            "case": name,
            "variant": settings.content,
            "build": "release",
            "contender": outcome.entry.mware,
            "mode": outcome.entry.plugin,
            **_identity(case, outcome.entry, settings),
        }

    def keep(self) -> None:
        """The samples of the block that ended."""
        found = self.outcome
        if len(found.samples) == self._kept:
            return
        run = self._about()
        columns: dict[str, list[Any]] = {"stage": [], "repetition": [], "process": [], "ns": []}
        for at in range(self._kept, len(found.samples)):
            for stage, ns in found.samples[at].items():
                row = (stage, at, found.rounds[at], ns)
                for name, value in zip(columns, row, strict=True):
                    columns[name].append(value)
        run.table(columns)
        self._kept = len(found.samples)

    def end(self) -> None:
        self._about()

    def _about(self) -> Run:
        """The journal's entry, with what is known by now."""
        outcome, counts = self.outcome, self.outcome.counts
        about = {
            **self._who,
            "asked_rate": self._case.rate,
            "rate": counts.rate if self._case.rate else None,
            "sent": counts.sent,
            "received": counts.received,
            "lost": counts.lost,
            "late": counts.late if self._case.rate else None,
            "most_lag_ns": counts.most_lag_ns if self._case.rate else None,
            "clock_offset_ns": outcome.clock_offset_ns,
            "clock_bound_ns": outcome.clock_bound_ns,
            "duplicates": counts.duplicates,
            "reordered": counts.reordered,
            "bytes_per_s": outcome.bytes_per_s,
            "lost_without_pause": outcome.lost_without_pause,
            "message_bytes": outcome.nbytes,
            "message_digest": _digest(self._case, self._settings.content, outcome.entry.image),
            "failure": outcome.failure,
        }
        if self._run is None:
            self._run = self._journal.run(about, {**self._who, "bytes": outcome.nbytes})
        else:
            self._run.about(about)
        return self._run


def _identity(case: Case, entry: Entry, settings: Settings) -> dict[str, str]:
    return {
        "plugin": entry.plugin,
        "mware": entry.mware,
        "dtype": case.dtype,
        "shape": case.shape_text,
        "pattern": settings.pattern,
        "device": case.device,
    }


@cache
def _digest(case: Case, content: str, image: bool) -> str:
    """Of message 0, which every contender sent and received equal."""
    array = (Camera if image else Source)(case.shape, case.dtype, content).array(0)
    return hashlib.blake2b(array.tobytes(), digest_size=8).hexdigest()


def _versions(plugins: set[str]) -> dict[str, str]:
    modules = {PLUGINS[name].pip or PLUGINS[name].module.partition(".")[0] for name in plugins}
    return {name: _version(name) for name in sorted(modules | {"numpy"})}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown version"


__all__ = [
    "DEVICES",
    "PAPER_TRIALS",
    "SCENARIO",
    "Settings",
    "expected_seconds",
    "run",
]
