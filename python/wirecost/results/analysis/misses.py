# SPDX-License-Identifier: Apache-2.0
"""Executions that missed a deadline, and what each spent its time on beyond the usual."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import polars as pl

from wirecost.results.analysis.causes import Explanation
from wirecost.results.analysis.causes.excess import MUCH, reason_of
from wirecost.results.analysis.probe_sections import turnarounds
from wirecost.results.records.probe_log import COUNTER

MOST = 1000
"""Most misses of a section; the longest."""


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
