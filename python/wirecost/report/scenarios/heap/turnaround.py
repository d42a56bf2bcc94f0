# SPDX-License-Identifier: Apache-2.0
"""Turnaround of an allocating callback against its index, allocator under allocator."""

from __future__ import annotations

import altair as alt
import polars as pl

from wirecost.analysis.summary import Row
from wirecost.records.folder import Results
from wirecost.report.shared.figure import WIDTH, Figure
from wirecost.report.shared.legend import keyed

MOST_POINTS = 800
"""Of one allocator; the slowest callbacks are always among them."""
SHADES = {"none": "#0072B2", "page faults": "#D55E00"}


def figures(results: Results, rows: list[Row]) -> list[Figure]:
    names = [row.name for row in rows if row.variant == "callback"]
    # Older folders number the processes as rounds.
    first = pl.coalesce("round", "process") == 0
    samples = results.samples.filter(first, variant="callback")
    if samples.is_empty():
        return []
    points = []
    for (contender, mode), part in samples.group_by(["contender", "mode"], maintain_order=True):
        points += [
            {
                "allocator": f"{contender} {mode}",
                "callback": index,
                "ms": ns / 1e6,
                "faults": faults,
                "kind": "page faults" if faults else "none",
            }
            for index, ns, faults in _thinned(part).iter_rows()
        ]
    chart = (
        alt.Chart(alt.Data(values=points))
        .mark_circle(size=9, opacity=0.7)
        .encode(
            x=alt.X("callback:Q", title="callback", scale=alt.Scale(nice=False)),
            y=alt.Y(
                "ms:Q", title="ms", scale=alt.Scale(type="log"),
                axis=alt.Axis(tickCount=4),
            ),
            color=keyed(alt.Color, "kind", SHADES, SHADES.values()),
            row=alt.Row(
                "allocator:N",
                sort=names,
                title=None,
                header=alt.Header(labelColor="#8C8C8C", labelOrient="top", labelPadding=2),
            ),
            tooltip=["allocator:N", "callback:Q", alt.Tooltip("ms:Q", format=".4~g"), "faults:Q"],
        )
        .properties(width=WIDTH, height=60, title="Turnaround by callback, first process")
    )  # fmt: skip
    caption = (
        "Turnaround of each callback after the warm-up; of the quicker ones a sample is drawn."
    )
    return [Figure("heap-turnaround", caption, chart)]


def _thinned(part: pl.DataFrame) -> pl.DataFrame:
    """Index, nanoseconds and faults of the slowest callbacks, those with faults first, and of every
    k-th other."""
    whole = part.select("repetition", "ns", "minor_faults")
    if whole.height <= MOST_POINTS:
        return whole
    faulting = whole.sort("minor_faults", "ns", descending=True).head(MOST_POINTS // 2)
    others = whole.join(faulting, on="repetition", how="anti")
    every = max(1, -(-others.height // (MOST_POINTS // 2)))
    return pl.concat([faulting, others.gather_every(every)])
