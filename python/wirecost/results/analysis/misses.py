# SPDX-License-Identifier: Apache-2.0
"""Executions that missed a deadline or are slow: what each spent its time on beyond the usual.

What the slow ones of a section have in common is its cause: a number of which they have more than
the others, at a price that accounts for much of what they took longer, or which marks regular ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wirecost.results.analysis.causes import Cost, Explanation
from wirecost.results.analysis.causes.excess import MUCH, reason_of
from wirecost.results.analysis.causes.kinds import (
    INPUT,
    is_avoidable,
    is_duration,
    is_processor_time,
    kind_of,
)
from wirecost.results.analysis.probe_sections import turnarounds
from wirecost.results.records.probe_log import COUNTER

MOST = 1000
"""Most misses of a section; the longest."""


LONG = 2.0
"""Times its section's median, above which an execution is slow where no deadline is given."""
RARE = 0.01
"""Share of the executions, up to which slow ones are not what matters: p99 is not long."""
FEWEST = 3
"""Slow executions that can be said to have something in common."""
REGULAR = 4
"""Slow executions that can be said to come regularly; distances of fewer are alike by chance."""
NEARLY_ALL = 0.8
"""Share of the slow executions that left the processor, of which to say that they waited."""

COMPUTED = 0.9
"""Processor time's share of an execution from which on it computed: clocks are read one after
another."""

LEAVING = ("switch", "migration")
"""Units of what goes along with waiting, and takes next to no time itself: no cause."""
LOCKED, BLOCKED, QUEUED = "lock-wait-ns", "blocked-ns", "run-queue-wait-ns"

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Common:
    """A number of which ``slow`` of the slow executions have more than the others.

    ``share``: its part of what all of them took longer than usual, at its price.
    """

    name: str
    slow: int
    share: float
    low: float
    """Least number among those slow ones."""
    high: float
    """Largest number among those slow ones."""
    usual: float
    """Median of the executions that are not slow."""
    every: int | None
    """One of so many executions is one of those, in regular turns; None: not regularly."""
    power: float | None = None
    """The time grows with this power of it, where that is clearly not the first."""
    marks: bool = False
    """Slow executions in regular turns have more of it than any that is not slow. So much is
    certain, whatever the price: a fault may clear 4 KiB or 2 MiB."""
    longer_ns: float = 0.0
    """Median of what those slow ones took beyond the usual."""
    others_waited: int = 0
    """Slow ones that are not among those, and waited."""


@dataclass(frozen=True)
class SlowCalls:
    """Slow executions of a section: beyond the deadline, or ``LONG`` times its median.

    ``common``: what accounts for them, what comes in regular turns first, then what takes most;
    ``waited``: of how many nothing is known but
    that they left the processor; ``every``: as ``Common.every``, of all that are slow;
    ``computed``: how many are known to have had the processor all the time.
    """

    section: str
    executions: int
    slow: int
    limit_ns: float
    median_ns: float
    total_ns: float
    slow_ns: float
    """Time of all slow ones."""
    common: list[Common]
    waited: int
    every: int | None
    slow_median_ns: float | None = None
    """Median of the slow ones."""
    computed: int = 0
    longest_ns: float = 0.0
    longest_queued_ns: float | None = None
    """What the longest waited for a processor; None: not counted."""
    longest_left: int | None = None
    """How often the longest left the processor; None: not counted."""


@dataclass(frozen=True)
class Missed:
    """An execution that missed its deadline.

    ``excess_ns``: beyond the section's median; ``reason`` took ``reason_ns`` of it, None where no
    counter accounts for a notable part. ``nested``: a section around it missed it too, at the same
    time.
    """

    section: str
    begin_ns: int
    loop: int
    ns: int
    excess_ns: float
    reason: str | None
    reason_ns: float
    nested: bool = False


def missed(
    executed: pl.DataFrame,
    limit_ns: float,
    explanations: Iterable[Explanation],
    prices: Mapping[str, float],
) -> list[Missed]:
    """Return misses of every section, the longest first.

    ``prices``: the machine's; one that a section's own executions show comes before it.
    """
    own = {
        explanation.section: {
            cost.name: cost.ns_each for cost in explanation.costs if not cost.holds_waiting
        }
        for explanation in explanations
    }
    counters = [name for name in executed.columns if name.startswith(COUNTER)]
    misses = []
    executed = _with_nested(executed, limit_ns)
    for (section,), rows in executed.group_by(["section"], maintain_order=True):
        late = (
            turnarounds(rows).filter(pl.col("ns") > limit_ns).sort("ns", descending=True).head(MOST)
        )
        if late.is_empty():
            continue
        usual = rows.select("ns", *counters).median().row(0, named=True)
        known_prices = {**prices, **own.get(str(section), {})}
        executions_late = late.select("ns", "begin_ns", "loop", "nested", *counters)
        for row in executions_late.iter_rows(named=True):
            excess = max(0.0, row["ns"] - usual["ns"])
            reason, ns = reason_of(row, usual, known_prices)
            if ns < MUCH * excess:
                reason, ns = None, 0.0
            at = row["begin_ns"], row["loop"], row["ns"]
            misses.append(Missed(str(section), *at, excess, reason, ns, row["nested"]))
    return sorted(misses, key=lambda miss: -miss.ns)


