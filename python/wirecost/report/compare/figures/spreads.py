# SPDX-License-Identifier: Apache-2.0
"""Both runs side by side: a box for each row of A above one for B."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np

from wirecost.analysis.compare.comparison import Comparison
from wirecost.analysis.compare.runs import Key
from wirecost.report.compare.figures.legends import RUNS, run_colour
from wirecost.report.compare.rows import Labels, most_changed_rows
from wirecost.report.shared import units
from wirecost.report.shared.figure import WIDTH, Figure

MOST = 30
QUANTILES = {"p5": 0.05, "q1": 0.25, "median": 0.5, "q3": 0.75, "p95": 0.95}


def figures(comparison: Comparison, labels: Labels) -> list[Figure]:
    rows = [row for row in most_changed_rows(comparison, MOST) if _tellable(comparison, row)]
    boxes: list[dict[str, Any]] = []
    for row in rows:
        unit = float(np.median(comparison.series(row)[0]))
        for run, ns in zip(RUNS, comparison.series(row), strict=True):
            times = {name: float(np.quantile(ns, q)) for name, q in QUANTILES.items()}
            box = {name: time / unit for name, time in times.items()}
            boxes.append(
                box | {"row": labels(row), "run": run, "median time": units.time(times["median"])}
            )
    if not boxes:
        return []
    return [Figure("spreads", _caption(comparison, rows), _chart(boxes))]


def _tellable(comparison: Comparison, row: Key) -> bool:
    """Whether a logarithmic axis can show it."""
    return all(np.quantile(ns, QUANTILES["p5"]) > 0 for ns in comparison.series(row))


def _chart(boxes: list[dict[str, Any]]) -> alt.TopLevelMixin:
    order = list(dict.fromkeys(box["row"] for box in boxes))
    base = alt.Chart(alt.Data(values=boxes)).encode(
        y=alt.Y(
            "row:N",
            sort=order,
            title=None,
            axis=alt.Axis(ticks=False, domain=False, labelLimit=420),
        ),
        yOffset=alt.YOffset("run:N", sort=list(RUNS)),
        color=run_colour(),
        tooltip=[
            "row:N",
            "run:N",
            alt.Tooltip("median time:N"),
            *(alt.Tooltip(f"{q}:Q", format=".4~g") for q in QUANTILES),
        ],
    )
    layers = alt.layer(
        base.mark_rule(strokeWidth=1.5).encode(
            x=alt.X(
                "p5:Q",
                title="time / median in A",
                scale=alt.Scale(type="log", nice=False, padding=12),
                axis=alt.Axis(format="~g"),
            ),
            x2="p95:Q",
        ),
        base.mark_bar(height=8).encode(x="q1:Q", x2="q3:Q"),
        base.mark_tick(thickness=3, height=13).encode(x="median:Q"),
    )
    return layers.properties(width=WIDTH, height=alt.Step(13), title="Both runs, row by row")


def _caption(comparison: Comparison, rows: list[Key]) -> str:
    total = len({one.row for one in comparison.times})
    text = (
        "Boxes from first to third quartile, lines from the 5th to the 95th percentile, marks at "
    )
    text += "the medians; A above B, both over the median of A."
    return text + (f" {len(rows)} of {total:,} rows." if len(rows) < total else "")
