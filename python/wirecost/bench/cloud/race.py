# SPDX-License-Identifier: Apache-2.0
"""One case: verify that all versions say the same, then let them run in turns."""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from wirecost.bench.cloud import program
from wirecost.bench.cloud.program import Load, Served, Version
from wirecost.bench.notification.backend import BackendFailedError
from wirecost.heap.launch import Options, environment
from wirecost.records.probe_log import COUNTER, events_of, read_logs

PLAIN, HEAP = "plain", "heap"
HEAP_POOL = 256 << 20
FEWEST_TURNS = 3
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


@dataclass
class Outcome:
    lanes: list[Lane]
    samples: pl.DataFrame | None = None
    """A row a callback: version, mode, repetition, ns, value (the points), begin_ns and
    ``counter:<name>``."""
    interrupted: bool = False


def run_race(
    load: Load, samples: int, burst: int, seconds: float, modes: tuple[str, ...], report: Report
) -> Outcome:
    """``burst`` callbacks a turn; after ``seconds`` no turn begins, except the first three.

    Ctrl-C ends it with nothing measured, and ``interrupted`` set.
    """
    found = program.versions(load.study)
    outcome = Outcome([Lane(version, mode) for version in found for mode in modes])
    with tempfile.TemporaryDirectory(prefix="wirecost-cloud-") as name:
        folder = Path(name)
        try:
            report(0, "verifying")
            expected = _verify(load, outcome.lanes, folder)
            lanes = [lane for lane in outcome.lanes if lane.failure is None]
            if lanes:
                digests = _measure(load, lanes, samples, burst, seconds, folder, report)
                _check(lanes, digests, expected)
                outcome.samples = _read(lanes, folder)
        except BackendFailedError as error:
            for lane in outcome.lanes:
                lane.failure = lane.failure or str(error)
        except KeyboardInterrupt:
            outcome.interrupted = True
    return outcome


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
) -> list[list[str]]:
    with ExitStack() as stack:
        served = []
        for number, lane in enumerate(lanes):
            one = Served(load, lane.version.name, folder / f"log-{number}", _variables(lane.mode))
            stack.callback(one.kill)
            served.append(one)
            report(0, f"warming {lane.version.name}")
            one.wait_until_warm()
        end = time.monotonic() + seconds
        done = turns = 0
        while done < samples and (turns < FEWEST_TURNS or time.monotonic() < end):
            now = min(burst, samples - done)
            for lane, one in zip(lanes, served, strict=True):
                one.call(now)
                report(now, f"{lane.version.name}, {lane.mode}")
            done += now
            turns += 1
        return [one.finish() for one in served]


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


def _read(lanes: list[Lane], folder: Path) -> pl.DataFrame | None:
    """The callbacks in the lanes' probe logs."""
    parts = []
    for number, lane in enumerate(lanes):
        if lane.failure is not None:
            continue
        events = events_of(read_logs([folder / f"log-{number}"]))
        calls = events.filter(section=lane.version.name, kind="section").sort("loop")
        counters = [name for name in calls.columns if name.startswith(COUNTER)]
        for name in counters:
            mean = calls[name].mean()
            lane.counters[name.removeprefix(COUNTER)] = (
                float(mean) if isinstance(mean, int | float) else None
            )
        parts.append(
            calls.select(
                version=pl.lit(lane.version.name),
                mode=pl.lit(lane.mode),
                repetition=pl.col("loop").cast(pl.Int64),
                ns=(pl.col("end_ns") - pl.col("begin_ns")).cast(pl.Float64),
                value=pl.col("value"),
                begin_ns=pl.col("begin_ns"),
                **{name: pl.col(name) for name in counters},
            )
        )
    return pl.concat(parts, how="diagonal") if parts else None
