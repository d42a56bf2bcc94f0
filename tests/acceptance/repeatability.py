# SPDX-License-Identifier: Apache-2.0
"""``python -m acceptance.repeatability FIGURE FOLDER…``: whether numbers come back.

The folders are runs of one command, one after the other. For each contender and case it prints how
many of the runs' intervals hold the median of all runs, for the total and for how many times faster
it is than the best Protobuf; FIGURE is what they look like, an SVG, PNG or PDF file.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import altair as alt
import numpy as np
import polars as pl
from rich.console import Console

from wirecost.analysis.summary import Row, summarize
from wirecost.records.reading import read_results
from wirecost.report.shared.drawing import draw
from wirecost.report.shared.figure import PALETTE
from wirecost.report.shared.table import Table
from wirecost.report.shared.terminal import print_table


@dataclass(frozen=True)
class Series:
    """One number of every run with its interval: shapes (runs,)."""

    what: str
    case: str
    contender: str
    medians: np.ndarray
    lows: np.ndarray
    highs: np.ndarray

    @property
    def centre(self) -> float:
        return float(np.median(self.medians))

    @property
    def held(self) -> int:
        """Runs whose interval holds the median of all."""
        return int(((self.lows <= self.centre) & (self.centre <= self.highs)).sum())

    @property
    def spread(self) -> float:
        """Largest by smallest median."""
        return float(self.medians.max() / self.medians.min())


def series(runs: list[list[Row]]) -> list[Series]:
    found: dict[tuple[str, str, str], list[tuple[float, float, float]]] = {}
    for rows in runs:
        for row in rows:
            if row.stage != "total":
                continue
            numbers = {"total": (row.median_ns, *row.ci95_ns)}
            if row.ratio_best and row.ratio_best.to != row.name:
                numbers["× best Protobuf"] = (row.ratio_best.median, *row.ratio_best.ci95)
            for what, values in numbers.items():
                found.setdefault((what, row.case, row.name), []).append(values)
    return [
        Series(what, case, name, *np.array(values).T)
        for (what, case, name), values in found.items()
        if len(values) == len(runs)
    ]


def table(found: list[Series], runs: int) -> Table:
    body = [
        [
            one.case,
            one.contender,
            one.what,
            f"{one.held} of {runs}",
            f"{one.spread:.2f}",
        ]
        for one in found
    ]
    notes = ["held: runs whose 95 % interval holds the median of all runs' medians"]
    return Table("Repeatability", ["case", "contender", "number", "held", "max : min"], body, notes)


def chart(found: list[Series]) -> alt.TopLevelMixin:
    """Every run's total and interval, by the median of all runs."""
    totals = [one for one in found if one.what == "total"]
    points = pl.concat(
        pl.DataFrame(
            {
                "case": one.case,
                "contender": one.contender,
                "run": np.arange(1, len(one.medians) + 1),
                "value": one.medians / one.centre,
                "low": one.lows / one.centre,
                "high": one.highs / one.centre,
                "interval": [
                    "holds the median of all" if low <= one.centre <= high else "does not"
                    for low, high in zip(one.lows, one.highs, strict=True)
                ],
            }
        )
        for one in totals
    )
    colour = alt.Color(
        "interval:N",
        title="95 % interval",
        scale=alt.Scale(
            domain=["holds the median of all", "does not"], range=[PALETTE[0], PALETTE[3]]
        ),
    )
    names = alt.Y("contender:N", title=None, sort=None)
    scale = alt.Scale(type="log")
    base = alt.Chart(points).encode(names, alt.YOffset("run:O"), colour)
    ranges = base.mark_rule(strokeWidth=1.5).encode(
        alt.X("low:Q", title="total by the median of all runs", scale=scale), alt.X2("high:Q")
    )
    dots = base.mark_point(filled=True, size=14).encode(alt.X("value:Q", scale=scale))
    return (
        alt.layer(ranges, dots)
        .properties(width=300, height=alt.Step(5))
        .facet(column=alt.Column("case:N", title=None, sort=None))
    )


def main(arguments: list[str]) -> int:
    if len(arguments) < 3:
        print("usage: python -m acceptance.repeatability FIGURE FOLDER FOLDER…", file=sys.stderr)
        return 2
    figure, *folders = map(Path, arguments)
    runs = [summarize(read_results(folder)) for folder in folders]
    found = series(runs)
    print_table(Console(), table(found, len(runs)))
    draw(chart(found), figure)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
