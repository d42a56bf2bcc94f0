# SPDX-License-Identifier: Apache-2.0
"""What happened around a fault, message by message."""

from __future__ import annotations

from typing import Any

import altair as alt

from wirecost.report.scenarios.transport.looks import Mark, microseconds
from wirecost.report.shared.figure import WIDTH, Figure
from wirecost.report.shared.legend import keyed
from wirecost.report.shared.log_axes import MICROSECONDS

ROLES = ("without a fault", "with the fault", "came in its place")
ROLE_COLOURS = ("#0072B2", "#D55E00", "#009E73")
ARRIVED, LOST = "arrived", "lost"
MOST_MARKS = 400
"""Of a contender that are drawn; lost messages are drawn all, up to as many."""
ROW_HEIGHT = 90


def figures(meta: dict[str, Any]) -> list[Figure]:
    """One for each kind of fault, a row for each contender."""
    faults: dict[str, list[dict[str, Any]]] = {}
    for one in meta["faults"]:
        if one["timeline"]:
            faults.setdefault(one["fault"], []).append(one)
    return [_figure(fault, of) for fault, of in faults.items()]


def _marks(one: dict[str, Any]) -> list[Mark]:
    who = f"{one['mware']} {one['client']} {one['settings']}, {one['network']}"
    arrived = [row for row in one["timeline"] if row[1] is not None]
    lost = [row for row in one["timeline"] if row[1] is None]
    top = max((microseconds(row[1]) for row in arrived), default=1.0)
    return [
        {
            "contender": who,
            "at": at / 1e9,
            "us": top if latency is None else microseconds(latency),
            "what": LOST if latency is None else ARRIVED,
            "subscriber": ROLES[min(role, len(ROLES) - 1)],
        }
        for at, latency, role in (*thinned(arrived), *thinned(lost))
    ]


def thinned(rows: list[list[Any]]) -> list[list[Any]]:
    """At most ``MOST_MARKS``, evenly."""
    step = max(1, -(-len(rows) // MOST_MARKS))
    return rows[::step]


def _figure(fault: str, of: list[dict[str, Any]]) -> Figure:
    marks = [mark for one in of for mark in _marks(one)]
    contenders = list(dict.fromkeys(mark["contender"] for mark in marks))
    points = alt.Chart().mark_point(size=22, strokeWidth=1.3, filled=False, opacity=1)
    layer = points.encode(
        x=alt.X("at:Q", title="sent, seconds since the fault", scale=alt.Scale(nice=False)),
        y=alt.Y(
            "us:Q",
            title="latency",
            scale=alt.Scale(type="log", nice=False, padding=8),
            axis=alt.Axis(labelExpr=MICROSECONDS, tickCount=4),
        ),
        color=keyed(alt.Color, "subscriber", ROLES, ROLE_COLOURS, symbolOpacity=1),
        shape=keyed(alt.Shape, "what", [ARRIVED, LOST], ["circle", "cross"]),
        tooltip=["contender:N", "subscriber:N", "what:N", alt.Tooltip("at:Q", format=".3f")],
    )
    moment = alt.Chart().mark_rule(strokeDash=[4, 3]).encode(x=alt.datum(0.0))
    chart = (
        alt.layer(layer, moment)
        .properties(width=WIDTH, height=ROW_HEIGHT)
        .facet(
            data=alt.Data(values=marks),
            row=alt.Row(
                "contender:N",
                title=None,
                sort=contenders,
                header=alt.Header(labelAngle=0, labelAnchor="start", labelOrient="top"),
            ),
        )
        .resolve_scale(y="independent")
        .properties(title=f"Time line of a fault · {fault}")
    )
    caption = (
        "Each point is a message at the time it was sent; dashed: the fault. Crosses are messages"
        " that did not arrive, drawn at the top."
    )
    return Figure(f"transport-fault-{fault}", caption, chart)
