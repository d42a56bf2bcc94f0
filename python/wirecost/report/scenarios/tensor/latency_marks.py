# SPDX-License-Identifier: Apache-2.0
"""How latencies are drawn: boxes, lines for floors."""

from __future__ import annotations

import altair as alt

from wirecost.report.scenarios.tensor.latency_data import (
    OWN_FLOOR,
    SHM_FLOOR,
    Latencies,
)
from wirecost.report.shared.log_axes import MICROSECONDS, apart, ticks

DASHES = {OWN_FLOOR: [6, 3], SHM_FLOOR: [2, 3]}
LABEL = 13
"""Pixels between the lower edges of two labels."""


def data(shown: Latencies) -> alt.Data:
    return alt.Data(values=[*shown.boxes, *shown.floors])


def layers(
    shown: Latencies, colour: alt.Color, offset: alt.XOffset, width: float
) -> list[alt.Chart]:
    """All marks over the plugins; ``width`` of a box in pixels."""
    plugins = alt.X(
        "plugin:N",
        sort=shown.plugins,
        title=None,
        axis=alt.Axis(labelAngle=-40, ticks=False, domain=False),
    )
    floors = [_floors(shown)] if shown.floors else []
    return [*floors, *_boxes(shown, plugins, colour, offset, width)]


def floor_names(shown: Latencies, height: float) -> list[alt.Chart]:
    """Each floor's name above its line, at the right end of a figure of that height."""
    found = {mark["mware"]: mark["us"] for mark in shown.floors}
    if not found:
        return []
    places = apart(list(found.values()), shown.span, height, LABEL)
    labels = [{"mware": name, "at": at} for name, at in zip(found, places, strict=True)]
    chart = alt.Chart(alt.Data(values=labels)).mark_text(align="right", dx=-4, dy=-7, fontSize=11)
    return [chart.encode(x=alt.XValue("width"), y=_time(shown, "at"), text="mware:N")]


def _time(shown: Latencies, field: str) -> alt.Y:
    return alt.Y(
        f"{field}:Q",
        title="total",
        scale=alt.Scale(type="log", domain=shown.span, nice=False),
        axis=alt.Axis(values=ticks(shown.span), labelExpr=MICROSECONDS),
    )


def _boxes(
    shown: Latencies, plugins: alt.X, colour: alt.Color, offset: alt.XOffset, width: float
) -> list[alt.Chart]:
    tooltip = [
        *(alt.Tooltip(f"{name}:N") for name in ("mware", "plugin")),
        *(alt.Tooltip(f"{name}:Q", format=".4~g") for name in ("median", "low", "high", "p95")),
    ]
    inked = (
        alt.Chart()
        .transform_filter("isValid(datum.median)")
        .encode(x=plugins, xOffset=offset, tooltip=tooltip)
    )
    coloured = inked.encode(color=colour)
    return [
        coloured.mark_rule(strokeWidth=1).encode(y=_time(shown, "p5"), y2="p95:Q"),
        coloured.mark_bar(size=width, opacity=0.5).encode(y=_time(shown, "q1"), y2="q3:Q"),
        inked.mark_rule(strokeWidth=1).encode(y=_time(shown, "low"), y2="high:Q"),
        coloured.mark_tick(orient="horizontal", size=width + 3, thickness=2.5).encode(
            y=_time(shown, "median")
        ),
    ]


def _floors(shown: Latencies) -> alt.Chart:
    dashes = alt.StrokeDash(
        "floor:N",
        title="floors",
        scale=alt.Scale(domain=list(DASHES), range=list(DASHES.values())),
        legend=alt.Legend(orient="bottom", symbolStrokeWidth=1.5),
    )
    lines: alt.Chart = (
        alt.Chart()
        .transform_filter("isValid(datum.floor)")
        .mark_rule(strokeWidth=1.2)
        .encode(
            y=_time(shown, "us"),
            strokeDash=dashes,
            tooltip=["mware:N", alt.Tooltip("us:Q", format=".4~g")],
        )
    )
    return lines
