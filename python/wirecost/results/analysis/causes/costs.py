# SPDX-License-Identifier: Apache-2.0
"""Price times count: how much of the median and of the tail each number takes.

A constant number of faults costs time, but the time does not vary with it, so regression finds no
price. There the price that a benchmark measured on the machine stands in, and is marked as such. A
number that is a time, as the time spent waiting for a processor, needs no price.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from wirecost.results.analysis.causes.advice import WAITED, advice_for
from wirecost.results.analysis.causes.explanation import Cause, Cost, Origin, Steady
from wirecost.results.analysis.causes.kinds import is_avoidable, is_duration, kind_of
from wirecost.results.analysis.causes.numbers import Executions
from wirecost.results.analysis.causes.overlaps import without_overlaps

NOTABLE = 0.01
"""Share of the median or of the tail below which a number without a cause is not listed."""
RARELY = 0.05
"""Share of the executions that may be without steady events."""
FAR = 20.0
"""A price that is more than this many times the machine's is not that of the event: cold caches do
not explain it."""
SWITCHED_NS = 10_000.0
"""At most a switch or a migration of a thread costs itself, where the machine's price is unknown;
what takes ``FAR`` times as long is waiting meanwhile."""
PROPORTIONAL = 1.1
"""A cost may exceed the median by this factor, since both are estimates."""


def costs_of(
    executions: Executions,
    causes: list[Cause],
    usual: Mapping[str, float],
    prices: Mapping[str, float],
) -> list[Cost]:
    """Return what costs most first.

    ``usual``: prices of causes among all but the slowest executions; ``prices``: the machine's,
    nanoseconds by ``Kind.event``.
    """
    costs = []
    for name in executions.numbers:
        cause = next((candidate for candidate in causes if candidate.name == name), None)
        of_machine = prices.get(kind_of(name).event or "")
        if is_duration(name):
            cost = _cost(executions, name, (1.0, 1.0), Origin.ITSELF)
        elif cause is not None:
            # Of what grows with the power p, the line through it is p times as steep.
            power = cause.power or 1.0
            pair = usual.get(name, cause.ns_each) / power, cause.ns_each / power
            origin = Origin.REGRESSION
            if of_machine is not None and _impossible(executions, name, pair[0]):
                pair, origin = (of_machine, pair[1]), Origin.MACHINE
            cost = _cost(executions, name, pair, origin)
        elif of_machine is not None:
            cost = _cost(executions, name, (of_machine, of_machine), Origin.MACHINE)
        else:
            continue
        if cause is not None or _share(executions, cost) >= NOTABLE:
            far = of_machine if of_machine and _shown(cost) > FAR * of_machine else None
            waiting = _holds_waiting(executions, cost, of_machine)
            advice = advice_for(name, far is not None or waiting, executions.numbers)
            costs.append(replace(cost, benchmark_ns=far, advice=advice, holds_waiting=waiting))
    costs.sort(key=lambda cost: -_share(executions, cost))
    return without_overlaps(executions, costs, causes)


def steady_of(
    executions: Executions, causes: list[Cause], prices: Mapping[str, float]
) -> list[Steady]:
    """Return the avoidable events that nearly every execution has, and that have no price."""
    causing = {cause.name for cause in causes}
    steady_costs = [
        Steady(name, float(np.median(array)), kind_of(name).advice)
        for name, array in executions.numbers.items()
        if name not in causing
        and kind_of(name).event not in prices
        and is_avoidable(name)
        and np.quantile(array, RARELY) >= 1
    ]
    return sorted(steady_costs, key=lambda steady: -steady.each)


def without_price(executions: Executions, cause: Cause, prices: Mapping[str, float]) -> bool:
    """Say whether a cause's price is impossible.

    All executions may have 88,807 allocations and few one more, and what varied of it takes no
    time: then nothing is known of what it costs.
    """
    if prices.get(kind_of(cause.name).event or "") is not None or is_duration(cause.name):
        return False
    return _impossible(executions, cause.name, cause.ns_each) and (
        _share(executions, _cost(executions, cause.name, (cause.ns_each,) * 2, Origin.REGRESSION))
        < NOTABLE
    )


def _cost(
    executions: Executions,
    name: str,
    pair: tuple[float, float],
    origin: Origin,
) -> Cost:
    """Return a cost.

    ``pair``: the price in usual executions and in the slowest: a switch that lets a long job run
    must not make all switches dear.
    """
    numbers = executions.numbers[name]
    price, of_slowest = pair
    usual = _usual(executions, name)
    slowest = float(numbers[executions.slowest].mean())
    median_ns, slowest_ns = _whole(executions)
    if origin is Origin.REGRESSION and _impossible(executions, name, price):
        # Without any there would be no time left: only what varied is known to cost that price.
        usual, slowest = usual - float(numbers.min()), slowest - float(numbers.min())
    return Cost(
        name=name,
        ns_each=price,
        origin=origin,
        count_median=usual,
        count_slowest=slowest,
        ns_median=float(np.clip(price * usual, 0, max(0.0, median_ns))),
        ns_slowest=float(np.clip(of_slowest * slowest, 0, max(0.0, slowest_ns))),
        benchmark_ns=None,
        advice=kind_of(name).advice,
        within=None,
    )


def _holds_waiting(executions: Executions, cost: Cost, of_machine: float | None) -> bool:
    if WAITED in executions.numbers or kind_of(cost.name).unit not in ("switch", "migration"):
        return False
    return _shown(cost) > FAR * (of_machine or SWITCHED_NS)


def _shown(cost: Cost) -> float:
    """Return the price of the median execution.

    If it has none of the events, of the slowest 1 %.
    """
    if cost.count_median == 0 and cost.count_slowest > 0:
        return cost.ns_slowest / cost.count_slowest
    return cost.ns_each


def _impossible(executions: Executions, name: str, price: float) -> bool:
    """Say whether the median execution's count, at this price, takes longer than that execution.

    What made others slow came with the event, but is no part of its usual price.
    """
    return price * _usual(executions, name) > PROPORTIONAL * _whole(executions)[0]


def _usual(executions: Executions, name: str) -> float:
    return float(np.median(executions.numbers[name][executions.around_median]))


def _share(executions: Executions, cost: Cost) -> float:
    """Return the share of the median or of the tail, whichever is more."""
    median_ns, slowest_ns = _whole(executions)
    of_median = cost.ns_median / median_ns if median_ns > 0 else 0.0
    of_slowest = cost.ns_slowest / slowest_ns if slowest_ns > 0 else 0.0
    return max(of_median, of_slowest)


def _whole(executions: Executions) -> tuple[float, float]:
    """Return the median, and the mean of the slowest 1 %."""
    ns = executions.ns
    return float(np.median(ns)), float(ns[executions.slowest].mean())
