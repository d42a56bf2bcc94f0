# SPDX-License-Identifier: Apache-2.0
"""Figures of transports: latency by rate and network, processor time by size, faults in time.

Colours are by transport, dashes by client and settings, shapes by outcome; times are microseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import altair as alt
import polars as pl

from wirecost.results.analysis.summary import Row
from wirecost.results.analysis.transport.measured_transport import (
    MeasuredTransport,
    Where,
    measured,
)
from wirecost.results.analysis.transport.recommendation import by_case
from wirecost.results.records.folder import Results
from wirecost.results.records.scenarios import with_all_columns
from wirecost.results.records.schemas.transport import Fault, TransportMeta
from wirecost.results.report.scenarios.transport.tables import name
from wirecost.results.report.shared import units
from wirecost.results.report.shared.axes import (
    MICROSECONDS,
    Mark,
    domain,
    keyed,
    log,
    log_time,
    numbers,
    plot,
)
from wirecost.results.report.shared.executions.distribution import latencies
from wirecost.results.report.shared.figure import PALETTE, WIDTH, Figure
from wirecost.system.counted import counted

HELD, FAILED = "complete", "not complete"
SHAPES = {HELD: "circle", FAILED: "cross"}
DASHES = ([1, 0], [6, 3], [2, 2], [8, 2, 2, 2], [1, 4], [4, 1], [10, 3], [3, 6])
COLOURS = (*PALETTE, "#332288", "#882255", "#44AA99", "#DDCC77", "#661100", "#117733")
LEAST_US = 0.1
"""An axis of logarithms knows no zero."""
HEIGHT, ROW_HEIGHT = 300, 90
MOST_CASES, MOST_LINES = 6, 6
"""Cases and contenders whose latencies are drawn in full."""
ROLES = {
    "without a fault": "#0072B2", "with the fault": "#D55E00", "arrived in its place": "#009E73",
}  # fmt: skip
"""Subscribers, by their number in a fault's time line."""
ARRIVED, LOST = "arrived", "lost"
MOST_MARKS = 400
"""Most marks of a contender; lost messages are drawn all, up to as many."""


def figures(results: Results, rows: list[Row]) -> list[Figure]:
    """Draw all that has anything to show."""
    cases = [case for case in measured(rows) if not case.run.is_floor]
    return [
        *_distributions(results, cases),
        *_by_rate(cases),
        *_by_size(cases),
        *_by_network(cases),
        *_timelines(results.meta_as(TransportMeta)),
    ]


def _distributions(results: Results, found: Sequence[MeasuredTransport]) -> list[Figure]:
    """Draw how long messages took in each case of several contenders, out to the slowest."""
    groups = [group for group in by_case(found) if len(group) > 1]
    figures = (
        _distribution(results, group, number)
        for number, group in enumerate(groups[:MOST_CASES], start=1)
    )
    return [figure for figure in figures if figure is not None]


def _distribution(results: Results, group: list[MeasuredTransport], number: int) -> Figure | None:
    samples = with_all_columns(results.samples).filter(case=group[0].case, stage="total")
    quickest = sorted(group, key=lambda case: (not case.delivers, case.p50_ns))[:MOST_LINES]
    series = {
        name(case): samples.filter(
            mware=case.who.mware, client=case.who.client, settings=case.who.settings
        )["ns"]
        .cast(pl.Float64)
        .to_numpy()
        for case in quickest
    }
    there = {label: ns for label, ns in series.items() if len(ns)}
    if not there:
        return None
    figure = latencies(
        f"transport-latency-{number}",
        f"Latency · {group[0].case}",
        there,
        what="latency",
        of="messages",
    )
    if len(group) > len(there):
        more = f" The {len(there)} fastest of {len(group)} contenders, those without loss first."
        return replace(figure, caption=figure.caption + more)
    return figure


