# SPDX-License-Identifier: Apache-2.0
"""One case: verify that all versions have the same answers, then let them run in turns."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from random import SystemRandom

import polars as pl

from wirecost.measure.bench.engine.entry import Entry
from wirecost.measure.bench.engine.measurement import Case
from wirecost.measure.bench.engine.processes import ProcessPlan
from wirecost.observe.heap.launch import Options, environment
from wirecost.results.records.probe_log import COUNTER, events_of, read_logs
from wirecost.system import scratch
from wirecost.system.children import ProgramFailedError
from wirecost.system.waiting import Deadline

from . import program
from .program import CallbackLoad, CloudContender, Served

PLAIN, HEAP = "plain", "heap"
HEAP_POOL = 256 << 20
BURST = {"ring": 5, "area": 1}
"""Callbacks of a turn, by study."""
KEEP_EVERY_S = 1.0
COUNTERS = (
    "minor-faults,major-faults,context-switches,instructions,LLC-load-misses,LLC-store-misses"
)


@dataclass(frozen=True)
class CloudWork:
    """Input of a case's callbacks.

    ``variant``: name that is compared across cases, the scan's or the question; ``contents``:
    clouds that come in turns.
    """

    study: str
    name: str
    variant: str
    points: int
    contents: list[bytes]
    options: tuple[str, ...] = ()
    areas: bytes = b""
    facts: dict[str, object] = field(default_factory=dict)

    def entry(self, contender: CloudContender) -> Entry[CloudContender]:
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

    def load(self, folder: Path) -> CallbackLoad:
        """Return the same in files."""
        clouds = tuple(folder / f"cloud-{i}" for i in range(len(self.contents)))
        for path, content in zip(clouds, self.contents, strict=True):
            path.write_bytes(content)
        options = self.options
        if self.study == "area":
            (folder / "areas").write_bytes(self.areas)
            options = (*options, "--areas", str(folder / "areas"))
        return CallbackLoad(self.study, clouds, options)


def run_race(
    work: CloudWork, case: Case[CloudContender], plan: ProcessPlan, seconds: float
) -> None:
    """Fill the entries. Raises ProgramFailedError.

    After ``seconds`` no turn begins, except the first of each process.
    """
    with scratch.folder("clouds") as folder:
        load = work.load(folder)
        case.report("verifying")
        _verify(load, case, folder)
        secret = SystemRandom().getrandbits(63)
        entries = {entry.key: entry for entry in case.running}
        calls: dict[str, list[pl.DataFrame]] = {key: [] for key in entries}
        done = 0
        for process in range(plan.processes if entries else 0):
            order = [entries[key] for key in plan.order(process, list(entries))]
            with _Turns(load, case, order, process, done, secret, folder) as turns:
                done += turns.take(plan.samples_of(process), seconds / plan.processes, calls)
                digests = turns.digests()
            for entry in entries.values():
                if digests[entry.key] != digests[next(iter(entries))]:
                    who = next(iter(entries.values())).contender.version.name
                    entry.failure = f"its answers while it was timed are not {who}'s"


def _verify(load: CallbackLoad, case: Case[CloudContender], folder: Path) -> None:
    """Let versions fail whose answers are not the first one's."""
    reference: list[bytes] = []
    for version in dict.fromkeys(entry.contender.version for entry in case.entries):
        entries_of_version = [entry for entry in case.entries if entry.contender.version == version]
        try:
            answers = program.answers(load, version.name, folder / f"answers-{version.name}")
        except ProgramFailedError as error:
            for entry in entries_of_version:
                entry.failure = str(error)
            continue
        reference = reference or answers[: len(load.clouds)]
        fault = difference(answers, reference, case.entries[0].contender.version.name)
        for entry in entries_of_version:
            entry.failure = fault
            entry.bytes = len(answers[0])
            entry.digest = hashlib.blake2b(b"".join(reference), digest_size=8).hexdigest()


