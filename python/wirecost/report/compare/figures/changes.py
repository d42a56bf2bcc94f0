# SPDX-License-Identifier: Apache-2.0
"""The change of each percentile with its interval, the largest first."""

from __future__ import annotations

import altair as alt

from wirecost.analysis.compare.comparison import FASTER, SLOWER, Comparison, TimeChange
from wirecost.report.compare.figures.legends import verdict_colour, verdict_shape
from wirecost.report.compare.rows import Labels
from wirecost.report.shared.figure import WIDTH, Figure

MOST = 50
LEAST_RATIO = 1e-3
"""Drawn for less, which a logarithmic axis needs."""


def figures(comparison: Comparison, labels: Labels) -> list[Figure]:
    able = [one for one in comparison.times if one.shift.ci95 is not None]
    if not able:
        return []
    able.sort(key=lambda one: (one.verdict not in {SLOWER, FASTER}, -abs(one.shift.change or 0)))
    shown = sorted(able[:MOST], key=lambda one: -(one.shift.change or 0))
    margin = comparison.settings.margin
    points = [_point(one, labels) for one in shown]
    base = alt.Chart(alt.Data(values=points)).encode(
        y=alt.Y(
            "row:N",
            sort=list(dict.fromkeys(str(point["row"]) for point in points)),
            title=None,
            axis=alt.Axis(ticks=False, domain=False, labelLimit=420),
        )
    )
    tooltip = [
        "row:N",
        "verdict:N",
        *(alt.Tooltip(f"{name}:Q", format=".3~g") for name in ("ratio", "low", "high")),
    ]
    band = (
        alt.Chart(alt.Data(values=[{"from": 1 / (1 + margin), "to": 1 + margin}]))
        .mark_rect(color="#8C8C8C", opacity=0.15)
        .encode(x=alt.X("from:Q"), x2="to:Q")
    )
    one = alt.Chart(alt.Data(values=[{"at": 1}])).mark_rule(strokeDash=[4, 3]).encode(x="at:Q")
    chart = alt.layer(
        band,
        one,
        base.mark_rule(strokeWidth=2).encode(
            x=alt.X(
                "low:Q",
                title="time in B / time in A",
                scale=alt.Scale(type="log", nice=False, padding=12),
                axis=alt.Axis(format="~g"),
            ),
            x2="high:Q",
            color=verdict_colour(),
            tooltip=tooltip,
        ),
        base.mark_point(filled=True, size=60, opacity=1).encode(
            x="ratio:Q", color=verdict_colour(), shape=verdict_shape(), tooltip=tooltip
        ),
    ).properties(width=WIDTH, height=alt.Step(18), title="Change of each percentile")
    caption = (
        f"Lines: 95 % intervals. Grey: the margin of {100 * margin:g} %, within which nothing "
        "counts as a change."
    )
    if len(able) > MOST:
        caption += f" The {MOST} of {len(able):,} with a verdict or the largest change."
    return [Figure("changes", caption, chart)]


def _point(one: TimeChange, labels: Labels) -> dict[str, str | float]:
    low, high = one.shift.ci95 or (0.0, 0.0)
    return {
        "row": f"{labels(one.row)} · {one.quantile}",
        "verdict": one.verdict,
        "ratio": max(LEAST_RATIO, 1 + (one.shift.change or 0.0)),
        "low": max(LEAST_RATIO, 1 + low),
        "high": max(LEAST_RATIO, 1 + high),
    }