def _mark(case: MeasuredTransport) -> Mark:
    return {
        "contender": name(case),
        "mware": case.who.mware,
        "how": f"{case.who.client} {case.who.settings}",
        "network": case.where.network,
        "size": case.size,
        "rate": case.run.rate or case.run.asked_rate,
        "p50": _microseconds(case.p50_ns),
        "p99": _microseconds(case.p99_ns),
        "cpu": None if case.cost_ns is None else _microseconds(case.cost_ns),
        "outcome": HELD if case.delivers else FAILED,
        "losses": "; ".join(case.flaws) or "none",
    }


def _microseconds(ns: float) -> float:
    return max(ns / 1000, LEAST_US)


def _distinct(marks: Sequence[Mark], field: str) -> list[str]:
    return list(dict.fromkeys(str(mark[field]) for mark in marks))


def _colour(marks: Sequence[Mark]) -> alt.Color:
    names = _distinct(marks, "mware")
    looks = [COLOURS[i % len(COLOURS)] for i in range(len(names))]
    return keyed(alt.Color, "mware", names, looks, columns=8, symbolType="square", symbolOpacity=1)


def _dash(marks: Sequence[Mark]) -> alt.StrokeDash:
    names = _distinct(marks, "how")
    looks = [DASHES[i % len(DASHES)] for i in range(len(names))]
    return keyed(alt.StrokeDash, "how", names, looks, columns=4, symbolSize=400)


def _shape(marks: Sequence[Mark]) -> alt.Shape:
    names = [outcome for outcome in SHAPES if any(mark["outcome"] == outcome for mark in marks)]
    looks = [SHAPES[outcome] for outcome in names]
    return keyed(alt.Shape, "outcome", names, looks, columns=1)


def _times(marks: Sequence[Mark], title: str, field: str, *more: str) -> alt.Y:
    """Return a vertical axis of times; ``more``: fields that it holds as well."""
    span = domain([mark[name] for mark in marks for name in (field, *more)])
    return log_time(alt.Y, field, title, span)


def _tooltip(*more: str) -> list[alt.Tooltip]:
    """Return tooltips. ``more``: further fields; numbers end with ``:Q``."""
    fields = [alt.Tooltip("contender:N"), alt.Tooltip("losses:N")]
    times = [
        alt.Tooltip(f"{percentile}:Q", format=".4~g", title=f"{percentile} [µs]")
        for percentile in ("p50", "p99")
    ]
    return [*fields, *times, *(alt.Tooltip(field) for field in more)]


def _where(where: Where) -> str:
    return f"{counted(where.subscribers, 'subscriber')}, {where.network}"


def _by_rate(found: Sequence[MeasuredTransport]) -> list[Figure]:
    """Draw a figure for each network, number of subscribers and size with several tried rates."""

    def key(case: MeasuredTransport) -> tuple[str, int, int]:
        return case.where.network, case.where.subscribers, case.size

    drawn: list[Figure] = []
    for _, of in groupby(sorted(found, key=key), key=key):
        group = list(of)
        marks = [mark for case in group for mark in _tried(case)]
        if len({round(mark["rate"], 3) for mark in marks}) > len(group):
            drawn.append(_rates(group[0], marks, len(drawn) + 1))
    return drawn


def _tried(case: MeasuredTransport) -> list[Mark]:
    """Return the case itself and what the search for its peak tried, by rate."""
    own = _mark(case)
    marks = [own] if own["rate"] else []
    peak = case.run.peak
    tried: list[list[Any]] = peak.tried if peak else []
    for rate, held, why, *times in tried:
        # Older folders have no times.
        if len(times) == 2 and None not in times and rate:
            p50, p99 = map(_microseconds, times)
            of = {"rate": rate, "p50": p50, "p99": p99, "outcome": HELD if held else FAILED}
            marks.append(own | of | {"losses": why or "none"})
    marks.sort(key=lambda mark: mark["rate"])
    if peak and peak.rate:
        highest = peak.rate
        near = min(marks, key=lambda mark: abs(mark["rate"] - highest))
        marks.append(near | {"peak": highest, "label": f"{highest:,.0f} Hz"})
    return marks