def _with_nested(executed: pl.DataFrame, limit_ns: float) -> pl.DataFrame:
    """Add the column ``nested``: a section that missed it ends within an earlier one that did."""
    rows = executed.with_row_index("row")
    late = turnarounds(rows).filter(pl.col("ns") > limit_ns)
    late = late.sort("begin_ns", "end_ns", descending=[False, True], maintain_order=True)
    around = pl.col("end_ns").cum_max().shift(1).over("process", "thread")
    late = late.select("row", nested=pl.col("end_ns") <= around)
    rows = rows.join(late, on="row", how="left", maintain_order="left").drop("row")
    return rows.with_columns(pl.col("nested").fill_null(False))


def slow_calls(
    executed: pl.DataFrame,
    limit_ns: float | None,
    explanations: Iterable[Explanation],
    prices: Mapping[str, float],
) -> list[SlowCalls]:
    """Return the slow executions of each section that can miss a deadline.

    ``limit_ns``: the deadline; ``prices``: the machine's.
    """
    by_section = {explanation.section: explanation for explanation in explanations}
    return [
        _slow_calls(str(section), rows, limit_ns, by_section.get(str(section)), prices)
        for (section,), rows in turnarounds(executed).group_by(["section"], maintain_order=True)
    ]


def most_slow_first(found: Iterable[SlowCalls], *, is_deadline: bool) -> list[SlowCalls]:
    """Sort by the time of late executions where there is a deadline, else by that of all."""
    return sorted(
        found, key=lambda calls: (-calls.slow_ns if is_deadline else 0.0, -calls.total_ns)
    )


def _slow_calls(
    section: str,
    rows: pl.DataFrame,
    limit_ns: float | None,
    explanation: Explanation | None,
    prices: Mapping[str, float],
) -> SlowCalls:
    rows = rows.sort("begin_ns", maintain_order=True)
    ns = rows["ns"].to_numpy().astype(np.float64)
    median = float(np.median(ns))
    limit = LONG * median if limit_ns is None else limit_ns
    slow = ns > limit
    excess = ns - (float(np.median(ns[~slow])) if not slow.all() else median)
    common: list[Common] = []
    waited = computed = 0
    if slow.sum() >= FEWEST:
        rest = _left(rows, slow)
        waits = _queued(rows, excess, rest)
        for name, numbers in _numbers(rows).items():
            took, power = _took(name, numbers, slow, explanation, prices)
            because = _marked(name, numbers, slow)
            if took is None and because is not None:
                took = np.zeros_like(excess)
            if took is not None:
                took = np.minimum(took, excess)
                common += _common(name, numbers, took, excess, slow, because, power, waits)
        waited, computed = int((slow & rest).sum()), int((slow & _computed(rows)).sum())
    left_longest = _of_longest(ns, _switches(rows))
    common.sort(key=lambda cause: (cause.every is None, -cause.share))
    return SlowCalls(
        section=section,
        executions=len(ns),
        slow=int(slow.sum()),
        limit_ns=limit,
        median_ns=median,
        total_ns=float(ns.sum()),
        slow_ns=float(ns[slow].sum()),
        common=_without_companions(common, explanation),
        waited=waited if waited >= NEARLY_ALL * slow.sum() else 0,
        every=_every(slow),
        slow_median_ns=float(np.median(ns[slow])) if slow.any() else None,
        computed=computed,
        longest_ns=float(ns.max()),
        longest_queued_ns=_of_longest(ns, _numbers(rows).get(QUEUED)),
        longest_left=None if left_longest is None else int(left_longest),
    )


def _numbers(rows: pl.DataFrame) -> dict[str, Array]:
    """Return the numbers that all executions have: counters, and what the program recorded."""
    names = {name: name.removeprefix(COUNTER) for name in rows.columns if name.startswith(COUNTER)}
    if INPUT in rows.columns:
        names[INPUT] = INPUT
    return {
        short: rows[name].cast(pl.Float64).to_numpy()
        for name, short in names.items()
        if not rows[name].null_count()
    }


