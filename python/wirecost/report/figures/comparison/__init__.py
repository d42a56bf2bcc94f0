# SPDX-License-Identifier: Apache-2.0
"""Figures of two runs side by side, one a module: ``figures(comparison, labels)`` each.

Colours never stand alone: verdicts have shapes too, and A lies above B.
"""

from __future__ import annotations

import importlib

import altair as alt

from wirecost.analysis.compare.comparison import FASTER, SAME, SLOWER, UNTOLD, Comparison
from wirecost.report.compare_rows import Labels
from wirecost.report.figures import Figure

ORDER = ("changes", "spreads", "distributions", "medians")
VERDICTS = (SLOWER, FASTER, SAME, UNTOLD)
VERDICT_COLOURS = ["#D55E00", "#0072B2", "#8C8C8C", "#999933"]
VERDICT_SHAPES = ["triangle-up", "triangle-down", "circle", "cross"]
RUNS = ("A", "B")
RUN_COLOURS = ["#56B4E9", "#E69F00"]


def comparison_figures(comparison: Comparison) -> list[Figure]:
    """All figures that have something to show."""
    labels = Labels(comparison)
    found: list[Figure] = []
    for module in ORDER:
        found += importlib.import_module(f"{__name__}.{module}").figures(comparison, labels)
    return found


def verdict_colour() -> alt.Color:
    return alt.Color(
        "verdict:N",
        title=None,
        scale=alt.Scale(domain=list(VERDICTS), range=VERDICT_COLOURS),
        legend=alt.Legend(orient="bottom"),
    )


def verdict_shape() -> alt.Shape:
    return alt.Shape(
        "verdict:N",
        title=None,
        scale=alt.Scale(domain=list(VERDICTS), range=VERDICT_SHAPES),
        legend=alt.Legend(orient="bottom"),
    )


def run_colour() -> alt.Color:
    return alt.Color(
        "run:N",
        title=None,
        scale=alt.Scale(domain=list(RUNS), range=RUN_COLOURS),
        legend=alt.Legend(orient="bottom"),
    )
