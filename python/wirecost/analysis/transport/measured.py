# SPDX-License-Identifier: Apache-2.0
"""A contender in a case, as the questions about it need it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wirecost.analysis.summary import Row

SENT = 0.98
"""Of the asked rate must have been sent."""
ENOUGH = 990
"""Arrivals, about 1,000, from which on a 99th percentile says something."""


@dataclass(frozen=True)
class Where:
    """What all contenders of a case have in common, but the size."""

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
class Measured:
    """Times in nanoseconds, rates in messages per second, counts over all subscribers."""

    case: str
    where: Where
    who: Who
    size: int
    asked_rate: float
    rate: float | None
    p50_ns: float
    p99_ns: float
    p999_ns: float
    max_ns: float
    ci95_ns: tuple[float, float]
    sent: int
    refused: int
    received: int
    lost: int
    duplicates: int
    reordered: int
    usage: dict[str, dict[str, Any]]
    """By part: publisher, subscribers, daemon."""
    kernel_ns: float | None
    """Processor time per message that is in no process's name."""
    wire_bytes: float | None
    peak: dict[str, Any] | None
    promise: str
    broken: str
    lost_before: int = 0
    """Of the messages that were compared before anything was timed."""

    @property
    def cost_ns(self) -> float | None:
        """Processor time per message, of all parts and of the kernel's own threads."""
        known = [part["cpu_ns"] for part in self.usage.values()]
        if not known or any(one is None for one in known):
            return None
        return float(sum(known)) + (self.kernel_ns or 0.0)

    @property
    def expected(self) -> int:
        """Messages that should have arrived."""
        return self.received + self.lost

    @property
    def flaws(self) -> tuple[str, ...]:
        """What became of messages that should not have; nothing of how long they took."""
        before = f"{self.lost_before:,} + " if self.lost_before else ""
        parts = [
            (self.lost + self.lost_before, f"{before}{share(self.lost, self.expected)} lost"),
            (self.refused, f"{share(self.refused, self.sent + self.refused)} refused"),
            (self.duplicates, f"{share(self.duplicates, self.expected)} twice"),
            (self.reordered, f"{share(self.reordered, self.expected)} out of order"),
        ]
        slow = self.asked_rate and self.rate is not None and self.rate < SENT * self.asked_rate
        return (
            *(text for count, text in parts if count),
            *([f"sent at {self.rate:.0f} of {self.asked_rate:g} Hz"] if slow else []),
        )

    @property
    def arrives(self) -> bool:
        """What the transport took came once and in order, whatever it refused."""
        bad = self.lost, self.lost_before, self.duplicates, self.reordered
        return self.received > 0 and not any(bad)

    @property
    def has_tail(self) -> bool:
        """Whether ``p99_ns`` is of enough messages."""
        return self.received >= ENOUGH

    @property
    def tail_ns(self) -> float:
        """The 99th percentile, or the median of few messages."""
        return self.p99_ns if self.has_tail else self.p50_ns

    @property
    def delivers(self) -> bool:
        """Every message once, in order, as often as was asked."""
        return not self.flaws


@dataclass(frozen=True)
class Failed:
    """A contender in a case that has no measurement: it failed."""

    case: str
    where: Where
    who: Who
    size: int
    failure: str


Asked = Measured | Failed


def failed(runs: Sequence[Mapping[str, Any]]) -> list[Failed]:
    """``runs``: a folder's."""
    return [
        Failed(
            run["case"],
            Where(run["network"], run["subscribers"], run["pattern"]),
            Who(run["mware"], run["client"], run["settings"]),
            run["size"],
            run["failure"],
        )
        for run in runs
        if run["failure"]
    ]


def share(count: int, of: int) -> str:
    """``3 of 1,000``."""
    return f"{count:,} of {max(of, count):,}"


def measured(rows: list[Row]) -> list[Measured]:
    """Of every contender in every case, in the order of the rows; ``rows``: a folder's."""
    return [_measured(row) for row in rows if row.stage == "total"]


def _measured(row: Row) -> Measured:
    facts = row.facts
    return Measured(
        case=row.case,
        where=Where(facts["network"], facts["subscribers"], facts["pattern"]),
        who=Who(facts["mware"], facts["client"], facts["settings"]),
        size=facts["size"],
        asked_rate=facts["asked_rate"],
        rate=facts["rate"],
        p50_ns=row.median_ns,
        p99_ns=row.p99_ns,
        p999_ns=facts["p999_ns"],
        max_ns=facts["max_ns"],
        ci95_ns=row.ci95_ns,
        sent=facts["sent"],
        refused=facts["refused"],
        received=facts["received"],
        lost=facts["lost"],
        duplicates=facts["duplicates"],
        reordered=facts["reordered"],
        usage=facts["usage"] or {},
        kernel_ns=facts["machine_cpu_ns"],
        wire_bytes=facts["wire_bytes"],
        peak=facts["peak"],
        promise=facts["promise"] or "",
        broken=facts["broken"] or "",
        lost_before=facts.get("lost_before") or 0,
    )
