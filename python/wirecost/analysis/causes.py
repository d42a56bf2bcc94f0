# SPDX-License-Identifier: Apache-2.0
"""Why a section is sometimes slow: which counter or input size its time follows.

A linear model grows by what explains most of the variance that is left, as long as that is a
notable part (Draper and Smith, Applied Regression Analysis, ch. 15): first over all executions, so
that rare and slow ones count, then over all but the slowest 1 %, so that a few spikes do not hide
what the usual execution follows, then over those during which no other thread ran, so that a busy
machine does not hide it either. A line shows that the time goes along with a number, not that the
number is the reason; numbers that do equally well are named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from wirecost.analysis.counter_kinds import INPUT, is_avoidable, is_time, is_work, kind_of
from wirecost.analysis.linear import DUST, Array, Correlations
from wirecost.records.probe_log import COUNTER

FEWEST = 30
NOTABLE = 0.02
CHANCE = 10.0
"""A number without influence explains about 1/n of the variance; ten times that is not chance."""
DIFFERING = 3
"""Executions: what is special in fewer proves nothing."""
SWITCHES = "context-switches"
COUNTED = 0.9
"""Share of the executions in which a counter must have a value."""
ENOUGH = 0.9
"""Events and input that explain this part of what all numbers do are told without the others."""
RARELY = 0.05
"""Share of the executions that may be without steady events."""
ALIKE, ALIKE_LEFT = 0.95, 1.5
POWERS = (1.0, 1.5, 2.0, 3.0)


@dataclass(frozen=True)
class Cause:
    """A counter, or ``value`` for the number that the program recorded. Shares are 0 to 1."""

    name: str
    variance: float
    """Its share of the variance of the time; what causes explain together is divided fairly."""
    alone: float
    """The part of the variance that no other cause told explains."""
    slowest: float
    """Share of what the slowest 1 % of executions took beyond the median."""
    usual: float
    """Its share of the variance among the other executions."""
    undisturbed: float
    """Of the variance among those during which no other thread ran; as ``usual`` if few are."""
    ns_each: float
    rivals: list[str]
    """Numbers that explain the same as well: the times cannot tell which one it is."""
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


def _explain(section: str, ns: Array, counted: dict[str, Array], absent: list[str]) -> Explanation:
    numbers = {name: array for name, array in counted.items() if _differs(array)}
    names, arrays = list(numbers), list(numbers.values())
    slow = np.argsort(ns, kind="stable")[-max(1, len(ns) // 100) :]
    every = Correlations(arrays, ns)
    usual = Correlations([np.delete(array, slow) for array in arrays], np.delete(ns, slow))
    chosen: list[int] = []
    slopes: list[float] = []
    found_by: dict[int, Correlations] = {}
    models = [every, usual, *_undisturbed(ns, numbers, slow)]
    for model in models:
        more = sorted(i for i in _selected(model, names, chosen) if i not in chosen)
        slopes += model.slopes([*chosen, *more])[len(chosen) :].tolist() if more else []
        found_by |= dict.fromkeys(more, model)
        chosen += more
    slowest = _slowest(ns, [arrays[i] for i in chosen], slopes, slow)
    causes = [
        Cause(
            name=names[i],
            variance=share,
            alone=max(0.0, every.left([j for j in chosen if j != i]) - every.left(chosen)),
            slowest=slow_share,
            usual=usual_share,
            undisturbed=quiet_share,
            ns_each=float(slope),
            rivals=_rivals(found_by[i], names, chosen, i),
            power=_power(arrays[i], ns) if names[i] == INPUT else None,
            advice=kind_of(names[i]).advice,
        )
        for i, share, usual_share, quiet_share, slow_share, slope in zip(
            chosen,
            every.shares(chosen),
            usual.shares(chosen),
            models[-1].shares(chosen),
            slowest,
            slopes,
            strict=True,
        )
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


def _undisturbed(
    ns: Array, numbers: dict[str, Array], slow: np.ndarray[tuple[int], np.dtype[np.intp]]
) -> list[Correlations]:
    """The usual executions without a context switch, where some had one and enough had none."""
    if SWITCHES not in numbers:
        return []
    alone = numbers[SWITCHES] == 0
    alone[slow] = False
    if alone.sum() < FEWEST:
        return []
    return [Correlations([array[alone] for array in numbers.values()], ns[alone])]


def _steady(counted: dict[str, Array], told: set[str]) -> list[Steady]:
    found = [
        Steady(name, float(np.median(array)), kind_of(name).advice)
        for name, array in counted.items()
        if name not in told and is_avoidable(name) and np.quantile(array, RARELY) >= 1
    ]
    return sorted(found, key=lambda steady: -steady.each)


def _differs(array: Array) -> bool:
    return int((array != np.median(array)).sum()) >= DIFFERING


def _selected(model: Correlations, names: list[str], start: list[int]) -> list[int]:
    """The numbers that the time follows, ``start`` among them.

    Whatever takes time executes instructions, so these are told only where events and input leave
    much unexplained.
    """
    if model.spread == 0:
        return start
    events = [i for i, name in enumerate(names) if model.varies[i] and not is_work(name)]
    everything = [i for i in range(len(names)) if model.varies[i]]
    by_events = _forward(model, events, start)
    by_all = _forward(model, everything, start)
    enough = 1 - model.left(by_events) >= ENOUGH * (1 - model.left(by_all))
    return by_events if enough else by_all


def _forward(model: Correlations, candidates: list[int], start: list[int]) -> list[int]:
    chosen = list(start)
    while True:
        left = model.left(chosen)
        # Nothing is quicker for a fault more: a falling line is another number's shadow.
        lefts = {
            i: model.left([*chosen, i])
            for i in candidates
            if i not in chosen and (model.slopes([*chosen, i])[len(start) :] > 0).all()
        }
        best = min(lefts, key=lambda i: lefts[i], default=None)
        if best is None or left - lefts[best] < max(NOTABLE, left * CHANCE / model.count):
            break
        chosen.append(best)
    for i in reversed(chosen[len(start) :]):
        # What joined first may be the sum of what joined later.
        others = [j for j in chosen if j != i]
        if others != start and model.left(others) - model.left(chosen) < NOTABLE / 2:
            chosen = others
    return chosen


def _rivals(model: Correlations, names: list[str], chosen: list[int], i: int) -> list[str]:
    """Numbers that explain about as much in the place of ``i``."""
    others = [j for j in chosen if j != i]
    left, without = model.left(chosen) + DUST, model.left(others) + DUST
    found = []
    for j, name in enumerate(names):
        if j in chosen or is_work(name) or not model.varies[j]:
            continue
        instead = model.left([*others, j]) + DUST
        if model.slopes([*others, j])[-1] <= 0 or without <= left:
            continue
        part = (without - instead) / (without - left)
        # Too few executions to tell them apart, or next to no difference.
        doubtful = part > 0.5 and model.count * np.log(instead / left) < CHANCE
        if doubtful or (part >= ALIKE and instead <= ALIKE_LEFT * left):
            found.append(name)
    return found


def _power(value: Array, ns: Array) -> float | None:
    if value.min() < 0:
        return None
    scaled = value / value.max()
    left = {power: Correlations([scaled**power], ns).left([0]) for power in POWERS}
    best = min(left, key=lambda power: left[power])
    return best if left[best] + DUST < 0.8 * left[1.0] else None


def _slowest(
    ns: Array,
    numbers: list[Array],
    slopes: Sequence[float],
    slow: np.ndarray[tuple[int], np.dtype[np.intp]],
) -> list[float]:
    excess = float(ns[slow].mean() - np.median(ns))
    if excess <= 0:
        return [0.0] * len(numbers)
    parts = [
        max(0.0, slope * float(x[slow].mean() - np.median(x)) / excess)
        for x, slope in zip(numbers, slopes, strict=True)
    ]
    return [part / max(1.0, sum(parts)) for part in parts]
