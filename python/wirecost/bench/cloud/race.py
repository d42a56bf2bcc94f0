# SPDX-License-Identifier: Apache-2.0
"""One case: verify that all versions have the same answers, then let them run in turns."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from random import SystemRandom
from typing import Any

import polars as pl

from wirecost import scratch
from wirecost.bench.cloud import program
from wirecost.bench.cloud.program import Contender, Load, Served
from wirecost.bench.entry import Entry
from wirecost.bench.program import ProgramFailedError
from wirecost.bench.scenario import Case
from wirecost.heap.launch import Options, environment
from wirecost.records.probe_log import COUNTER, events_of, read_logs

PLAIN, HEAP = "plain", "heap"
HEAP_POOL = 256 << 20
BURST = {"ring": 5, "area": 1}
"""Callbacks of a turn, by study."""
FEWEST_TURNS = 3
KEEP_EVERY_S = 1.0
COUNTERS = (
    "minor-faults,major-faults,context-switches,instructions,LLC-load-misses,LLC-store-misses"
)


@dataclass(frozen=True)
class Work:
    """What the callbacks of a case are given. ``variant``: what is compared across cases, the
    scan's name or the question; ``contents``: clouds that come in turns."""

    study: str
    name: str
    variant: str
    points: int
    contents: list[bytes]
    options: tuple[str, ...] = ()
    areas: bytes = b""
    facts: dict[str, Any] = field(default_factory=dict)

    def entry(self, contender: Contender) -> Entry[Contender]:
        version, mode = contender.version, contender.mode
        who = {
            "case": self.name,
            "variant": self.variant,
            "build": "release",
            "contender": version.name,
            "mode": mode,
            "study": self.study,
            "points": self.points,
        }
        facts = {**self.facts, "heap": mode == HEAP, "counters": {}}
        return Entry(f"{version.name}, {mode}", contender, who, facts)

    def load(self, folder: Path) -> Load:
        """The same in files."""
        clouds = tuple(folder / f"cloud-{i}" for i in range(len(self.contents)))
        for path, content in zip(clouds, self.contents, strict=True):
            path.write_bytes(content)
        options = self.options
        if self.study == "area":
            (folder / "areas").write_bytes(self.areas)
            options = (*options, "--areas", str(folder / "areas"))
        return Load(self.study, clouds, options)


def run_race(work: Work, case: Case[Contender], samples: int, seconds: float) -> None:
    """Fills the entries. After ``seconds`` no turn begins, except the first three. Raises
    ProgramFailedError."""
    with scratch.folder("clouds") as folder:
        load = work.load(folder)
        case.report("verifying")
        _verify(load, case, folder)
        if not case.running:
            return
        running = case.running
        digests = _measure(load, case, samples, seconds, folder)
        for entry, found in zip(running, digests, strict=True):
            if found != digests[0]:
                who = running[0].contender.version.name
                entry.failure = f"its answers while it was timed are not {who}'s"


def _verify(load: Load, case: Case[Contender], folder: Path) -> None:
    """All versions must have the first one's answers."""
    reference: list[bytes] = []
    for version in dict.fromkeys(entry.contender.version for entry in case.entries):
        mine = [entry for entry in case.entries if entry.contender.version == version]
        try:
            answers = program.answers(load, version.name, folder / f"answers-{version.name}")
        except ProgramFailedError as error:
            for entry in mine:
                entry.failure = str(error)
            continue
        reference = reference or answers[: len(load.clouds)]
        fault = difference(answers, reference, case.entries[0].contender.version.name)
        for entry in mine:
            entry.failure = fault
            entry.bytes = len(answers[0])
            entry.digest = hashlib.blake2b(b"".join(reference), digest_size=8).hexdigest()


def difference(answers: list[bytes], reference: list[bytes], who: str) -> str | None:
    """Where answers are not those that ``who`` has, None where all are."""
    for turn, content in enumerate(answers):
        right = reference[turn % len(reference)]
        if content == right:
            continue
        if len(content) != len(right):
            return f"answers {len(content)} bytes where {who} answers {len(right)}"
        at = next(i for i, (a, b) in enumerate(zip(content, right, strict=True)) if a != b)
        return f"byte {at} of its answer differs from {who}'s"
    return None


def _measure(
    load: Load, case: Case[Contender], samples: int, seconds: float, folder: Path
) -> list[list[str]]:
    """The digest of each running entry's answers. The messages are others than those that were
    verified, and none can know which."""
    burst = BURST[load.study]
    secret = SystemRandom().getrandbits(63)
    with ExitStack() as stack:
        served: list[tuple[Entry[Contender], Served]] = []
        for entry in case.running:
            name, log = entry.contender.version.name, folder / f"log-{len(served)}"
            one = Served(load, name, log, secret, _variables(entry.contender.mode))
            stack.callback(one.end)
            served.append((entry, one))
            case.report(f"warming {name}")
            one.wait_until_warm()
        kept = time.monotonic()
        end = kept + seconds
        done = turns = 0
        try:
            while done < samples and (turns < FEWEST_TURNS or time.monotonic() < end):
                count = min(burst, samples - done)
                for entry, one in served:
                    one.call(count)
                    case.report(entry.key, count)
                done += count
                turns += 1
                if time.monotonic() - kept > KEEP_EVERY_S:
                    _keep(case, served, done)
                    kept = time.monotonic()
            return [one.finish() for _, one in served]
        finally:
            if turns:
                _keep(case, served, done)


def _variables(mode: str) -> Mapping[str, str]:
    counted = {"WIRECOST_PROBE_COUNTERS": COUNTERS}
    if mode == PLAIN:
        return counted
    heap = Options(HEAP_POOL, lock=False, huge=False, report=False, out=None, warmup_s=0)
    return environment(heap, {**os.environ, **counted})


def _keep(case: Case[Contender], served: list[tuple[Entry[Contender], Served]], count: int) -> None:
    """Ends a round: all but the first ``count`` callbacks in the probe logs are of the next one."""
    for entry, one in served:
        events = events_of(read_logs([one.log]))
        calls = events.filter(section=one.name, kind="section").sort("loop").head(count)
        counters = [name for name in calls.columns if name.startswith(COUNTER)]
        entry.facts["counters"] = {
            name.removeprefix(COUNTER): float(mean) if isinstance(mean, int | float) else None
            for name in counters
            for mean in (calls[name].mean(),)
        }
        rows = calls.slice(entry.samples).select(
            stage=pl.lit("total"),
            repetition=pl.col("loop").cast(pl.Int64),
            ns=(pl.col("end_ns") - pl.col("begin_ns")).cast(pl.Float64),
            value=pl.col("value"),
            begin_ns=pl.col("begin_ns"),
            **{name: pl.col(name) for name in counters},
        )
        entry.table(rows.to_dict(as_series=False))
    case.keep()
