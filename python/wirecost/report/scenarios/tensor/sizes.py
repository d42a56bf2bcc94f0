# SPDX-License-Identifier: Apache-2.0
"""Latency and throughput by the array's size, one line per transport, floors dashed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import altair as alt

from wirecost.analysis.summary import Row
from wirecost.report.scenarios.tensor.contenders import (
    VARIANTS,
    array_bytes,
    groups,
    is_floor,
    is_wrapyfi,
    library,
    plugin_of,
)
from wirecost.report.shared import units
from wirecost.report.shared.figure import PALETTE, Figure
from wirecost.report.shared.log_axes import GREY, MICROSECONDS, apart, domain, ticks

PANEL, HEIGHT, LABEL = 330, 400, 14
"""Pixels: of a panel, and between the lower edges of two labels."""
OF_NONE = {"memcpy", "shm", "shm-in-place", "in-process"}
TRANSPORT, AGAIN = "transport", "transport, a colour again"
VARIANT, WRAPYFI, FLOOR = "its other variant", "Wrapyfi", "floor"
SHAPES = {
    TRANSPORT: "circle",
    AGAIN: "triangle-up",
    VARIANT: "square",
    WRAPYFI: "diamond",
    FLOOR: "cross",
}
DASHES = {kind: [5, 3] if kind == FLOOR else [1, 0] for kind in SHAPES}
Value = Callable[[Row], float | None]


def figures(rows: list[Row]) -> list[Figure]:
    made = []
    for group, totals in groups(rows):
        for plugin in dict.fromkeys(plugin_of(row) for row in totals if plugin_of(row)):
            here = [row for row in totals if plugin_of(row) == plugin or is_floor(row)]
            if len({array_bytes(row) for row in here if row.median_ns > 0}) < 2:
                continue
            name = f"{plugin} · {group.title}"
            slug = "-".join(filter(str.isalnum, (plugin or "", group.dtype, group.device)))
            here = [row for row in here if row.median_ns > 0]
            latency = [_panel(here, "median", _median), _panel(here, "99th percentile", _p99)]
            made.append(
                Figure(
                    f"tensor-latency-by-size-{slug}",
                    "One line per transport, floors dashed; the 99th percentile is an estimate "
                    f"from at least {min(row.n for row in here)} messages.",
                    alt.hconcat(*latency, title=f"Latency by size · {name}").resolve_scale(
                        color="independent"
                    ),
                )
            )
            if any(_rate(row) for row in here):
                made.append(
                    Figure(
                        f"tensor-throughput-by-size-{slug}",
                        "Messages sent back to back, bytes as they arrived; what a slow listener "
                        "lost is not in it, and is in the table.",
                        _panel(here, f"Throughput by size · {name}", _rate, 440),
                    )
                )
    return made


def _median(row: Row) -> float | None:
    return row.median_ns / 1000


def _p99(row: Row) -> float | None:
    return row.p99_ns / 1000


def _rate(row: Row) -> float | None:
    rate: float | None = row.facts["bytes_per_s"]
    return rate and rate / 1e6


def _panel(rows: list[Row], title: str, value: Value, width: int = PANEL) -> Any:
    rate = value is _rate
    points: list[dict[str, Any]] = [
        {
            "mware": row.contender,
            "kind": _kind(row),
            "bytes": array_bytes(row),
            "size": units.size(array_bytes(row)),
            "value": found,
            "messages": row.n,
        }
        for row in sorted(rows, key=array_bytes)
        if (found := value(row) or 0.0) > 0
    ]
    names = list(dict.fromkeys(point["mware"] for point in points))
    shades = _shades(names)
    _again(points, shades)
    across, up = (domain([float(p[key]) for p in points]) for key in ("bytes", "value"))
    ends = [next(p for p in reversed(points) if p["mware"] == name) for name in names]
    places = apart([end["value"] for end in ends], up, HEIGHT, LABEL)
    labels = [end | {"at": at, "end": across[1]} for end, at in zip(ends, places, strict=True)]
    colour = alt.Color(
        "mware:N", legend=None, scale=alt.Scale(domain=names, range=[shades[n] for n in names])
    )
    axis = alt.X(
        "bytes:Q",
        title="size of the array [bytes]",
        scale=alt.Scale(type="log", domain=across, nice=False),
        axis=alt.Axis(values=[4.0**power for power in range(3, 16, 2)], format=".3~s"),
    )
    vertical = alt.Y(
        "value:Q",
        title="throughput [MB/s]" if rate else f"total, {title}",
        scale=alt.Scale(type="log", domain=up, nice=False),
        axis=alt.Axis(values=ticks(up), labelExpr="datum.value" if rate else MICROSECONDS),
    )
    tooltip = [
        "mware:N",
        "size:N",
        alt.Tooltip("value:Q", format=".4~g", title="MB/s" if rate else "µs"),
        "messages:Q",
    ]
    base = alt.Chart(alt.Data(values=points)).encode(x=axis, y=vertical, color=colour)
    dash = alt.StrokeDash(
        "kind:N", legend=None, scale=alt.Scale(domain=list(DASHES), range=list(DASHES.values()))
    )
    shape = alt.Shape(
        "kind:N", legend=None, scale=alt.Scale(domain=list(SHAPES), range=list(SHAPES.values()))
    )
    written = alt.Chart(alt.Data(values=labels)).encode(color=colour)
    layers = (
        base.mark_line(strokeWidth=1.6).encode(strokeDash=dash, detail="mware:N"),
        base.mark_point(filled=True, size=34, opacity=1).encode(shape=shape, tooltip=tooltip),
        written.mark_rule(strokeWidth=0.7, clip=False).encode(
            x="bytes:Q", y="value:Q", x2=alt.X2Value(width + 8), y2="at:Q"
        ),
        written.mark_text(align="left", dx=10, fontSize=11, clip=False).encode(
            x=alt.XValue(width), y="at:Q", text="mware:N"
        ),
    )
    return alt.layer(*layers).properties(width=width, height=HEIGHT, title=title)


def _kind(row: Row) -> str:
    if is_floor(row):
        return FLOOR
    if is_wrapyfi(row.contender):
        return WRAPYFI
    return VARIANT if row.contender in VARIANTS else TRANSPORT


def _shades(names: list[str]) -> dict[str, str]:
    """A library's contenders and its floor have its colour; floors of no library are grey."""
    libraries = dict.fromkeys(map(library, names))
    colours = [shade for shade in PALETTE if shade != GREY]
    coloured = [found for found in libraries if found not in OF_NONE]
    shade = {found: colours[i % len(colours)] for i, found in enumerate(coloured)}
    return {name: shade.get(library(name), GREY) for name in names}


def _again(points: list[dict[str, Any]], shades: dict[str, str]) -> None:
    """Transports whose colour another library had before get points of another shape."""
    first: dict[str, str] = {}
    for point in points:
        name = point["mware"]
        if point["kind"] == TRANSPORT and first.setdefault(shades[name], library(name)) != library(
            name
        ):
            point["kind"] = AGAIN
