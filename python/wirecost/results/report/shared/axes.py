# SPDX-License-Identifier: Apache-2.0
"""Axes, legends and tooltips of figures, and where labels beside lines stand without overlaps."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import altair as alt

GREY = "#8C8C8C"
"""Colour of what is no library's."""

MICROSECONDS = (
    "datum.value >= 1e6 ? datum.value / 1e6 + ' s' : datum.value >= 1e3 "
    "? datum.value / 1e3 + ' ms' : datum.value >= 1 ? datum.value + ' µs' "
    ": format(datum.value * 1e3, '~g') + ' ns'"
)
"""Labels of an axis whose values are microseconds."""

Key = TypeVar("Key", alt.Color, alt.Shape, alt.StrokeDash)
Axis = TypeVar("Axis", alt.X, alt.Y)


Mark = dict[str, Any]
"""A row of a chart's data, by field."""


def plot(rows: Sequence[Mapping[str, Any]]) -> alt.Chart:
    """Return an empty chart of these rows."""
    return alt.Chart(alt.Data(values=rows))


def keyed(
    channel: type[Key], field: str, names: Iterable[str], looks: Iterable[Any], **legend: Any
) -> Key:
    """Return the channel in which each value ``names[i]`` of a field looks like ``looks[i]``.

    It has a legend below the figure; ``legend``: its further properties in Vega-Lite.
    """
    return channel(
        f"{field}:N",
        title=None,
        scale=alt.Scale(domain=list(names), range=list(looks)),
        legend=alt.Legend(orient="bottom", **legend),
    )


def names_down(field: str, names: Sequence[str], **axis: Any) -> alt.Y:
    """Return a vertical axis of names in this order; ``axis``: its properties in Vega-Lite."""
    return alt.Y(f"{field}:N", sort=names, title=None, axis=alt.Axis(**axis))


def log(**scale: Any) -> alt.Scale:
    """Return a logarithmic scale that ends where its values do."""
    return alt.Scale(type="log", nice=False, **scale)


def log_time(channel: type[Axis], field: str, title: str, span: Sequence[float]) -> Axis:
    """Return a logarithmic axis of microseconds over ``span``."""
    labels = alt.Axis(values=ticks(span), labelExpr=MICROSECONDS)
    return channel(f"{field}:Q", title=title, scale=log(domain=list(span)), axis=labels)


def numbers(*fields: str, form: str = ".4~g") -> list[alt.Tooltip]:
    """Return tooltips of numbers."""
    return [alt.Tooltip(f"{field}:Q", format=form) for field in fields]


def domain(values: Sequence[float]) -> list[float]:
    """Return what a logarithmic axis spans: a little more than the values, which are positive."""
    return [min(values) / 1.25, max(values) * 1.25]


def ticks(span: Sequence[float]) -> list[float]:
    """Return 1, 2 and 5 times powers of ten; powers alone where there are many."""
    first, last = (math.floor(math.log10(end)) for end in span)
    steps = (1, 2, 5) if math.log10(span[1] / span[0]) < 2.5 else (1,)
    values = [step * 10.0**power for power in range(first, last + 1) for step in steps]
    return [value for value in values if span[0] <= value <= span[1]]


def apart(values: Sequence[float], span: Sequence[float], height: float, gap: float) -> list[float]:
    """Return where labels of the values stand so that they are ``gap`` pixels apart, in order.

    ``values`` and what is returned lie on a logarithmic axis of ``height`` pixels over ``span``.
    """
    scale = height / math.log(span[1] / span[0])
    order = sorted(range(len(values)), key=lambda i: values[i])
    at = [0.0] * len(values)
    lowest = -math.inf
    for i in order:
        lowest = max(scale * math.log(values[i] / span[0]), lowest + gap)
        at[i] = lowest
    highest = height + gap
    for i in reversed(order):
        highest = min(at[i], highest - gap)
        at[i] = highest
    return [span[0] * math.exp(place / scale) for place in at]
