# SPDX-License-Identifier: Apache-2.0
"""A contender in a case, as the questions about it need it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wirecost.results.analysis.summary import Row
from wirecost.results.records.longer_run import ENOUGH
from wirecost.results.records.schemas.transport import TransportRun

SENT = 0.98
"""Share of the asked rate that must have been sent."""
ENOUGH_FOR_P999 = 10 * ENOUGH
"""As many of them are above the 99.9th percentile."""


@dataclass(frozen=True)
class Where:
    """Facts that all contenders of a case have in common, but the size."""

    network: str
    subscribers: int
    pattern: str


@dataclass(frozen=True)
class Who:
    """A contender. Those that differ in ``settings`` alone are one transport."""

    mware: str
    client: str
    settings: str

    @property
    def transport(self) -> tuple[str, str]:
        return self.mware, self.client


@dataclass(frozen=True)
class Asked:
    """A contender in a case."""

    run: TransportRun

    @property
    def case(self) -> str:
        return self.run.case

    @property
    def size(self) -> int:
        return self.run.size

    @property
    def where(self) -> Where:
        return Where(self.run.network, self.run.subscribers, self.run.pattern)

    @property
    def who(self) -> Who:
        return Who(self.run.mware, self.run.client, self.run.settings)


@dataclass(frozen=True)
class Failed(Asked):
    """A contender in a case that has no measurement: it failed."""


@dataclass(frozen=True)
class MeasuredTransport(Asked):
    """A contender in a case. Times in nanoseconds."""

    p50_ns: float
    p99_ns: float
    p999_ns: float
    max_ns: float
    p50_ci95_ns: tuple[float, float]
    """Interval in which the median lies with 95 % certainty."""

    @property
    def cost_ns(self) -> float | None:
        """Processor time per message, of all parts and of the kernel's own threads."""
        parts = [part.cpu_ns for part in self.run.usage.values()]
        measured_parts = [ns for ns in parts if ns is not None]
        if not measured_parts or len(measured_parts) < len(parts):
            return None
        return float(sum(measured_parts)) + (self.run.machine_cpu_ns or 0.0)

    @property
    def expected(self) -> int:
        """Messages that should have arrived."""
        return self.run.received + self.run.lost

    @property
    def all_lost(self) -> int:
        """Lost messages, with those before anything was timed."""
        return self.run.lost + self.run.lost_before

    @property
    def flaws(self) -> tuple[str, ...]:
        """Flaws of the delivery; nothing of how long messages took."""
        run = self.run
        before = f"{run.lost_before:,} + " if run.lost_before else ""
        parts = [
            (self.all_lost, f"{before}{share(run.lost, self.expected)} lost"),
            (run.refused, f"{share(run.refused, run.sent + run.refused)} refused"),
            (run.duplicates, f"{share(run.duplicates, self.expected)} twice"),
            (run.reordered, f"{share(run.reordered, self.expected)} out of order"),
        ]
        slow = run.asked_rate and run.rate is not None and run.rate < SENT * run.asked_rate
        return (
            *(text for count, text in parts if count),
            *([f"sent at {run.rate:.0f} of {run.asked_rate:g} Hz"] if slow else []),
        )

    @property
    def arrives(self) -> bool:
        """True if what the transport took came once and in order, whatever it refused."""
        run = self.run
        return run.received > 0 and not any(
            (run.lost, run.lost_before, run.duplicates, run.reordered)
        )

    @property
    def has_tail(self) -> bool:
        """True where ``p99_ns`` is of enough messages."""
        return self.run.received >= ENOUGH

    @property
    def has_far_tail(self) -> bool:
        """True where ``p999_ns`` is of enough messages."""
        return self.run.received >= ENOUGH_FOR_P999

    @property
    def period_ns(self) -> float | None:
        """Time between two messages; None where they were sent as fast as possible."""
        return 1e9 / self.run.asked_rate if self.run.asked_rate else None

    @property
    def tail_ns(self) -> float:
        """The 99th percentile, or the median of few messages."""
        return self.p99_ns if self.has_tail else self.p50_ns

    @property
    def delivers(self) -> bool:
        """Every message once, in order, as often as was asked."""
        return not self.flaws


def failed(runs: Sequence[TransportRun]) -> list[Failed]:
    """Return the contenders of a folder's runs that have no measurement."""
    return [Failed(run) for run in runs if run.failure]


def share(count: int, of: int) -> str:
    """Return ``3 of 1,000``."""
    return f"{count:,} of {max(of, count):,}"


def measured(rows: list[Row]) -> list[MeasuredTransport]:
    """Return every contender in every case, in the order of a folder's rows."""
    return [
        MeasuredTransport(
            row.run_as(TransportRun),
            row.median_ns,
            row.p99_ns,
            row.p999_ns,
            row.max_ns,
            row.ci95_ns,
        )
        for row in rows
        if row.stage == "total"
    ]
