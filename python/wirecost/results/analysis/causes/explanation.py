# SPDX-License-Identifier: Apache-2.0
"""Explanation of one section's time. All times are nanoseconds, all shares 0 to 1."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Origin(StrEnum):
    """Origin of the price of one fault, switch or unit."""

    REGRESSION = "regression"
    """Regression of these executions: how the time varies with the number."""
    MACHINE = "machine"
    """Benchmark on the machine, where the number hardly varies."""
    ITSELF = "itself"
    """The number is a time, as that spent waiting."""


@dataclass(frozen=True)
class Cost:
    """Price times count of one counter or of the input (``value``)."""

    name: str
    ns_each: float
    """Among all but the slowest 1 %; what the slowest cost has the price of the cause."""
    origin: Origin
    count_median: float
    """Median of the fifth of the executions around the median; where all of that at this price
    were more than the median's time, what it is beyond the least count."""
    count_slowest: float
    """Mean of the slowest 1 % of executions, likewise."""
    ns_median: float
    """At most the median itself."""
    ns_slowest: float
    """At most the mean time of the slowest 1 %."""
    benchmark_ns: float | None
    """The machine's price, where that of these executions is more than ``costs.FAR`` times as high:
    then it is the price of something that comes with the event."""
    advice: str
    within: str | None
    """The cost that this goes along with or counts again, so that its time may be part of that."""
    holds_waiting: bool = False
    """A switch or migration at a price that none has, where the time waiting for a processor was
    not recorded: most of it is that waiting."""


@dataclass(frozen=True)
class Cause:
    """A counter, or ``value`` for the number that the program recorded, that the time follows."""

    name: str
    variance: float
    """Its share of the variance of the time; what causes explain together is divided fairly."""
    alone: float
    """The part of the variance that no other cause of the list explains."""
    slowest: float
    """Share of what the slowest 1 % of executions took beyond the median."""
    usual: float
    """Its share of the variance among the other executions."""
    undisturbed: float
    """Share of the variance among those during which no other thread ran; as ``usual`` if few
    are."""
    ns_each: float
    rivals: list[str]
    """Numbers that explain the same as well: the times do not show which one it is."""
    power: float | None
    """The time grows with this power of the value, where that is clearly not the first."""
    advice: str


@dataclass(frozen=True)
class Steady:
    """Events that hardly an execution is without.

    They are too alike in all for a price of their own, and the machine has none for them.
    """

    name: str
    each: float
    """Events of the median execution."""
    advice: str


@dataclass(frozen=True)
class Explanation:
    """Costs and causes, what costs most first: of the median or of the tail, whichever is more."""

    section: str
    executions: int
    median_ns: float
    slowest_ns: float
    """Mean of the slowest 1 %."""
    costs: list[Cost]
    """One for each cause, and for what has a price without the time varying with it."""
    causes: list[Cause]
    unexplained_variance: float
    unexplained_slowest: float
    absent: list[str]
    """Counters that were asked for and have no value here; marks read none."""
    steady: list[Steady]
    waits_uncounted: bool = False
    """Executions had context switches, but the time waiting for a processor was not recorded."""
    waits_counted: bool = False
    """The time waiting for a processor and the time blocked were both recorded."""
    processor_median_ns: float | None = None
    """Processor time of the executions around the median; None where it was not recorded."""

    @property
    def rest_median_ns(self) -> float:
        """Part of the median that no cost covers."""
        covered = sum(cost.ns_median for cost in self.costs if cost.within is None)
        return max(0.0, self.median_ns - covered)

    @property
    def rest_slowest_ns(self) -> float:
        """Part of the mean of the slowest 1 % that no cost covers."""
        covered = sum(cost.ns_slowest for cost in self.costs if cost.within is None)
        return max(0.0, self.slowest_ns - covered)

    def cause(self, name: str) -> Cause | None:
        return next((cause for cause in self.causes if cause.name == name), None)
