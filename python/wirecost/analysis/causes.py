# SPDX-License-Identifier: Apache-2.0
"""Why a section is sometimes slow: which counter or input size its time follows.

Numbers are looked for in three sets of executions, one after the other: in all of them, so that
rare and slow ones count; in all but the slowest 1 %, so that a few spikes do not hide what the
usual execution follows; and in those during which no other thread ran, so that a busy machine does
not hide it either. That the time goes along with a number does not make the number the reason;
numbers that do equally well are named.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wirecost.analysis.counter_kinds import INPUT, is_avoidable, is_time, kind_of
from wirecost.analysis.followed import followed, rivals
from wirecost.analysis.linear import DUST, Array, Correlations
from wirecost.records.probe_log import COUNTER

FEWEST = 30
DIFFERING = 3
"""Executions: what is special in fewer proves nothing."""
SWITCHES = "context-switches"
COUNTED = 0.9
"""Share of the executions in which a counter must have a value."""
RARELY = 0.05
"""Share of the executions that may be without steady events."""
POWERS = (1.0, 1.5, 2.0, 3.0)
Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Cause:
    """A counter, or ``value`` for the number that the program recorded. Shares are 0 to 1."""

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
    """Of the variance among those during which no other thread ran; as ``usual`` if few are."""
    ns_each: float
    rivals: list[str]
    """Numbers that explain the same as well: the times do not show which one it is."""
    power: float | None
    """The time grows with this power of the value, where that is clearly not the first."""
    advice: str


@dataclass(frozen=True)
class Steady:
    """Events that hardly an execution is without, too alike in all for a price."""

    name: str
    each: float
    """Of the median execution."""
    advice: str


@dataclass(frozen=True)
class Explanation:
    """Causes, the one that explains most variance first; what is unexplained, 0 to 1."""

    section: str
    executions: int
    causes: list[Cause]
    unexplained_variance: float
    unexplained_slowest: float
    absent: list[str]
    """Counters that were asked for and have no value here; marks read none."""
    steady: list[Steady]


def explain(executed: pl.DataFrame) -> list[Explanation]:
    """Every section of ``FEWEST`` executions or more.

    Needs the columns ``section`` and ``ns``; looks at ``value`` and ``counter:<name>`` where they
    are. Executions without a finite time are left out.
    """
    found = []
    for (section,), rows in executed.group_by(["section"], maintain_order=True):
        numbers, absent = _numbers(rows)
        ns = _floats(rows["ns"])
        whole = np.isfinite(ns)
        for array in numbers.values():
            whole &= np.isfinite(array)
        if whole.sum() >= FEWEST:
            numbers = {name: array[whole] for name, array in numbers.items()}
            found.append(_explain(str(section), ns[whole], numbers, absent))
    return found


def _numbers(rows: pl.DataFrame) -> tuple[dict[str, Array], list[str]]:
    """What may explain the time, and the names of counters that have too few values."""
    named = {INPUT: rows["value"]} if "value" in rows.columns else {}
    named |= {
        name.removeprefix(COUNTER): rows[name] for name in rows.columns if name.startswith(COUNTER)
    }
    arrays = {name: _floats(series) for name, series in named.items() if not is_time(name)}
    counted = {n: a for n, a in arrays.items() if np.isfinite(a).sum() >= COUNTED * len(a)}
    marks = "kind" in rows.columns and (rows["kind"] == "mark").all()
    absent = [name for name in arrays if name not in counted and name != INPUT and not marks]
    return counted, absent


def _floats(series: pl.Series) -> Array:
    values: Array = series.cast(pl.Float64).fill_null(float("nan")).to_numpy()
    return values


@dataclass(frozen=True)
class _Models:
    """How numbers and time go along in the three sets of executions."""

    every: Correlations
    usual: Correlations
    undisturbed: Correlations | None
    """None where too few executions had no context switch, or none had one."""

    @classmethod
    def of(cls, ns: Array, numbers: dict[str, Array], slow: Indices) -> _Models:
        def among(executions: NDArray[np.bool_]) -> Correlations:
            return Correlations([array[executions] for array in numbers.values()], ns[executions])

        every = np.ones(len(ns), dtype=bool)
        usual = every.copy()
        usual[slow] = False
        undisturbed = usual & (numbers[SWITCHES] == 0) if SWITCHES in numbers else ~every
        enough = undisturbed.sum() >= FEWEST
        return cls(among(every), among(usual), among(undisturbed) if enough else None)


def _explain(section: str, ns: Array, counted: dict[str, Array], absent: list[str]) -> Explanation:
    numbers = {name: array for name, array in counted.items() if _differs(array)}
    names = list(numbers)
    slow = np.argsort(ns, kind="stable")[-max(1, len(ns) // 100) :]
    models = _Models.of(ns, numbers, slow)
    in_turn = (models.every, models.usual, models.undisturbed)
    found = followed([model for model in in_turn if model is not None], names)
    chosen = [one.index for one in found]
    priced = [(numbers[names[one.index]], one.slope) for one in found]
    slowest = _shares_of_slowest(ns, priced, slow)
    every = models.every
    shares = zip(
        every.shares(chosen),
        slowest,
        models.usual.shares(chosen),
        (models.undisturbed or models.usual).shares(chosen),
        strict=True,
    )
    causes = [
        Cause(
            name=names[one.index],
            variance=of_all,
            alone=max(0.0, every.left([j for j in chosen if j != one.index]) - every.left(chosen)),
            slowest=of_slowest,
            usual=of_usual,
            undisturbed=of_undisturbed,
            ns_each=one.slope,
            rivals=rivals(one, names, chosen),
            power=_power(numbers[INPUT], ns) if names[one.index] == INPUT else None,
            advice=kind_of(names[one.index]).advice,
        )
        for one, (of_all, of_slowest, of_usual, of_undisturbed) in zip(found, shares, strict=True)
    ]
    constant = every.spread == 0
    return Explanation(
        section=section,
        executions=len(ns),
        causes=sorted(causes, key=lambda cause: -cause.variance),
        unexplained_variance=0.0 if constant else every.left(chosen),
        unexplained_slowest=0.0 if constant else max(0.0, 1 - sum(slowest)),
        absent=absent,
        steady=_steady(counted, {cause.name for cause in causes}),
    )


def _shares_of_slowest(ns: Array, priced: list[tuple[Array, float]], slow: Indices) -> list[float]:
    """What each number, at its price, adds to the slowest executions beyond the median."""
    excess = float(ns[slow].mean() - np.median(ns))
    if excess <= 0:
        return [0.0] * len(priced)
    parts = [max(0.0, slope * float(x[slow].mean() - np.median(x)) / excess) for x, slope in priced]
    return [part / max(1.0, sum(parts)) for part in parts]


def _steady(counted: dict[str, Array], causes: set[str]) -> list[Steady]:
    """Avoidable events that nearly every execution has."""
    found = [
        Steady(name, float(np.median(array)), kind_of(name).advice)
        for name, array in counted.items()
        if name not in causes and is_avoidable(name) and np.quantile(array, RARELY) >= 1
    ]
    return sorted(found, key=lambda steady: -steady.each)


def _differs(array: Array) -> bool:
    return int((array != np.median(array)).sum()) >= DIFFERING


def _power(value: Array, ns: Array) -> float | None:
    """The power of the value that the time grows with, if clearly not the first."""
    if value.min() < 0:
        return None
    scaled = value / value.max()
    left = {power: Correlations([scaled**power], ns).left([0]) for power in POWERS}
    best = min(left, key=lambda power: left[power])
    return best if left[best] + DUST < 0.8 * left[1.0] else None