def _took(
    name: str,
    numbers: Array,
    slow: NDArray[np.bool_],
    explanation: Explanation | None,
    prices: Mapping[str, float],
) -> tuple[Array | None, float | None]:
    """Return what each execution took for it beyond the usual, and the power that it grows with.

    It is None where it has no price.
    """
    usual = float(np.median(numbers[~slow] if not slow.all() else numbers))
    if is_duration(name):
        return numbers - usual, None
    if kind_of(name).unit in LEAVING:
        return None, None
    costs = explanation.costs if explanation is not None else []
    cost = next((cost for cost in costs if cost.name == name), None)
    cause = explanation.cause(name) if explanation is not None else None
    if cause is not None and cause.power is not None and cost is not None and cost.count_median > 0:
        scale = cost.ns_median / cost.count_median**cause.power
        grown = np.maximum(numbers, 0) ** cause.power - max(usual, 0.0) ** cause.power
        return scale * grown, cause.power
    price = cause.ns_each if cause is not None else prices.get(kind_of(name).event or "")
    return (None if price is None else price * (numbers - usual)), None


def _marked(name: str, numbers: Array, slow: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    """Return the slow executions that have more than all others, if they come in regular turns.

    It is None of what an execution cannot do without, or that goes along with waiting.
    """
    if not is_avoidable(name) or kind_of(name).unit in LEAVING or slow.all():
        return None
    marked = slow & (numbers > numbers[~slow].max())
    return None if _every(marked) is None else marked


def _common(
    name: str,
    numbers: Array,
    took: Array,
    excess: Array,
    slow: NDArray[np.bool_],
    marked: NDArray[np.bool_] | None,
    power: float | None,
    waits: NDArray[np.bool_],
) -> list[Common]:
    """Return the number as a cause, if it accounts for much of what the slow ones took longer.

    It is one, too, if it marks them.
    """
    whole = float(excess[slow].sum())
    share = float(np.maximum(took[slow], 0).sum()) / whole if whole > 0 else 0.0
    because = slow & (took >= MUCH * excess) if marked is None else marked
    if marked is None and (share < MUCH or because.sum() < FEWEST):
        return []
    of_slow = numbers[because]
    usual = float(np.median(numbers[~slow])) if not slow.all() else float(np.median(numbers))
    ends = float(of_slow.min()), float(of_slow.max())
    of_all = int(because.sum()), share
    longer_ns, others = float(np.median(excess[because])), int((slow & ~because & waits).sum())
    regular = _every(because)
    is_mark = marked is not None
    return [Common(name, *of_all, *ends, usual, regular, power, is_mark, longer_ns, others)]


def _without_companions(common: list[Common], explanation: Explanation | None) -> list[Common]:
    """Leave out what goes along with another cause of the list, or counts it again.

    A wait for a lock is blocked time, of which more is known. What marks the slow ones goes along
    with no wait that others have, too.
    """
    costs: Iterable[Cost] = explanation.costs if explanation is not None else []
    within = {cost.name: cost.within for cost in costs}
    names = {cause.name for cause in common}
    marking = {cause.name for cause in common if cause.marks}
    if LOCKED in names:
        within |= {BLOCKED: LOCKED, LOCKED: None}
    return [
        cause
        for cause in common
        if within.get(cause.name) not in (marking if cause.marks else names)
    ]


def _switches(rows: pl.DataFrame) -> Array | None:
    return next(
        (n for name, n in _numbers(rows).items() if kind_of(name).event == "context-switch"), None
    )


def _of_longest(ns: Array, numbers: Array | None) -> float | None:
    return None if numbers is None else float(numbers[ns.argmax()])


def _left(rows: pl.DataFrame, slow: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which executions left the processor more often than usual."""
    switches = _switches(rows)
    if switches is None:
        return np.zeros_like(slow)
    usual = float(np.median(switches[~slow])) if not slow.all() else 0.0
    return switches > usual


def _queued(rows: pl.DataFrame, excess: Array, left: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which executions waited for a processor; where that was not counted, ``left``."""
    queued = _numbers(rows).get(QUEUED)
    return left if queued is None else queued >= MUCH * excess


def _computed(rows: pl.DataFrame) -> NDArray[np.bool_]:
    """Return which executions are known to have had the processor all the time."""
    ns = rows["ns"].to_numpy().astype(np.float64)
    numbers = _numbers(rows)
    processor = next((n for name, n in numbers.items() if is_processor_time(name)), None)
    if processor is not None:
        return processor >= COMPUTED * ns
    if QUEUED in numbers and BLOCKED in numbers:
        return ns - numbers[QUEUED] - numbers[BLOCKED] >= COMPUTED * ns
    switches = _switches(rows)
    return np.zeros_like(ns, np.bool_) if switches is None else switches == 0


def _every(chosen: NDArray[np.bool_]) -> int | None:
    """Return the distance of the chosen executions, if it is always the same and above 1."""
    distances = np.diff(np.flatnonzero(chosen))
    if chosen.sum() < REGULAR or len(set(distances.tolist())) != 1 or distances[0] == 1:
        return None
    return int(distances[0])