def difference(answers: list[bytes], reference: list[bytes], who: str) -> str | None:
    """Return where answers differ from those of ``who``, None where none does."""
    for turn, content in enumerate(answers):
        right = reference[turn % len(reference)]
        if content == right:
            continue
        if len(content) != len(right):
            return f"answers {len(content)} bytes where {who} answers {len(right)}"
        at = next(i for i, (a, b) in enumerate(zip(content, right, strict=True)) if a != b)
        return f"byte {at} of its answer differs from {who}'s"
    return None


class _Turns:
    """Processes, one of each contender; they run in turns, in the entries' order.

    ``before``: callbacks that each had in earlier processes. Methods raise ProgramFailedError. The
    messages differ from those that were verified, and no contender can know them.
    """

    def __init__(
        self,
        load: CallbackLoad,
        case: Case[CloudContender],
        entries: list[Entry[CloudContender]],
        number: int,
        before: int,
        secret: int,
        folder: Path,
    ) -> None:
        self._load, self._case, self._entries = load, case, entries
        self._number, self._before, self._secret, self._folder = number, before, secret, folder
        self._stack = ExitStack()
        self._served: list[tuple[Entry[CloudContender], Served]] = []

    def __enter__(self) -> _Turns:
        with ExitStack() as stack:
            for entry in self._entries:
                name = entry.contender.version.name
                log = self._folder / f"log-{self._number}-{len(self._served)}"
                variables = _variables(entry.contender.mode)
                served = Served(self._load, name, log, self._secret, self._before, variables)
                stack.callback(served.end)
                self._served.append((entry, served))
                self._case.report(f"warming {name}")
                served.wait_until_warm()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def take(self, samples: int, seconds: float, calls: dict[str, list[pl.DataFrame]]) -> int:
        """Run callbacks and return how many each contender had; ``calls`` gets them all."""
        burst = BURST[self._load.study]
        end, next_keep = Deadline(seconds), Deadline(KEEP_EVERY_S)
        done = written = 0
        try:
            while done < samples and (done == 0 or not end.passed):
                count = min(burst, samples - done)
                for entry, served in self._served:
                    served.call(count)
                    self._case.report(entry.key, count)
                done += count
                if next_keep.passed:
                    written = self._keep(written, done, calls)
                    next_keep = Deadline(KEEP_EVERY_S)
        finally:
            if written < done:
                self._keep(written, done, calls)
        return done

    def digests(self) -> dict[str, str]:
        """Return the digest of each entry's answers."""
        return {entry.key: served.finish() for entry, served in self._served}

    def _keep(self, written: int, done: int, calls: dict[str, list[pl.DataFrame]]) -> int:
        """End a round: callbacks in the probe logs beyond the first ``done`` are of the next."""
        for entry, served in self._served:
            events = events_of(read_logs([served.log]))
            callbacks = events.filter(section=served.name, kind="section").sort("loop")
            calls[entry.key].append(callbacks.slice(written, done - written))
            _add(entry, calls[entry.key], self._number)
        self._case.keep()
        return done


def _add(entry: Entry[CloudContender], calls: list[pl.DataFrame], process: int) -> None:
    """Add the last of these tables as samples, and counters' means over all by now."""
    counters = [name for name in calls[-1].columns if name.startswith(COUNTER)]
    together = pl.concat([table.select(counters) for table in calls], how="vertical_relaxed")
    entry.facts["counters"] = {
        name.removeprefix(COUNTER): float(mean) if isinstance(mean, int | float) else None
        for name in counters
        for mean in (together[name].mean(),)
    }
    rows = calls[-1].select(
        stage=pl.lit("total"),
        repetition=pl.col("loop").cast(pl.Int64),
        process=pl.lit(process),
        ns=(pl.col("end_ns") - pl.col("begin_ns")).cast(pl.Float64),
        value=pl.col("value"),
        begin_ns=pl.col("begin_ns"),
        **{name: pl.col(name) for name in counters},
    )
    entry.table(rows.to_dict(as_series=False))


def _variables(mode: str) -> Mapping[str, str]:
    counted = {"WIRECOST_PROBE_COUNTERS": COUNTERS}
    if mode == PLAIN:
        return counted
    heap = Options(HEAP_POOL, lock=False, huge=False, report=False, out=None, warmup_s=0)
    return environment(heap, {**os.environ, **counted})
