# SPDX-License-Identifier: Apache-2.0
"""Latency against rate, with the peak of each transport marked."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import altair as alt

from wirecost.analysis.transport.measured import Measured
from wirecost.counted import counted
from wirecost.report.scenarios.transport import looks
from wirecost.report.scenarios.transport.looks import FAILED, HELD, Mark
from wirecost.report.shared import units
from wirecost.report.shared.figure import WIDTH, Figure

HEIGHT = 300
WITH_TIMES = 5
"""Values of a tried rate that has its latency."""


def figures(found: Sequence[Measured]) -> list[Figure]:
    """One for each network, number of subscribers and size of which several rates were tried."""

    def key(one: Measured) -> tuple[str, int, int]:
        return one.where.network, one.where.subscribers, one.size

    made: list[Figure] = []
    for _, of in groupby(sorted(found, key=key), key=key):
        group = list(of)
        marks = [mark for one in group for mark in _marks(one)]
        if len({round(mark["rate"], 3) for mark in marks}) > len(group):
            made.append(_figure(group[0], marks, len(made) + 1))
    return made


def _marks(one: Measured) -> list[Mark]:
    """The case itself and what the search tried, by rate."""
    own = looks.mark(one)
    marks = [own] if own["rate"] else []
    tried = one.peak["tried"] if one.peak else []
    for rate, held, why, *times in tried:
        if len(times) == WITH_TIMES - 3 and None not in times and rate:
            p50, p99 = map(looks.microseconds, times)
            outcome = HELD if held else FAILED
            of = {"rate": rate, "p50": p50, "p99": p99, "outcome": outcome}
            marks.append(own | of | {"went wrong": why or "nothing"})
    marks.sort(key=lambda mark: mark["rate"])
    if one.peak and one.peak["rate"]:
        near = min(marks, key=lambda mark: abs(mark["rate"] - one.peak["rate"]))  # type: ignore[index]
        marks.append(near | {"peak": one.peak["rate"], "label": f"{one.peak['rate']:,.0f} Hz"})
    return marks


def _figure(one: Measured, marks: list[Mark], number: int) -> Figure:
    x = alt.X(
        "rate:Q",
        title="messages per second",
        scale=alt.Scale(type="log", nice=False, padding=20),
        axis=alt.Axis(format="~s", tickCount=8, labelOverlap=True),
    )
    y = looks.time_axis(marks, "median latency", "p50")
    base = alt.Chart(alt.Data(values=marks))
    colour = looks.colour(marks)
    lines = (
        base.transform_filter("!isValid(datum.peak)")
        .mark_line(strokeWidth=1.5)
        .encode(x=x, y=y, color=colour, strokeDash=looks.dash(marks))
    )
    points = (
        base.transform_filter("!isValid(datum.peak)")
        .mark_point(size=45, strokeWidth=1.8, filled=False, opacity=1)
        .encode(x=x, y=y, color=colour, shape=looks.shape(marks), tooltip=looks.tooltip("rate:Q"))
    )
    peaks = base.transform_filter("isValid(datum.peak)")
    peak_x = alt.X("peak:Q", scale=alt.Scale(type="log", nice=False, padding=20))
    layers: list[Any] = [
        lines,
        points,
        peaks.mark_rule(strokeWidth=1.5, strokeDash=[2, 2]).encode(x=peak_x, color=colour),
        peaks.mark_text(dy=-14, fontSize=11, fontWeight="bold").encode(
            x=peak_x, y=y, text="label:N", color=colour
        ),
    ]
    many = counted(one.where.subscribers, "subscriber")
    title = f"Latency against rate · {units.size(one.size)}, {many}, {one.where.network}"
    caption = (
        "Each point is a block of messages at one rate. Dotted across: the peak, the highest rate"
        " without loss and with bounded latency. A cross: the rate did not hold."
    )
    chart = alt.layer(*layers).properties(width=WIDTH, height=HEIGHT, title=title)
    return Figure(f"transport-rate-{number}", caption, chart)
