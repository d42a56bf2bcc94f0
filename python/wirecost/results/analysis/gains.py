# SPDX-License-Identifier: Apache-2.0
"""Gains of remedies, against the program as it is, in turns with it.

The median and p99 are judged each by itself: of a callback that is sometimes slow, the median says
nothing. Intervals are those of ``compare``. Where the executions are too few for its interval, each
process's percentile is one value: Student's t of their logarithms, with Welch's degrees of freedom
(Altman, Practical Statistics for Medical Research, section 14.6: summary measures).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wirecost.results.analysis.compare.comparison import FALSE_DISCOVERIES, FASTER, SAME, SLOWER
from wirecost.results.analysis.compare.counters import mean_difference
from wirecost.results.analysis.compare.quantiles import SHORTEST, TAIL, Shift, shift
from wirecost.results.analysis.significance import adjusted, welch_test

SAMPLES = pl.Schema({"remedy": pl.String, "process": pl.Int64, "case": pl.String, "ns": pl.Int64})
"""One row an execution. ``process``: the turn; ``case``: a section, an output or the whole."""
PROCESSES = pl.Schema(
    {
        "remedy": pl.String,
        "process": pl.Int64,
        "minor_faults": pl.Int64,
        "switches": pl.Int64,
        "output": pl.String,
    }
)
"""One row a process; ``output`` is a digest of what it gave out, counts may be null."""


WHOLE = "whole program"
"""Case that is a process from its start to its end."""
MEDIAN, P99, MISSES = 0.5, 0.99, 1.0
"""What is judged: two quantiles, and the share of executions that missed a deadline."""
LEAST_PROCESSES = 3
"""Processes of which percentiles, one of each, have an interval."""
LEAST_EXECUTIONS = {MEDIAN: 1, P99: 100}
"""Executions of which a percentile is not just the longest one."""
NOT_KNOWN = "not known"
MOST_NOISE = 2.0
"""Factor, up or down, that an interval may reach to say that there is no difference."""
MOST_ROUNDS = 100
"""Rounds that anybody would wait for."""
LARGEST_EXPONENT = 100.0

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Gain:
    """Gain of one case under one remedy. The shifts' ``a`` is the program as it is.

    ``count``: executions under the remedy; ``total_ns``: time of all executions of the program as
    it is.
    """

    case: str
    remedy: str
    count: int
    median: Shift
    p99: Shift
    verdict: str = NOT_KNOWN
    verdict_p99: str = NOT_KNOWN
    total_ns: float = 0.0
    misses: Shift | None = None
    """Share of the executions that missed the deadline; None without one."""
    verdict_misses: str = NOT_KNOWN
    only_first: bool = False
    """Under the remedy only first executions of a process missed it."""

    def has(self, judged: float) -> bool:
        """Say whether there is enough for that: ``MEDIAN``, ``P99`` or ``MISSES``."""
        if judged == MISSES:
            return self.misses is not None
        return judged == MEDIAN or self.count >= LEAST_EXECUTIONS[P99]

    def shift(self, judged: float) -> Shift:
        if judged == MISSES:
            assert self.misses is not None
            return self.misses
        return self.p99 if judged == P99 else self.median

    def verdict_of(self, judged: float) -> str:
        return {P99: self.verdict_p99, MISSES: self.verdict_misses}.get(judged, self.verdict)


@dataclass(frozen=True)
class Effects:
    """Effects of one remedy on whole processes.

    Means. ``outputs``: equal, different, or varying where those of the program as it is differ from
    one process to the next.
    """

    remedy: str
    processes: int
    minor_faults: float | None
    switches: float | None
    outputs: str


def gains_of(samples: pl.DataFrame, plain: str, deadline_ns: float | None = None) -> list[Gain]:
    """Return gains with verdicts by case, then by remedy, in the order of the rows.

    The columns are those of ``SAMPLES``, a process's executions in the order of their begin.
    Whole programs have no deadline.
    """
    gains = []
    for (case,), rows in samples.group_by(["case"], maintain_order=True):
        before = rows.filter(remedy=plain)
        if before.is_empty():
            continue
        total_ns = float(before["ns"].cast(pl.Float64).sum())
        for (remedy,), after in rows.group_by(["remedy"], maintain_order=True):
            if remedy == plain:
                continue
            median, p99 = (_shift(before, after, quantile) for quantile in (MEDIAN, P99))
            gain = Gain(str(case), str(remedy), len(after), median, p99, total_ns=total_ns)
            if deadline_ns is not None and case != WHOLE:
                misses, first = _misses(before, after, deadline_ns), _only_first(after, deadline_ns)
                gain = replace(gain, misses=misses, only_first=first)
            gains.append(gain)
    return judged(gains)


def judged(gains: list[Gain]) -> list[Gain]:
    """Return the same with verdicts.

    ``faster`` and ``slower`` need an interval without 0, and a probability that stays small when
    all remedies of the case are considered together; ``no difference`` needs an interval within a
    factor of ``MOST_NOISE``.
    """
    verdicts: dict[tuple[str, str, float], str] = {}
    for case in dict.fromkeys(gain.case for gain in gains):
        for of in (MEDIAN, P99, MISSES):
            shifts = {
                (case, gain.remedy, of): gain.shift(of)
                for gain in gains
                if gain.case == case and gain.has(of)
            }
            verdicts |= dict(zip(shifts, _verdicts(list(shifts.values())), strict=True))
    return [
        replace(
            gain,
            verdict=verdicts[gain.case, gain.remedy, MEDIAN],
            verdict_p99=verdicts.get((gain.case, gain.remedy, P99), NOT_KNOWN),
            verdict_misses=verdicts.get((gain.case, gain.remedy, MISSES), NOT_KNOWN),
        )
        for gain in gains
    ]


def rounds_needed(gain: Gain, quantile: float, rounds: int) -> int | None:
    """Return the rounds that a verdict takes; None where it has one, or nobody would wait for it.

    Where there is an interval it is an estimate: the width falls with the square root of rounds.
    """
    shifted = gain.shift(quantile)
    if gain.verdict_of(quantile) != NOT_KNOWN:
        return None
    if shifted.few is not None:
        needed = math.ceil(shifted.few.needed / shifted.few.worth * shifted.few.processes)
        if shifted.few.executions >= shifted.few.processes * LEAST_EXECUTIONS[quantile]:
            needed = min(needed, LEAST_PROCESSES)
    elif shifted.ci95 is not None and shifted.change is not None and shifted.ci95[0] > -1:
        width = (math.log1p(shifted.ci95[1]) - math.log1p(shifted.ci95[0])) / 2
        enough = max(math.log(MOST_NOISE), abs(math.log1p(shifted.change)))
        needed = max(rounds + 1, math.ceil(rounds * (width / enough) ** 2))
    else:
        return None
    return needed if rounds < needed <= MOST_ROUNDS else None


def _verdicts(shifts: list[Shift]) -> list[str]:
    tested = [shifted.p for shifted in shifts if shifted.p is not None]
    corrected = iter(adjusted(tested))
    return [
        _verdict(shifted.ci95, None if shifted.p is None else next(corrected)) for shifted in shifts
    ]


def _verdict(interval: tuple[float, float] | None, q: float | None) -> str:
    """Return a verdict; ``q``: the corrected probability."""
    if interval is None:
        return NOT_KNOWN
    low, high = interval
    if q is not None and q <= FALSE_DISCOVERIES and (high < 0 or low > 0):
        return FASTER if high < 0 else SLOWER
    is_narrow = 1 + low >= 1 / MOST_NOISE and 1 + high <= MOST_NOISE
    return SAME if is_narrow else NOT_KNOWN


def effects_of(processes: pl.DataFrame, plain: str) -> list[Effects]:
    """Return effects of each remedy and of the program as it is; columns as ``PROCESSES``."""
    before = set(processes.filter(remedy=plain)["output"])
    effects = []
    for (remedy,), rows in processes.group_by(["remedy"], maintain_order=True):
        outputs = "equal" if set(rows["output"]) == before else "different"
        effects.append(
            Effects(
                remedy=str(remedy),
                processes=len(rows),
                minor_faults=_mean(rows["minor_faults"]),
                switches=_mean(rows["switches"]),
                outputs=outputs if len(before) == 1 else "varying",
            )
        )
    return effects


def _shift(before: pl.DataFrame, after: pl.DataFrame, q: float) -> Shift:
    series = [rows["ns"].to_numpy().astype(np.float64) for rows in (before, after)]
    took = [rows["process"].to_numpy() for rows in (before, after)]
    shifted = shift(series[0], series[1], q, (took[0], took[1]))
    if shifted.ci95 is not None or shifted.few is None:
        return shifted
    sides = [_of_processes(*side, q) for side in zip(series, took, strict=True)]
    if min(map(len, sides)) < LEAST_PROCESSES:
        return shifted
    return _by_process(shifted, sides[0], sides[1])


def _only_first(after: pl.DataFrame, deadline_ns: float) -> bool:
    """Say whether some took longer, all of them the first of their process."""
    at = pl.int_range(pl.len()).over("process")
    missed = after.with_columns(at=at).filter(pl.col("ns") > deadline_ns)["at"]
    return len(missed) > 0 and missed.max() == 0


def _misses(before: pl.DataFrame, after: pl.DataFrame, deadline_ns: float) -> Shift:
    """Compare the shares of executions that took longer, as means of 0 and 1."""
    missed = [(rows["ns"].to_numpy() > deadline_ns).astype(np.float64) for rows in (before, after)]
    took = before["process"].to_numpy(), after["process"].to_numpy()
    difference = mean_difference(missed[0], missed[1], took)
    if difference.a == difference.b == 0:
        return Shift(0.0, 0.0, 0.0, (0.0, 0.0), 1.0)
    return Shift(difference.a, difference.b, difference.change, difference.change95, difference.p)


def _of_processes(series: Array, took: NDArray[np.int64], q: float) -> Array:
    """Return the quantile of each process; of none where one has too few executions or no time."""
    parts = [series[took == process] for process in np.unique(took)]
    quantiles = np.array([np.quantile(part, q) for part in parts])
    enough = min(map(len, parts)) >= LEAST_EXECUTIONS[q] and quantiles.min() >= SHORTEST
    return quantiles if enough else np.empty(0)


def _by_process(shifted: Shift, a: Array, b: Array) -> Shift:
    """Return the same with an interval, from one quantile of each process."""
    if a.std() == b.std() == 0:
        return shifted
    p, ends = welch_test(np.log(a), np.log(b), TAIL)
    change = shifted.b / shifted.a - 1
    low, high = math.expm1(ends[0]), _expm1(ends[1])
    # The interval is of the mean logarithm; it shall hold the change that is printed.
    interval = min(low, change), max(high, change)
    return Shift(shifted.a, shifted.b, change, interval, p)


def _expm1(exponent: float) -> float:
    """Return the end of an interval; what would not be finite is that of ``LARGEST_EXPONENT``."""
    return math.expm1(min(exponent, LARGEST_EXPONENT))


def _mean(counts: pl.Series) -> float | None:
    counts = counts.drop_nulls()
    return None if counts.is_empty() else float(counts.to_numpy().mean())
