# SPDX-License-Identifier: Apache-2.0
"""One case: verify that all versions say the same, then let them run in turns."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from wirecost import scratch
from wirecost.bench.cloud import program
from wirecost.bench.cloud.program import Load, Served, Version
from wirecost.bench.notification.backend import BackendFailedError
from wirecost.heap.launch import Options, environment
from wirecost.records.probe_log import COUNTER, events_of, read_logs

PLAIN, HEAP = "plain", "heap"
HEAP_POOL = 256 << 20
FEWEST_TURNS = 3
KEEP_EVERY_S = 1.0
COUNTERS = (
    "minor-faults,major-faults,context-switches,instructions,LLC-load-misses,LLC-store-misses"
)

Report = Callable[[int, str], None]
"""Called with the samples taken since the last call and what runs now."""


@dataclass
class Lane:
    """A version, plain or under the heap, and how it fared."""

    version: Version
    mode: str
    bytes: int = 0
    digest: str = ""
    failure: str | None = None
    counters: dict[str, float | None] = field(default_factory=dict)
    """Means of a callback; None for what this machine does not count."""


Keep = Callable[[list[pl.DataFrame]], None]
"""Called between rounds, at most once a second: each lane's callbacks so far, a row each with
repetition, ns, value (the points), begin_ns and ``counter:<name>``."""


def run_race(
    load: Load,
    lanes: list[Lane],
    samples: int,
    burst: int,
    seconds: float,
    report: Report,
    keep: Keep,
) -> None:
    """Fills the lanes. ``burst`` callbacks a turn; after ``seconds`` no turn begins, except the
    first three."""
    with scratch.folder("race") as folder:
        try:
            report(0, "verifying")
            expected = _verify(load, lanes, folder)
            running = [lane for lane in lanes if lane.failure is None]
            if running:
                digests = _measure(load, running, samples, burst, seconds, folder, report, keep)
                _check(running, digests, expected)
        except BackendFailedError as error:
            for lane in lanes:
                lane.failure = lane.failure or str(error)


def _verify(load: Load, lanes: list[Lane], folder: Path) -> list[str]:
    """All versions must say what the first one says; the digests of that, cloud by cloud."""
    reference: list[bytes] = []
    for version in dict.fromkeys(lane.version for lane in lanes):
        mine = [lane for lane in lanes if lane.version == version]
        try:
            said = program.said(load, version.name, folder / f"said-{version.name}")
        except BackendFailedError as error:
            for lane in mine:
                lane.failure = str(error)
            continue
        reference = reference or said[: len(load.clouds)]
        fault = _fault(said, reference, lanes[0].version.name)
        for lane in mine:
            lane.failure = fault
            lane.bytes = len(said[0])
            lane.digest = hashlib.blake2b(b"".join(reference), digest_size=8).hexdigest()
    return [program.digest(content) for content in reference]


def _fault(said: list[bytes], reference: list[bytes], who: str) -> str | None:
    for turn, content in enumerate(said):
        right = reference[turn % len(reference)]
        if content == right:
            continue
        if len(content) != len(right):
            return f"says {len(content)} bytes where {who} says {len(right)}"
        at = next(i for i, (a, b) in enumerate(zip(content, right, strict=True)) if a != b)
        return f"byte {at} of what it says differs from {who}'s"
    return None


def _measure(
    load: Load,
    lanes: list[Lane],
    samples: int,
    burst: int,
    seconds: float,
    folder: Path,
    report: Report,
    keep: Keep,
) -> list[list[str]]:
    logs = [folder / f"log-{number}" for number in range(len(lanes))]
    with ExitStack() as stack:
        served = []
        for lane, log in zip(lanes, logs, strict=True):
            one = Served(load, lane.version.name, log, _variables(lane.mode))
            stack.callback(one.kill)
            served.append(one)
            report(0, f"warming {lane.version.name}")
            one.wait_until_warm()
        kept = time.monotonic()
        end = kept + seconds
        done = turns = 0
        try:
            while done < samples and (turns < FEWEST_TURNS or time.monotonic() < end):
                now = min(burst, samples - done)
                for lane, one in zip(lanes, served, strict=True):
                    one.call(now)
                    report(now, f"{lane.version.name}, {lane.mode}")
                done += now
                turns += 1
                if time.monotonic() - kept > KEEP_EVERY_S:
                    keep(_read(lanes, logs, done))
                    kept = time.monotonic()
            return [one.finish() for one in served]
        finally:
            if turns:
                keep(_read(lanes, logs, done))


def _variables(mode: str) -> Mapping[str, str]:
    counted = {"WIRECOST_PROBE_COUNTERS": COUNTERS}
    if mode == PLAIN:
        return counted
    heap = Options(HEAP_POOL, lock=False, huge=False, report=False, out=None, warmup_s=0)
    return environment(heap, {**os.environ, **counted})


def _check(lanes: list[Lane], digests: list[list[str]], expected: list[str]) -> None:
    for lane, found in zip(lanes, digests, strict=True):
        if found != expected:
            lane.failure = "what it said when timed is not what it said when verified"


def _read(lanes: list[Lane], logs: list[Path], count: int) -> list[pl.DataFrame]:
    """The first ``count`` callbacks in each lane's probe log."""
    found = []
    for lane, log in zip(lanes, logs, strict=True):
        events = events_of(read_logs([log]))
        calls = events.filter(section=lane.version.name, kind="section").sort("loop").head(count)
        counters = [name for name in calls.columns if name.startswith(COUNTER)]
        for name in counters:
            mean = calls[name].mean()
            lane.counters[name.removeprefix(COUNTER)] = (
                float(mean) if isinstance(mean, int | float) else None
            )
        found.append(
            calls.select(
                repetition=pl.col("loop").cast(pl.Int64),
                ns=(pl.col("end_ns") - pl.col("begin_ns")).cast(pl.Float64),
                value=pl.col("value"),
                begin_ns=pl.col("begin_ns"),
                **{name: pl.col(name) for name in counters},
            )
        )
    return found
