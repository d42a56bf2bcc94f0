# SPDX-License-Identifier: Apache-2.0
"""Processor time per message against its size."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import altair as alt

from wirecost.analysis.transport.measured import Measured
from wirecost.counted import counted
from wirecost.report.scenarios.transport import looks
from wirecost.report.shared.figure import WIDTH, Figure

HEIGHT = 300


def figures(found: Sequence[Measured]) -> list[Figure]:
    """One for each network and number of subscribers with several sizes."""
    made: list[Figure] = []
    for where, of in groupby(found, key=lambda one: one.where):
        marks = [mark for one in of if (mark := looks.mark(one))["cpu"] is not None]
        if len({mark["size"] for mark in marks}) < 2:
            continue
        x = alt.X(
            "size:Q",
            title="bytes of a message",
            scale=alt.Scale(type="log", nice=False, padding=20),
            axis=alt.Axis(format="~s", tickCount=6),
        )
        y = looks.time_axis(marks, "processor time per message", "cpu")
        base = alt.Chart(alt.Data(values=marks))
        colour = looks.colour(marks)
        lines = base.mark_line(strokeWidth=1.5).encode(
            x=x, y=y, color=colour, strokeDash=looks.dash(marks), detail="contender:N"
        )
        points = base.mark_point(size=50, strokeWidth=1.8, filled=False, opacity=1).encode(
            x=x,
            y=y,
            color=colour,
            shape=looks.shape(marks),
            tooltip=looks.tooltip("cpu:Q", "size:Q"),
        )
        many = counted(where.subscribers, "subscriber")
        title = f"Processor time per message · {many}, {where.network}"
        caption = (
            "Of all processes together, publisher, subscribers and what runs between them, and of"
            " the kernel's own threads. A cross: not every message arrived once and in order."
        )
        chart = alt.layer(lines, points).properties(width=WIDTH, height=HEIGHT, title=title)
        made.append(Figure(f"transport-cpu-{len(made) + 1}", caption, chart))
    return made
