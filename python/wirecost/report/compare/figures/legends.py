# SPDX-License-Identifier: Apache-2.0
"""Colours and shapes that all figures of a comparison share."""

from __future__ import annotations

import altair as alt

from wirecost.analysis.compare.comparison import FASTER, SAME, SLOWER, UNDECIDED
from wirecost.report.shared.legend import keyed

VERDICTS = (SLOWER, FASTER, SAME, UNDECIDED)
VERDICT_COLOURS = ["#D55E00", "#0072B2", "#8C8C8C", "#999933"]
VERDICT_SHAPES = ["triangle-up", "triangle-down", "circle", "cross"]
RUNS = ("A", "B")
RUN_COLOURS = ["#56B4E9", "#E69F00"]


def verdict_colour() -> alt.Color:
    return keyed(alt.Color, "verdict", VERDICTS, VERDICT_COLOURS)


def verdict_shape() -> alt.Shape:
    return keyed(alt.Shape, "verdict", VERDICTS, VERDICT_SHAPES)


def run_colour() -> alt.Color:
    return keyed(alt.Color, "run", RUNS, RUN_COLOURS)
