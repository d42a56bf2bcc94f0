# SPDX-License-Identifier: Apache-2.0
"""Costs that hold the same time, so that no time is counted twice.

A price that regression found for a number holds all that goes along with that number: of ``200 µs +
20 µs per switch + blocked``, where each switch blocks for 20 µs, a switch is priced at 40 µs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from wirecost.results.analysis.causes.explanation import Cause, Cost, Origin
from wirecost.results.analysis.causes.kinds import is_duration, kind_of
from wirecost.results.analysis.causes.linear import Correlations
from wirecost.results.analysis.causes.numbers import Executions

WAITS, LOCKS, BLOCKED = "lock-waits", "lock-wait-ns", "blocked-ns"
ALIKE = 0.5
"""Share of a number's variance from which on it goes along with a cause."""
TOGETHER = 1.1
"""Share of the whole that costs may take together, since they are estimates."""


def without_overlaps(executions: Executions, costs: list[Cost], causes: list[Cause]) -> list[Cost]:
    """Return ``costs``, each with the one that it may be part of as ``within``.

    ``costs``: what costs most first. What is followed from one to the next by ``within`` ends at
    one that is counted.
    """
    overlaps = _Overlaps(executions, costs, {cause.name for cause in causes})
    apart = [replace(cost, within=overlaps.of(cost)) for cost in costs]
    median_ns = float(np.median(executions.ns))
    return _no_more_than(median_ns, float(executions.ns[executions.slowest].mean()), apart)


def _no_more_than(median_ns: float, slowest_ns: float, costs: list[Cost]) -> list[Cost]:
    """Put costs that together take clearly more than there is into one another.

    First come those with a price far above the machine's, which is that of what comes with it, and
    the least at last. Prices that one regression found share nothing, so these are left: they are
    estimates.
    """
    while True:
        counted = [cost for cost in costs if cost.within is None]
        parts = [
            cost for cost in counted if cost.benchmark_ns or cost.origin is not Origin.REGRESSION
        ]
        if (
            not parts
            or len(counted) < 2
            or (
                sum(cost.ns_median for cost in counted) <= TOGETHER * median_ns
                and sum(cost.ns_slowest for cost in counted) <= TOGETHER * slowest_ns
            )
        ):
            return costs
        part = min(parts, key=lambda cost: (cost.benchmark_ns is None, cost.ns_slowest))
        whole = max(
            (cost for cost in counted if cost is not part), key=lambda cost: cost.ns_slowest
        )
        costs = [replace(cost, within=whole.name) if cost is part else cost for cost in costs]


class _Overlaps:
    def __init__(self, executions: Executions, costs: list[Cost], causes: set[str]) -> None:
        self._executions = executions
        self._costs = {cost.name: cost for cost in costs}
        self._causes = causes
        self._first: dict[str, str] = {}
        """Counter that counts, by event: a price of these executions is preferred."""
        for cost in sorted(costs, key=self._rank):
            if not is_duration(cost.name) and (event := kind_of(cost.name).event) is not None:
                self._first.setdefault(event, cost.name)

    def of(self, cost: Cost) -> str | None:
        if is_duration(cost.name):
            return self._of_duration(cost.name)
        first = self._first.get(kind_of(cost.name).event or "", cost.name)
        if first != cost.name:
            return first
        if cost.origin is not Origin.MACHINE:
            return None
        if cost.name == WAITS and LOCKS in self._costs:
            return LOCKS
        if cost.name in self._causes:
            # Of its tail the price is one of these executions, which holds the time waited.
            return self._most_alike(cost.name, lambda cost: cost.origin is not Origin.MACHINE)
        return self._most_alike(cost.name, lambda cost: cost.name in self._causes)

    def _of_duration(self, name: str) -> str | None:
        """Return what holds waited time: for locks it is blocked time.

        The price of what waits may hold both.
        """
        if name == LOCKS and BLOCKED in self._costs:
            return BLOCKED
        if name in self._causes:
            return None
        return self._most_alike(name, lambda cost: cost.origin is Origin.REGRESSION)

    def _most_alike(self, name: str, wanted: Callable[[Cost], bool]) -> str | None:
        """Return the wanted cost that ``name`` goes along with most, if that is clear."""
        others = [cost.name for cost in self._costs.values() if cost.name != name and wanted(cost)]
        alike = dict(self._alike(name, others))
        most = max(alike, key=lambda name: alike[name], default=None)
        return most if most is not None and alike[most] >= ALIKE else None

    def _alike(self, name: str, others: list[str]) -> Iterable[tuple[str, float]]:
        numbers = self._executions.numbers
        model = Correlations([numbers[other] for other in others], numbers[name])
        if model.spread == 0:
            return
        for at, other in enumerate(others):
            if model.varies[at]:
                yield other, 1 - model.left([at])

    def _rank(self, cost: Cost) -> int:
        if cost.origin is Origin.REGRESSION:
            return 0
        return 1 if cost.name in self._causes else 2
