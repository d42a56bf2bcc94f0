# SPDX-License-Identifier: Apache-2.0
"""What remedies gained, as times beside those of the program as it is."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from wirecost.results.analysis.gains import MEDIAN, P99, Gain
from wirecost.results.report.shared.axes import Mark, keyed, log, names_down, plot
from wirecost.results.report.shared.figure import PALETTE, WIDTH, Figure

JUDGED = {MEDIAN: "median", P99: "p99"}
LOOKS = (PALETTE[0], PALETTE[4])
SHAPES = ("circle", "diamond")
LEAST_RATIO = 1e-3
"""An axis of logarithms knows no zero."""
MOST_CASES = 4
ROW = 30


def gain_figure(gains: Sequence[Gain]) -> Figure | None:
    """Draw the sections that take most, a panel each; None where no change has an interval."""
    cases = sorted(
        dict.fromkeys(gain.case for gain in gains), key=lambda case: -_total(gains, case)
    )
    panels = [
        (case, marks)
        for case in cases
        if (marks := [mark for gain in gains if gain.case == case for mark in _marks(gain)])
    ]
    if not panels:
        return None
    charts = [_panel(case, marks) for case, marks in panels[:MOST_CASES]]
    caption = (
        "Time with each remedy compared with that of the unchanged program (dashed line), with "
        "95 % intervals; points left of the line are faster."
    )
    return Figure("gains", caption, alt.vconcat(*charts, spacing=12))


def _total(gains: Sequence[Gain], case: str) -> float:
    return max(gain.total_ns for gain in gains if gain.case == case)


def _marks(gain: Gain) -> list[Mark]:
    return [
        {
            "remedy": gain.remedy,
            "of": label,
            "ratio": max(LEAST_RATIO, 1 + shift.change),
            "low": max(LEAST_RATIO, 1 + shift.ci95[0]),
            "high": max(LEAST_RATIO, 1 + shift.ci95[1]),
        }
        for judged, label in JUDGED.items()
        if gain.has(judged)
        and (shift := gain.shift(judged)).ci95 is not None
        and shift.change is not None
    ]


def _panel(case: str, marks: list[Mark]) -> alt.LayerChart | alt.FacetChart:
    remedies = list(dict.fromkeys(str(mark["remedy"]) for mark in marks))
    names = list(JUDGED.values())
    base = plot(marks).encode(
        y=names_down("remedy", remedies, ticks=False, grid=True),
        yOffset=alt.YOffset("of:N", sort=names),
        color=keyed(alt.Color, "of", names, LOOKS),
    )
    axis = alt.Axis(format="~g", tickCount=6)
    across = alt.X("low:Q", title="time / time without it", scale=log(padding=12), axis=axis)
    tooltip = ["remedy:N", "of:N", alt.Tooltip("ratio:Q", format=".3~g")]
    return alt.layer(
        plot([{"at": 1}]).mark_rule(strokeDash=[4, 3]).encode(x="at:Q"),
        base.mark_rule(strokeWidth=2).encode(x=across, x2="high:Q"),
        base.mark_point(filled=True, size=60, opacity=1).encode(
            x="ratio:Q", shape=keyed(alt.Shape, "of", names, SHAPES), tooltip=tooltip
        ),
    ).properties(width=WIDTH, height=alt.Step(ROW // 2), title=case)
