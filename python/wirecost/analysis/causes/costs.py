# SPDX-License-Identifier: Apache-2.0
"""Price times count: how much of the median and of the tail each number takes.

A constant number of faults costs time, but the time does not vary with it, so regression finds no
price. There the price that a benchmark measured on the machine stands in, and is marked as such. A
number that is a time, as the time spent waiting for a processor, needs no price.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from wirecost.analysis.causes.explanation import Cause, Cost, Origin, Steady
from wirecost.analysis.causes.kinds import is_avoidable, is_duration, kind_of
from wirecost.analysis.causes.linear import Correlations
from wirecost.analysis.causes.numbers import Executions

NOTABLE = 0.01
"""Share of the median or of the tail below which a number without a cause is not listed."""
RARELY = 0.05
"""Share of the executions that may be without steady events."""
LOCKS, BLOCKED = "lock-wait-ns", "blocked-ns"
PROPORTIONAL = 1.1
"""A cost may exceed the median by this factor, since both are estimates."""
ALIKE = 0.5
"""Share of a number's variance from which on it goes along with a cause."""


def costs_of(
    executions: Executions,
    causes: list[Cause],
    usual: Mapping[str, float],
    prices: Mapping[str, float],
) -> list[Cost]:
    """What costs most first. ``usual``: prices of causes among all but the slowest executions;
    ``prices``: the machine's, nanoseconds by ``Kind.event``."""
    found = []
    for name in executions.numbers:
        cause = next((one for one in causes if one.name == name), None)
        of_machine = prices.get(kind_of(name).event or "")
        if is_duration(name):
            cost = _cost(executions, name, (1.0, 1.0), Origin.ITSELF, causes)
        elif cause is not None:
            # Of what grows with the power p, the line through it is p times as steep.
            power = cause.power or 1.0
            pair = usual.get(name, cause.ns_each) / power, cause.ns_each / power
            origin = Origin.REGRESSION
            if of_machine is not None and _impossible(executions, name, pair[0]):
                pair, origin = (of_machine, pair[1]), Origin.MACHINE
            cost = _cost(executions, name, pair, origin, causes)
        elif of_machine is not None:
            cost = _cost(executions, name, (of_machine, of_machine), Origin.MACHINE, causes)
        else:
            continue
        if cause is not None or _share(executions, cost) >= NOTABLE:
            found.append(cost)
    return sorted(found, key=lambda cost: -_share(executions, cost))


def steady_of(
    executions: Executions, causes: list[Cause], prices: Mapping[str, float]
) -> list[Steady]:
    """Avoidable events that nearly every execution has and that nothing gives a price."""
    causing = {cause.name for cause in causes}
    found = [
        Steady(name, float(np.median(array)), kind_of(name).advice)
        for name, array in executions.numbers.items()
        if name not in causing
        and kind_of(name).event not in prices
        and is_avoidable(name)
        and np.quantile(array, RARELY) >= 1
    ]
    return sorted(found, key=lambda steady: -steady.each)


def _cost(
    executions: Executions,
    name: str,
    pair: tuple[float, float],
    origin: Origin,
    causes: list[Cause],
) -> Cost:
    """``pair``: the price in usual executions and in the slowest: a switch that lets a long job
    run must not make all switches dear."""
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
        within=_within(executions, name, origin, causes),
    )


def _impossible(executions: Executions, name: str, price: float) -> bool:
    """Whether the median execution's count, at this price, takes longer than that execution: what
    made others slow came with the event, but is no part of its usual price."""
    return price * _usual(executions, name) > PROPORTIONAL * _whole(executions)[0]


def _usual(executions: Executions, name: str) -> float:
    return float(np.median(executions.numbers[name][executions.around_median]))


def _within(executions: Executions, name: str, origin: Origin, causes: list[Cause]) -> str | None:
    """The cause that a number with the machine's price goes along with most, if that is clear: its
    price then holds part of what the number costs. Time waiting for locks is blocked time."""
    if name == LOCKS:
        return BLOCKED if BLOCKED in executions.numbers else None
    if origin is not Origin.MACHINE:
        return None
    model = Correlations(
        [executions.numbers[cause.name] for cause in causes], executions.numbers[name]
    )
    if model.spread == 0:
        return None
    alike = {
        cause.name: 1 - model.left([at])
        for at, cause in enumerate(causes)
        if cause.name != name and model.varies[at]
    }
    most = max(alike, key=lambda one: alike[one], default=None)
    return most if most is not None and alike[most] >= ALIKE else None


def _share(executions: Executions, cost: Cost) -> float:
    """Of the median or of the tail, whichever is more."""
    median_ns, slowest_ns = _whole(executions)
    of_median = cost.ns_median / median_ns if median_ns > 0 else 0.0
    of_slowest = cost.ns_slowest / slowest_ns if slowest_ns > 0 else 0.0
    return max(of_median, of_slowest)


def _whole(executions: Executions) -> tuple[float, float]:
    """The median, and the mean of the slowest 1 %."""
    ns = executions.ns
    return float(np.median(ns)), float(ns[executions.slowest].mean())
