# SPDX-License-Identifier: Apache-2.0
"""Measurements of a contender in a case, over all rounds, and their record."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np

from wirecost.measure.bench.engine.entry import Entry
from wirecost.measure.bench.transport.cases import TransportCase
from wirecost.measure.bench.transport.contender import TransportContender
from wirecost.measure.bench.transport.joining import TransportCounts
from wirecost.measure.bench.transport.price import Price, PricedPart
from wirecost.measure.bench.transport.session import TransportBlock
from wirecost.results.records.schemas.transport import Peak, Usage
from wirecost.system.counted import counted

Columns = dict[str, list[Any]]
LOST = " lost"
"""End of the reason why a rate did not hold."""
STAGES = 3
"""Stages of each message, in either pattern."""


@dataclass
class TransportOutcome:
    """Outcome of a contender in a case; ``entry``: its part of the journal."""

    case: TransportCase
    entry: Entry[TransportContender]
    command: tuple[str, ...]
    """Words of a command line that measures this alone, but for the rate."""
    rounds: int = 0
    counts: TransportCounts = field(default_factory=TransportCounts)
    first: TransportCounts = field(default_factory=TransportCounts)
    """Counts of messages that were compared before anything was timed."""
    price: Price = field(default_factory=Price)
    wire: list[int | None] = field(default_factory=lambda: [0, 0])
    peak: Peak | None = None

    @property
    def contender(self) -> TransportContender:
        return self.entry.contender

    def compared(self, counts: TransportCounts) -> None:
        """Count a block before the timed one: losses count, times do not."""
        self.first.add(counts)
        self.state()

    def lose(self, counts: TransportCounts) -> None:
        """Count a block of which nothing arrived."""
        self.counts.add(counts)
        self.state()

    def add(self, block: TransportBlock) -> None:
        """Add a round's block, with its samples."""
        self.counts.add(block.counts)
        self.price.add(block.price)
        passed = block.wire.there, block.wire.back
        self.wire = [
            None if total is None or more is None else total + more
            for total, more in zip(self.wire, passed, strict=True)
        ]
        self.entry.table(_samples(block, self.rounds, self.entry.samples // STAGES))
        self.rounds += 1
        self.state()

    def state(self) -> None:
        """Update the entry's record."""
        self.entry.facts.update(self._facts())

    def _facts(self) -> dict[str, Any]:
        counts, setting = self.counts, self.contender.setting
        messages = max(1, counts.sent)
        there, back = self.wire
        broken, rate = self._broken()
        return {
            "asked_rate": self.case.rate,
            "rate": counts.rate,
            "queue": setting.queue,
            "reliable": setting.reliable,
            "promise": "no loss" if setting.promise else "",
            "broken": broken,
            "reproduce": " ".join([*self.command, "--rate", f"{rate:.6g}"]),
            "sent": counts.sent,
            "refused": counts.refused,
            "received": counts.received,
            "lost": counts.lost,
            "duplicates": counts.duplicates,
            "reordered": counts.reordered,
            "wrong": counts.wrong,
            "checked": counts.checked + self.first.checked,
            "lost_before": self.first.lost,
            "usage": {
                name: msgspec.to_builtins(_usage(part, messages))
                for name, part in self.price.parts.items()
            },
            "machine_cpu_ns": self.price.kernel_ns / messages,
            "wire_bytes": None if there is None else there / messages,
            "wire_bytes_back": None if back is None else back / messages,
            "peak": msgspec.to_builtins(self.peak),
        }

    def _broken(self) -> tuple[str, float]:
        """Return how a promise was broken, and the rate at which that shows."""
        counts, rate = self.counts, self.case.rate
        setting = self.contender.setting
        if not setting.promise:
            return "", rate
        for of, when in ((counts, ""), (self.first, ", before anything was timed")):
            if of.lost and not _excused(of, setting.longest_wait_s):
                expected = of.sent * self.case.subscribers
                were = "was" if of.lost == 1 else "were"
                return f"{of.lost:,} of {counted(expected, 'message')} {were} lost{when}", rate
        if setting.longest_wait_s:
            # The rates that were tried do not say how long their calls waited.
            return "", rate
        for tried_rate, _, why, *_ in self.peak.tried if self.peak else ():
            if LOST in str(why):
                return f"at {tried_rate:,.0f} Hz {why}", float(tried_rate or 0)
        return "", rate


def _excused(counts: TransportCounts, longest_wait_s: float) -> bool:
    """Return whether a call waited so long that the settings let its message be lost."""
    return 0 < longest_wait_s * 1e9 <= counts.longest_ns


def _usage(part: PricedPart, messages: int) -> Usage:
    return Usage(
        cpu_ns=part.cpu_ns / messages,
        kernel_ns=part.kernel_ns / messages,
        wait_ns=None if part.wait_ns is None else part.wait_ns / messages,
        switches=part.switches / messages,
        memory_bytes=part.memory_bytes,
        processes=part.processes,
        source=part.source,
    )


def _samples(block: TransportBlock, number: int, before: int) -> Columns:
    """Return the rows of a round: for each message at each subscriber one of every stage."""
    columns: Columns = {name: [] for name in ("stage", "repetition", "process", "subscriber", "ns")}
    for subscriber, arrivals in enumerate(block.arrivals):
        many = len(arrivals.number)
        repetitions = np.arange(before, before + many).tolist()
        for stage, ns in arrivals.stages.items():
            columns["stage"] += [stage] * many
            columns["repetition"] += repetitions
            columns["process"] += [number] * many
            columns["subscriber"] += [subscriber] * many
            columns["ns"] += ns.tolist()
        before += many
    return columns
