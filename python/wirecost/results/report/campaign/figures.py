# SPDX-License-Identifier: Apache-2.0
"""A store in figures: contenders by machine, and medians run by run."""

from __future__ import annotations

import itertools
import math

import altair as alt

from wirecost.results.analysis.campaign.history import HistorySeries
from wirecost.results.analysis.campaign.machines import Across
from wirecost.results.analysis.race import label
from wirecost.results.report.shared.figure import PALETTE, WIDTH, Figure

MOST_SERIES = 24
MOST_POINTS = 2000
ROW, COLUMN = 26, 110
DARK = 0.55
"""Share of the scale from which a cell is dark."""


def figures(across: list[Across], series: list[HistorySeries]) -> list[Figure]:
    """Draw heat maps of what several machines measured, then series that changed, then others."""
    maps = [
        _heat_map(number, transfer)
        for number, transfer in enumerate(across)
        if len(transfer.hosts) > 1
    ]
    long = [history for history in series if len(history.points) > 1]
    long.sort(key=lambda entry: not entry.changes)
    return maps + [_run_chart(number, entry) for number, entry in enumerate(long[:MOST_SERIES])]


def _heat_map(number: int, transfer: Across) -> Figure:
    values = []
    for host in transfer.hosts:
        own = {name: transfer.medians[host, name].value for name in transfer.names
               if (host, name) in transfer.medians}  # fmt: skip
        least = min(own.values())
        values += [
            {"contender": label(name), "machine": host, "times": value / least,
             "text": f"{value / least:.3g}"}
            for name, value in own.items()
        ]  # fmt: skip
    most = max(float(str(value["times"])) for value in values)
    bright = most**DARK
    names = [label(name) for name in transfer.names]
    base = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X(
            "machine:N", title=None, sort=transfer.hosts, axis=alt.Axis(orient="top", labelAngle=0)
        ),
        y=alt.Y("contender:N", title=None, sort=names),
    )
    colour = alt.Color(
        "times:Q",
        title="times the machine's fastest",
        scale=alt.Scale(type="log", scheme="cividis", domain=[1, max(most, 1.01)], reverse=True),
        legend=alt.Legend(orient="bottom", gradientLength=220),
    )
    cells = base.mark_rect().encode(color=colour)
    dark = f"datum.times > {bright if math.isfinite(bright) else 1}"
    text = base.mark_text(fontSize=12).encode(
        text="text:N", color=alt.condition(dark, alt.value("white"), alt.value("black"))
    )
    chart = alt.layer(cells, text).properties(
        width=COLUMN * len(transfer.hosts), height=ROW * len(names), title=str(transfer.subject)
    )
    return Figure(
        f"machines-{number}",
        f"{transfer.subject}: median total of each contender compared with the fastest on the "
        "same machine.",
        chart,
    )


def _run_chart(number: int, series: HistorySeries) -> Figure:
    points = series.points[-MOST_POINTS:]
    begin = len(series.points) - len(points)
    bounds = [0, *(change.at for change in series.changes), len(series.points)]
    values = [
        {"run": begin + place, "us": point.median.value / 1000, "low": point.median.low / 1000,
         "high": point.median.high / 1000, "revision": point.revision or point.created[:10],
         "from": point.created}
        for place, point in enumerate(points)
    ]  # fmt: skip
    levels = []
    for first, last in itertools.pairwise(bounds):
        middle = sorted(point.median.value for point in series.points[first:last])
        levels.append({"first": first - 0.5, "last": last - 0.5,
                       "us": middle[len(middle) // 2] / 1000})  # fmt: skip
    named = {value["run"]: value["revision"] for value in values if value["run"] in
             _first_of_each([str(value["revision"]) for value in values], begin)}  # fmt: skip
    label_of = " : ".join(
        f"datum.value == {run} ? {_quoted(str(name))}" for run, name in named.items()
    )
    axis = alt.Axis(
        values=list(named), labelExpr=f"{label_of} : ''", labelAngle=-40, labelLimit=120,
        title="revision, or date", labelOverlap=True,
    )  # fmt: skip
    horizontal = alt.X("run:Q", axis=axis, scale=alt.Scale(nice=False, padding=10))
    vertical = alt.Y("us:Q", title="median total [µs]", scale=alt.Scale(zero=False))
    base = alt.Chart(alt.Data(values=values)).encode(x=horizontal)
    bars = base.mark_rule(color=PALETTE[1]).encode(
        y=alt.Y("low:Q", title="median total [µs]", scale=alt.Scale(zero=False)), y2="high:Q"
    )
    dots = base.mark_point(filled=True, size=30, color=PALETTE[0]).encode(
        y=vertical, tooltip=["from:N", "revision:N", "us:Q"]
    )
    steps = alt.Chart(alt.Data(values=levels)).mark_rule(color=PALETTE[3], strokeWidth=2).encode(
        x=alt.X("first:Q", axis=axis), x2="last:Q", y=vertical
    )  # fmt: skip
    title = f"{series.subject} · {label(series.name)} · {series.host}"
    chart = alt.layer(bars, steps, dots).properties(width=WIDTH, height=180, title=title)
    sentence = (
        f"{len(series.changes)} changes of level"
        if series.changes
        else "no change of level was found"
    )
    return Figure(
        f"runs-{number}", f"{title}: each run's median and 95 % interval; {sentence}.", chart
    )


def _first_of_each(names: list[str], begin: int) -> set[int]:
    """Return where a name takes the place of another one."""
    return {
        begin + place for place, name in enumerate(names) if not place or names[place - 1] != name
    }


def _quoted(text: str) -> str:
    """Return a text as Vega's expressions have it."""
    safe = "".join(c for c in text if c.isalnum() or c in " ._+-/:@")
    return f"'{safe}'"