def _rates(case: MeasuredTransport, marks: list[Mark], number: int) -> Figure:
    axis = alt.Axis(format="~s", tickCount=8, labelOverlap=True)
    x = alt.X("rate:Q", title="messages per second", scale=log(padding=20), axis=axis)
    y = _times(marks, "median latency", "p50")
    base, colour = plot(marks), _colour(marks)
    tried = base.transform_filter("!isValid(datum.peak)")
    peaks = base.transform_filter("isValid(datum.peak)")
    peak_x = alt.X("peak:Q", scale=log(padding=20))
    chart = alt.layer(
        tried.mark_line(strokeWidth=1.5).encode(x=x, y=y, color=colour, strokeDash=_dash(marks)),
        tried.mark_point(size=45, strokeWidth=1.8, filled=False, opacity=1).encode(
            x=x, y=y, color=colour, shape=_shape(marks), tooltip=_tooltip("rate:Q")
        ),
        peaks.mark_rule(strokeWidth=1.5, strokeDash=[2, 2]).encode(x=peak_x, color=colour),
        peaks.mark_text(dy=-14, fontSize=11, fontWeight="bold").encode(
            x=peak_x, y=y, text="label:N", color=colour
        ),
    )
    title = f"Latency against rate · {units.size(case.size)}, {_where(case.where)}"
    caption = (
        "Each point is a block of messages at one rate. Dotted across: the peak, the highest rate"
        " without loss and with bounded latency. A cross: the rate did not hold."
    )
    chart = chart.properties(width=WIDTH, height=HEIGHT, title=title)
    return Figure(f"transport-rate-{number}", caption, chart)


def _by_size(found: Sequence[MeasuredTransport]) -> list[Figure]:
    """Draw processor time for each network and number of subscribers with several sizes."""
    drawn: list[Figure] = []
    for where, of in groupby(found, key=lambda case: case.where):
        marks = [mark for case in of if (mark := _mark(case))["cpu"] is not None]
        if len({mark["size"] for mark in marks}) < 2:
            continue
        axis = alt.Axis(format="~s", tickCount=6)
        x = alt.X("size:Q", title="bytes of a message", scale=log(padding=20), axis=axis)
        y = _times(marks, "CPU time per message", "cpu")
        base, colour = plot(marks), _colour(marks)
        lines = base.mark_line(strokeWidth=1.5).encode(
            x=x, y=y, color=colour, strokeDash=_dash(marks), detail="contender:N"
        )
        points = base.mark_point(size=50, strokeWidth=1.8, filled=False, opacity=1).encode(
            x=x, y=y, color=colour, shape=_shape(marks), tooltip=_tooltip("cpu:Q", "size:Q")
        )
        title = f"CPU time per message · {_where(where)}"
        caption = (
            "Of all processes together, publisher, subscribers and what runs between them, and of"
            " the kernel's own threads. A cross: not every message arrived once and in order."
        )
        chart = alt.layer(lines, points).properties(width=WIDTH, height=HEIGHT, title=title)
        drawn.append(Figure(f"transport-cpu-{len(drawn) + 1}", caption, chart))
    return drawn


def _by_network(found: Sequence[MeasuredTransport]) -> list[Figure]:
    """Draw latency over each network, a figure for every size."""
    drawn = []
    for size in sorted({case.size for case in found}):
        here = [case for case in found if case.size == size]
        fewest = min(case.where.subscribers for case in here)
        drawn.append(_networks(size, [_mark(o) for o in here if o.where.subscribers == fewest]))
    return drawn


