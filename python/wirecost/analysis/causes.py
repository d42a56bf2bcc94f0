# SPDX-License-Identifier: Apache-2.0
"""Why a section is sometimes slow: which counter or input size its time follows.

Forward selection of a linear model (Draper and Smith, Applied Regression Analysis, ch. 15): what
explains most of the variance that is left joins the fit, as long as it explains a notable part. A
line shows that the time goes along with a number, not that the number is the reason.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wirecost.records.probe_log import COUNTER

FEWEST = 30
NOTABLE = 0.02
CHANCE = 10.0
"""A number without influence explains about 1/n of the variance; ten times that is not chance."""
INPUT = "value"
ADVICE = {
    "minor-faults": "touch memory before use and keep it: reuse buffers, or preload the heap",
    "major-faults": "keep the program and its data in memory: mlockall, no swap",
    "context-switches": "give the thread a core of its own and real-time priority; wait less",
    "cpu-migrations": "pin the thread to a core",
    "LLC-load-misses": "make the working set smaller; read memory in order",
    "LLC-store-misses": "write less: work in place, copy fewer buffers",
    "cache-misses": "make the working set smaller; read memory in order",
    "instructions": "the work itself differs: see what the input's size changes",
    "cycles": "the work itself differs: see what the input's size changes",
    INPUT: "the time follows the value recorded: bound the input or use a cheaper algorithm",
}

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Cause:
    """A counter, or ``value`` for the number that the program recorded."""

    name: str
    variance: float
    """Share of the variance of the time that it explained when it joined the fit, 0 to 1."""
    slowest: float
    """Share of what the slowest 1 % of executions took beyond the median, 0 to 1."""
    ns_each: float
    advice: str


@dataclass(frozen=True)
class Explanation:
    """Causes, the one that explains most variance first; what is unexplained, 0 to 1."""

    section: str
    executions: int
    causes: list[Cause]
    unexplained_variance: float
    unexplained_slowest: float


def explain(executed: pl.DataFrame) -> list[Explanation]:
    """Every section of ``probe_sections.executions`` with ``FEWEST`` executions or more."""
    return [
        _explain(str(section), rows)
        for (section,), rows in executed.group_by(["section"], maintain_order=True)
        if len(rows) >= FEWEST
    ]


def _explain(section: str, rows: pl.DataFrame) -> Explanation:
    ns = rows["ns"].cast(pl.Float64).to_numpy()
    numbers = _numbers(rows)
    shares: dict[str, float] = {}
    slopes = np.zeros(0)
    total = float(((ns - ns.mean()) ** 2).sum())
    left = total
    while total > 0 and len(shares) < len(numbers):
        fits = {
            name: _fit([numbers[known] for known in (*shares, name)], ns)
            for name in numbers
            if name not in shares
        }
        # Nothing is quicker for a fault more: a falling line is another number's shadow.
        fits = {name: fit for name, fit in fits.items() if (fit[0] > 0).all()}
        best = min(fits, key=lambda name: fits[name][1], default=None)
        if best is None:
            break
        gain = (left - fits[best][1]) / total
        if gain < NOTABLE or gain * total < left * CHANCE / len(ns):
            break
        shares[best] = gain
        slopes, left = fits[best]
    slowest = _slowest(ns, [numbers[name] for name in shares], slopes)
    causes = [
        Cause(name, shares[name], part, float(slope), ADVICE.get(name, "see what changes it"))
        for name, part, slope in zip(shares, slowest, slopes, strict=True)
    ]
    return Explanation(
        section=section,
        executions=len(ns),
        causes=causes,
        unexplained_variance=max(0.0, left / total) if total > 0 else 0.0,
        unexplained_slowest=max(0.0, 1 - sum(slowest)) if total > 0 else 0.0,
    )


def _numbers(rows: pl.DataFrame) -> dict[str, Array]:
    """What has a value in every execution and is not always the same."""
    named = {INPUT: rows["value"]} | {
        name.removeprefix(COUNTER): rows[name] for name in rows.columns if name.startswith(COUNTER)
    }
    arrays = {
        name: series.cast(pl.Float64).to_numpy()
        for name, series in named.items()
        if series.null_count() == 0
    }
    return {name: array for name, array in arrays.items() if np.ptp(array) > 0}


def _fit(numbers: list[Array], ns: Array) -> tuple[Array, float]:
    """Slopes of the least-squares plane, and the sum of squares that it leaves."""
    centred = np.column_stack([x - x.mean() for x in numbers])
    scale = np.linalg.norm(centred, axis=0)
    slopes, *_ = np.linalg.lstsq(centred / scale, ns - ns.mean(), rcond=None)
    rest = ns - ns.mean() - centred / scale @ slopes
    return slopes / scale, float((rest**2).sum())


def _slowest(ns: Array, numbers: list[Array], slopes: Array) -> list[float]:
    count = max(1, len(ns) // 100)
    at = np.argsort(ns, kind="stable")[-count:]
    excess = float((ns[at] - np.median(ns)).mean())
    if excess <= 0:
        return [0.0] * len(numbers)
    return [
        float(np.clip(slope * (x[at] - np.median(x)).mean() / excess, 0, 1))
        for x, slope in zip(numbers, slopes, strict=True)
    ]
