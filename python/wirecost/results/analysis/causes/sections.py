# SPDX-License-Identifier: Apache-2.0
"""Every section of a program explained: what its time consists of and what it varies with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import polars as pl

from wirecost.results.analysis.causes.advice import WAITED, WAITS
from wirecost.results.analysis.causes.costs import costs_of, steady_of, without_price
from wirecost.results.analysis.causes.explanation import Cause, Explanation
from wirecost.results.analysis.causes.followed import Followed
from wirecost.results.analysis.causes.kinds import kind_of
from wirecost.results.analysis.causes.models import Models
from wirecost.results.analysis.causes.numbers import Executions, executions_of
from wirecost.results.analysis.causes.variance import causes_of


def explain(executed: pl.DataFrame, prices: Mapping[str, float] | None = None) -> list[Explanation]:
    """Return every section of ``FEWEST`` executions or more.

    Needs the columns ``section`` and ``ns``; looks at ``value`` and ``counter:<name>`` where they
    are. Executions without a finite time are left out. ``prices``: what one event costs on the
    machine of these executions, in nanoseconds by ``Kind.event``.
    """
    explanations = []
    for (section,), rows in executed.group_by(["section"], maintain_order=True):
        executions = executions_of(rows)
        if executions is None:
            continue
        explanation = _explain(str(section), executions, prices or {})
        # A span reads no counter: that nothing explains it says nothing.
        spans = "kind" in rows.columns and bool((rows["kind"] == "span").all())
        if explanation.costs or not spans:
            explanations.append(explanation)
    return explanations


def _explain(section: str, executions: Executions, prices: Mapping[str, float]) -> Explanation:
    models = Models.of(executions)
    followed = models.followed()
    every = causes_of(executions, models, followed)
    causes = [cause for cause in every if not without_price(executions, cause, prices)]
    costs = costs_of(executions, causes, models.usual_prices(followed), prices)
    rank = [cost.name for cost in costs]
    advice = {cost.name: cost.advice for cost in costs}
    constant = models.every.spread == 0
    return Explanation(
        section=section,
        executions=len(executions.ns),
        median_ns=float(np.median(executions.ns)),
        slowest_ns=float(executions.ns[executions.slowest].mean()),
        costs=costs,
        causes=[
            replace(cause, advice=advice[cause.name])
            for cause in sorted(causes, key=lambda cause: rank.index(cause.name))
        ],
        unexplained_variance=0.0 if constant else _left(models, followed, causes),
        unexplained_slowest=0.0 if constant else max(0.0, 1 - sum(c.slowest for c in causes)),
        absent=executions.absent,
        steady=steady_of(executions, causes, prices),
        waits_uncounted=_waits_uncounted(executions),
        waits_counted=all(name in executions.numbers for name in WAITS),
        processor_median_ns=_processor_median(executions),
    )


def _processor_median(executions: Executions) -> float | None:
    if executions.processor_ns is None:
        return None
    return float(np.median(executions.processor_ns[executions.around_median]))


def _left(models: Models, found: list[Followed], causes: list[Cause]) -> float:
    """Return the share of the variance that these causes do not explain."""
    names = {cause.name for cause in causes}
    return models.every.left([cause.index for cause in found if models.names[cause.index] in names])


def _waits_uncounted(executions: Executions) -> bool:
    return WAITED not in executions.numbers and any(
        kind_of(name).event == "context-switch" and array.max() > 0
        for name, array in executions.numbers.items()
    )