def _networks(size: int, marks: list[Mark]) -> Figure:
    networks, contenders = _distinct(marks, "network"), _distinct(marks, "contender")
    base = plot(marks).encode(
        x=alt.X("network:N", title=None, sort=networks, axis=alt.Axis(labelAngle=0, ticks=False)),
        xOffset=alt.XOffset("contender:N", sort=contenders),
        y=_times(marks, "latency", "p50", "p99"),
        color=_colour(marks),
    )
    tails = base.mark_rule(strokeWidth=1.5, opacity=0.6).encode(y2="p99:Q")
    medians = base.mark_point(size=45, strokeWidth=1.8, filled=False, opacity=1).encode(
        shape=_shape(marks), tooltip=_tooltip("network:N")
    )
    caption = (
        "A point is the median, the line above it reaches to the 99th percentile. A cross: not"
        " every message arrived once and in order; latencies are those of the ones that did."
    )
    width = max(WIDTH, 12 * len(networks) * (len(contenders) + 1))
    chart = alt.layer(tails, medians).properties(
        width=width, height=280, title=f"Latency by network · {units.size(size)}"
    )
    return Figure(f"transport-network-{size}", caption, chart)


def _timelines(meta: TransportMeta) -> list[Figure]:
    """Draw a figure for each kind of fault, a row for each contender."""
    faults: dict[str, list[Fault]] = {}
    for fault in meta.faults:
        if fault.timeline:
            faults.setdefault(fault.fault, []).append(fault)
    return [_timeline(kind, of) for kind, of in faults.items()]


def _messages(fault: Fault) -> list[Mark]:
    """Return a mark for each message around a fault, where there are many for a part of them."""
    who = f"{fault.mware} {fault.client} {fault.settings}, {fault.network}"
    timeline: list[list[Any]] = fault.timeline
    arrived = [row for row in timeline if row[1] is not None]
    lost = [row for row in timeline if row[1] is None]
    top = max((_microseconds(row[1]) for row in arrived), default=1.0)
    roles = list(ROLES)
    return [
        {
            "contender": who,
            "at": at / 1e9,
            "us": top if latency is None else _microseconds(latency),
            "what": LOST if latency is None else ARRIVED,
            "subscriber": roles[min(role, len(roles) - 1)],
        }
        for rows in (arrived, lost)
        for at, latency, role in rows[:: max(1, -(-len(rows) // MOST_MARKS))]
    ]


def _timeline(kind: str, faults: list[Fault]) -> Figure:
    marks = [mark for fault in faults for mark in _messages(fault)]
    points = alt.Chart().mark_point(size=22, strokeWidth=1.3, filled=False, opacity=1)
    layer = points.encode(
        x=alt.X("at:Q", title="sent, seconds since the fault", scale=alt.Scale(nice=False)),
        y=alt.Y(
            "us:Q",
            title="latency",
            scale=log(padding=8),
            axis=alt.Axis(labelExpr=MICROSECONDS, tickCount=4),
        ),
        color=keyed(alt.Color, "subscriber", ROLES, ROLES.values(), symbolOpacity=1),
        shape=keyed(alt.Shape, "what", [ARRIVED, LOST], ["circle", "cross"]),
        tooltip=["contender:N", "subscriber:N", "what:N", *numbers("at", form=".3f")],
    )
    moment = alt.Chart().mark_rule(strokeDash=[4, 3]).encode(x=alt.datum(0.0))
    header = alt.Header(labelAngle=0, labelAnchor="start", labelOrient="top")
    row = alt.Row("contender:N", title=None, sort=_distinct(marks, "contender"), header=header)
    chart = (
        alt.layer(layer, moment)
        .properties(width=WIDTH, height=ROW_HEIGHT)
        .facet(data=alt.Data(values=marks), row=row)
        .resolve_scale(y="independent")
        .properties(title=f"Time line of a fault · {kind}")
    )
    caption = (
        "Each point is a message at the time it was sent; dashed: the fault. Crosses are messages"
        " that did not arrive, drawn at the top."
    )
    return Figure(f"transport-fault-{kind}", caption, chart)
