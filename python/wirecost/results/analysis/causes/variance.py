# SPDX-License-Identifier: Apache-2.0
"""Causes of a section's variance, each with its shares and its price.

That the time goes along with a number does not make the number the reason; numbers that do equally
well are listed.
"""

from __future__ import annotations

import numpy as np

from wirecost.results.analysis.causes.explanation import Cause
from wirecost.results.analysis.causes.followed import Followed, rivals
from wirecost.results.analysis.causes.kinds import INPUT, kind_of
from wirecost.results.analysis.causes.linear import DUST, Array, Correlations
from wirecost.results.analysis.causes.models import Models
from wirecost.results.analysis.causes.numbers import Executions

POWERS = (1.0, 1.5, 2.0, 3.0)


def causes_of(executions: Executions, models: Models, found: list[Followed]) -> list[Cause]:
    """Return one for each of ``found``, in that order."""
    chosen = [cause.index for cause in found]
    every, usual = models.every, models.usual
    variance, among_usual = every.shares(chosen), usual.shares(chosen)
    among_undisturbed = (models.undisturbed or usual).shares(chosen)
    of_slowest = _shares_of_slowest(executions, models, found)
    causes = []
    for at, cause in enumerate(found):
        name = models.names[cause.index]
        others = [j for j in chosen if j != cause.index]
        causes.append(
            Cause(
                name=name,
                variance=variance[at],
                alone=max(0.0, every.left(others) - every.left(chosen)),
                slowest=of_slowest[at],
                usual=among_usual[at],
                undisturbed=among_undisturbed[at],
                ns_each=cause.slope,
                rivals=rivals(cause, models.names, chosen),
                power=_power(executions.numbers[INPUT], executions.ns) if name == INPUT else None,
                advice=kind_of(name).advice,
            )
        )
    return causes


def _shares_of_slowest(
    executions: Executions, models: Models, found: list[Followed]
) -> list[float]:
    """Return what each number, at its price, adds to the slowest executions beyond the median."""
    ns, slow = executions.ns, executions.slowest
    excess = float(ns[slow].mean() - np.median(ns))
    if excess <= 0:
        return [0.0] * len(found)
    parts = []
    for cause in found:
        x = executions.numbers[models.names[cause.index]]
        parts.append(max(0.0, cause.slope * float(x[slow].mean() - np.median(x)) / excess))
    return [part / max(1.0, sum(parts)) for part in parts]


def _power(value: Array, ns: Array) -> float | None:
    """Return the power of the value that the time grows with, if clearly not the first."""
    if value.min() < 0:
        return None
    scaled = value / value.max()
    unexplained = {power: Correlations([scaled**power], ns).left([0]) for power in POWERS}
    best = min(unexplained, key=lambda power: unexplained[power])
    return best if unexplained[best] + DUST < 0.8 * unexplained[1.0] else None
