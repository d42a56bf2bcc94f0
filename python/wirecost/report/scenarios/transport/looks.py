# SPDX-License-Identifier: Apache-2.0
"""What all figures of transports share: a mark's data, colours by transport, shapes by outcome."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import altair as alt

from wirecost.analysis.transport.measured import Measured
from wirecost.report.scenarios.transport.measurements import name
from wirecost.report.shared.figure import PALETTE
from wirecost.report.shared.legend import keyed
from wirecost.report.shared.log_axes import MICROSECONDS, domain, ticks

Mark = dict[str, Any]
HELD, FAILED = "complete", "not complete"
SHAPES = {HELD: "circle", FAILED: "cross"}
DASHES = ([1, 0], [6, 3], [2, 2], [8, 2, 2, 2], [1, 4], [4, 1], [10, 3], [3, 6])
COLOURS = (*PALETTE, "#332288", "#882255", "#44AA99", "#DDCC77", "#661100", "#117733")
LEAST_US = 0.1
"""An axis of logarithms knows no zero."""


def mark(one: Measured) -> Mark:
    """Times in microseconds."""
    return {
        "contender": name(one),
        "mware": one.who.mware,
        "how": f"{one.who.client} {one.who.settings}",
        "network": one.where.network,
        "size": one.size,
        "rate": one.rate or one.asked_rate,
        "p50": microseconds(one.p50_ns),
        "p99": microseconds(one.p99_ns),
        "cpu": None if one.cost_ns is None else microseconds(one.cost_ns),
        "outcome": HELD if one.delivers else FAILED,
        "went wrong": "; ".join(one.flaws) or "nothing",
    }


def microseconds(ns: float) -> float:
    return max(ns / 1000, LEAST_US)


def colour(marks: Iterable[Mark]) -> alt.Color:
    names = _distinct(marks, "mware")
    looks = [COLOURS[i % len(COLOURS)] for i in range(len(names))]
    return keyed(alt.Color, "mware", names, looks, columns=8, symbolType="square", symbolOpacity=1)


def dash(marks: Iterable[Mark]) -> alt.StrokeDash:
    names = _distinct(marks, "how")
    looks = [DASHES[i % len(DASHES)] for i in range(len(names))]
    return keyed(alt.StrokeDash, "how", names, looks, columns=4, symbolSize=400)


def shape(marks: Sequence[Mark]) -> alt.Shape:
    names = [one for one in SHAPES if any(mark["outcome"] == one for mark in marks)]
    return keyed(alt.Shape, "outcome", names, [SHAPES[one] for one in names], columns=1)


def time_axis(marks: Sequence[Mark], title: str, field: str, *more: str) -> alt.Y:
    """Microseconds, on logarithms; ``more``: fields that the axis holds as well."""
    span = domain([mark[name] for mark in marks for name in (field, *more)])
    return alt.Y(
        f"{field}:Q",
        title=title,
        scale=alt.Scale(type="log", domain=span, nice=False),
        axis=alt.Axis(values=ticks(span), labelExpr=MICROSECONDS),
    )


def tooltip(*more: str) -> list[alt.Tooltip]:
    """``more``: further fields; numbers end with ``:Q``."""
    fields = [alt.Tooltip("contender:N"), alt.Tooltip("went wrong:N")]
    times = [alt.Tooltip(f"{one}:Q", format=".4~g", title=f"{one} [µs]") for one in ("p50", "p99")]
    return [*fields, *times, *(alt.Tooltip(one) for one in more)]


def _distinct(marks: Iterable[Mark], field: str) -> list[str]:
    return list(dict.fromkeys(str(mark[field]) for mark in marks))
