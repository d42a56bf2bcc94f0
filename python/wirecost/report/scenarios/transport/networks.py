# SPDX-License-Identifier: Apache-2.0
"""Latency over each network, a figure for every size."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from wirecost.analysis.transport.measured import Measured
from wirecost.report.scenarios.transport import looks
from wirecost.report.shared import units
from wirecost.report.shared.figure import WIDTH, Figure

HEIGHT = 280


def figures(found: Sequence[Measured]) -> list[Figure]:
    made: list[Figure] = []
    for size in sorted({one.size for one in found}):
        here = [one for one in found if one.size == size]
        fewest = min(one.where.subscribers for one in here)
        marks = [looks.mark(one) for one in here if one.where.subscribers == fewest]
        made.append(_figure(size, marks))
    return made


def _figure(size: int, marks: list[looks.Mark]) -> Figure:
    networks = list(dict.fromkeys(mark["network"] for mark in marks))
    contenders = list(dict.fromkeys(mark["contender"] for mark in marks))
    x = alt.X("network:N", title=None, sort=networks, axis=alt.Axis(labelAngle=0, ticks=False))
    offset = alt.XOffset("contender:N", sort=contenders)
    base = alt.Chart(alt.Data(values=marks))
    colour = looks.colour(marks)
    y = looks.time_axis(marks, "latency", "p50", "p99")
    tails = base.mark_rule(strokeWidth=1.5, opacity=0.6).encode(
        x=x, xOffset=offset, y=y, y2="p99:Q", color=colour
    )
    medians = base.mark_point(size=45, strokeWidth=1.8, filled=False, opacity=1).encode(
        x=x,
        xOffset=offset,
        y=y,
        color=colour,
        shape=looks.shape(marks),
        tooltip=looks.tooltip("network:N"),
    )
    width = max(WIDTH, 12 * len(networks) * (len(contenders) + 1))
    caption = (
        "A point is the median, the line above it reaches to the 99th percentile. A cross: not"
        " every message arrived once and in order; latencies are those of the ones that did."
    )
    chart = alt.layer(tails, medians).properties(
        width=width, height=HEIGHT, title=f"Latency by network · {units.size(size)}"
    )
    return Figure(f"transport-network-{size}", caption, chart)
