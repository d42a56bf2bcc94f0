# SPDX-License-Identifier: Apache-2.0
"""What a gate with a limit looked at and could not have seen."""

from __future__ import annotations

from dataclasses import dataclass

from wirecost.analysis.compare.comparison import SAME, UNDECIDED, Comparison
from wirecost.analysis.compare.quantiles import NOTHING
from wirecost.analysis.compare.runs import Key

MEDIAN = "p50"


@dataclass(frozen=True)
class Unseen:
    """A row whose change may lie beyond the limit for all that is known. ``change95``: shares; None
    where there is no interval."""

    row: Key
    what: str
    change95: tuple[float, float] | None


def unseen(comparison: Comparison) -> list[Unseen]:
    """Of the medians, or of what the gate was asked to look at: rows without a verdict whose
    interval reaches beyond the limit. The least known come first; nothing without a limit."""
    limit = comparison.settings.fail_above
    if limit is None:
        return []
    looked_at = comparison.settings.of or (MEDIAN,)
    found = [
        Unseen(one.row, one.quantile, one.shift.ci95)
        for one in comparison.times
        if one.quantile in looked_at
        and one.verdict in {SAME, UNDECIDED}
        and one.shift.why != NOTHING
    ]
    found += [
        Unseen(one.row, one.name, one.difference.change95)
        for one in comparison.counts
        if one.name in looked_at
        and one.verdict in {SAME, UNDECIDED}
        and one.difference.ci95 != (0, 0)
    ]
    return sorted(
        (one for one in found if one.change95 is None or one.change95[1] > limit),
        key=lambda one: float("-inf") if one.change95 is None else -one.change95[1],
    )
