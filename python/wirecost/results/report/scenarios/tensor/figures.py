# SPDX-License-Identifier: Apache-2.0
"""Figures of tensors over middlewares: latencies, what sizes change, where the time goes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import altair as alt

from wirecost.results.analysis.summary import Row
from wirecost.results.records.folder import Results
from wirecost.results.records.schemas.tensor import TensorRun
from wirecost.results.report.scenarios.tensor import latency
from wirecost.results.report.scenarios.tensor.contenders import (
    PARTS,
    VARIANTS,
    StageShares,
    array_bytes,
    groups,
    is_floor,
    is_wrapyfi,
    library,
    plugin_of,
    shape_of,
    shares_of,
)
from wirecost.results.report.shared import units
from wirecost.results.report.shared.axes import (
    GREY,
    MICROSECONDS,
    Mark,
    apart,
    domain,
    keyed,
    log,
    names_down,
    plot,
    ticks,
)
from wirecost.results.report.shared.figure import PALETTE, STAGE_COLOURS, WIDTH, Figure

PANEL, HEIGHT, LABEL = 330, 400, 14
"""Pixels: of a panel, and between the lower edges of two labels."""
OF_NONE = {"memcpy", "shm", "shm-in-place", "in-process"}
TRANSPORT, AGAIN = "middleware", "middleware, a colour again"
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
PART_COLOURS = dict(
    zip(
        PARTS,
        [
            STAGE_COLOURS["release"],
            STAGE_COLOURS["release"],
            "#F0E442",
            STAGE_COLOURS["source_generation"],
            STAGE_COLOURS["source_serialization"],
            STAGE_COLOURS["transfer"],
            STAGE_COLOURS["transfer"],
            STAGE_COLOURS["model_deserialization"],
            "#882255",
            "#661100",
            STAGE_COLOURS["model_calculation"],
            STAGE_COLOURS["model_serialization"],
        ],
        strict=True,
    )
)
"""Compression and devices have colours beyond those of other scenarios' stages."""


def figures(results: Results, rows: list[Row]) -> list[Figure]:
    """Draw all that has anything to show."""
    return [*latency.figures(results, rows), *_all_sizes(rows), *_all_parts(results, rows)]


def _all_sizes(rows: list[Row]) -> list[Figure]:
    """Draw latency and throughput by the array's size, where several were measured."""
    drawn = []
    for group, totals in groups(rows):
        for plugin in dict.fromkeys(plugin_of(row) for row in totals if plugin_of(row)):
            here = [row for row in totals if plugin_of(row) == plugin or is_floor(row)]
            here = [row for row in here if row.median_ns > 0]
            if len({array_bytes(row) for row in here}) > 1:
                slug = "-".join(filter(str.isalnum, (plugin, group.dtype, group.device)))
                drawn += _by_size(f"{plugin} · {group.title}", slug, here)
    return drawn


def _by_size(name: str, slug: str, rows: list[Row]) -> list[Figure]:
    """Draw a line for each transport, floors dashed."""
    latencies = [
        _panel(rows, "median", lambda row: row.median_ns / 1000),
        _panel(rows, "99th percentile", lambda row: row.p99_ns / 1000),
    ]
    both = alt.hconcat(*latencies, title=f"Latency by size · {name}")
    caption = (
        "One line per middleware, floors dashed; the 99th percentile is an estimate from at "
        f"least {min(row.n for row in rows)} messages."
    )
    drawn = [
        Figure(f"tensor-latency-by-size-{slug}", caption, both.resolve_scale(color="independent"))
    ]
    if any(_rate(row) for row in rows):
        caption = (
            "Messages sent back to back, bytes as they arrived; what a slow listener "
            "lost is not in it, and is in the table."
        )
        panel = _panel(rows, f"Throughput by size · {name}", _rate, 440)
        drawn.append(Figure(f"tensor-throughput-by-size-{slug}", caption, panel))
    return drawn


def _rate(row: Row) -> float | None:
    rate = row.run_as(TensorRun).bytes_per_s
    return rate and rate / 1e6


def _panel(rows: list[Row], title: str, value: Value, width: int = PANEL) -> Any:
    is_rate = value is _rate
    points: list[Mark] = [
        {
            "mware": row.contender,
            "kind": _kind(row),
            "bytes": array_bytes(row),
            "size": units.size(array_bytes(row)),
            "value": number,
            "messages": row.n,
        }
        for row in sorted(rows, key=array_bytes)
        if (number := value(row) or 0.0) > 0
    ]
    names = list(dict.fromkeys(point["mware"] for point in points))
    shades = _shades(names)
    _mark_again(points, shades)
    across, up = (domain([float(p[key]) for p in points]) for key in ("bytes", "value"))
    colour = alt.Color(
        "mware:N", legend=None, scale=alt.Scale(domain=names, range=[shades[n] for n in names])
    )
    base = plot(points).encode(
        x=alt.X(
            "bytes:Q",
            title="size of the array [bytes]",
            scale=log(domain=across),
            axis=alt.Axis(values=[4.0**power for power in range(3, 16, 2)], format=".3~s"),
        ),
        y=alt.Y(
            "value:Q",
            title="throughput [MB/s]" if is_rate else f"total, {title}",
            scale=log(domain=up),
            axis=alt.Axis(values=ticks(up), labelExpr="datum.value" if is_rate else MICROSECONDS),
        ),
        color=colour,
    )
    amount = alt.Tooltip("value:Q", format=".4~g", title="MB/s" if is_rate else "µs")
    dots = base.mark_point(filled=True, size=34, opacity=1).encode(
        shape=alt.Shape("kind:N", legend=None, scale=_scale(SHAPES)),
        tooltip=["mware:N", "size:N", amount, "messages:Q"],
    )
    lines = base.mark_line(strokeWidth=1.6).encode(
        strokeDash=alt.StrokeDash("kind:N", legend=None, scale=_scale(DASHES)), detail="mware:N"
    )
    layers = (lines, dots, *_names(points, names, across[1], up, width, colour))
    return alt.layer(*layers).properties(width=width, height=HEIGHT, title=title)


def _scale(looks: Mapping[str, str | list[int]]) -> alt.Scale:
    return alt.Scale(domain=list(looks), range=list(looks.values()))


def _names(
    points: list[Mark],
    names: list[str],
    end: float,
    span: list[float],
    width: int,
    colour: alt.Color,
) -> list[alt.Chart]:
    """Write contenders' names beside their lines, apart from one another."""
    last = [next(p for p in reversed(points) if p["mware"] == name) for name in names]
    places = apart([point["value"] for point in last], span, HEIGHT, LABEL)
    labels = [point | {"at": at, "end": end} for point, at in zip(last, places, strict=True)]
    base = plot(labels).encode(color=colour)
    return [
        base.mark_rule(strokeWidth=0.7, clip=False).encode(
            x="bytes:Q", y="value:Q", x2=alt.X2Value(width + 8), y2="at:Q"
        ),
        base.mark_text(align="left", dx=10, fontSize=11, clip=False).encode(
            x=alt.XValue(width), y="at:Q", text="mware:N"
        ),
    ]


def _kind(row: Row) -> str:
    if is_floor(row):
        return FLOOR
    if is_wrapyfi(row.contender):
        return WRAPYFI
    return VARIANT if row.contender in VARIANTS else TRANSPORT


def _shades(names: list[str]) -> dict[str, str]:
    """Give a library's contenders and its floor its colour; floors of no library are grey."""
    libraries = dict.fromkeys(map(library, names))
    colours = [shade for shade in PALETTE if shade != GREY]
    coloured = [name for name in libraries if name not in OF_NONE]
    shade = {name: colours[i % len(colours)] for i, name in enumerate(coloured)}
    return {name: shade.get(library(name), GREY) for name in names}


def _mark_again(points: list[Mark], shades: dict[str, str]) -> None:
    """Give transports whose colour another library had before points of another shape."""
    first: dict[str, str] = {}
    for point in points:
        name = point["mware"]
        owner = first.setdefault(shades[name], library(name)) if point["kind"] == TRANSPORT else ""
        if owner and owner != library(name):
            point["kind"] = AGAIN


def _all_parts(results: Results, rows: list[Row]) -> list[Figure]:
    """Draw where a message's time goes, by object or, where there is one, by size."""
    drawn: list[Figure] = []
    shares = shares_of(results.samples)
    for group, totals in groups(rows):
        sizes = {shape_of(row): units.size(array_bytes(row)) for row in totals}
        plugins = list(dict.fromkeys(plugin_of(row) for row in totals if plugin_of(row)))
        here = [share for share in shares if share.group == group]
        if len(sizes) > 1 and len(plugins) == 1:
            title = f"{plugins[0]} · {group.title}"
            drawn.append(_parts(len(drawn) + 1, title, here, sizes, "shape"))
            continue
        for shape in sizes:
            of_shape = [share for share in here if share.shape == shape]
            names = {plugin: plugin for plugin in plugins}
            title = f"{shape} {group.title}"
            drawn.append(_parts(len(drawn) + 1, title, of_shape, names, "plugin"))
    return drawn


def _bars(shares: list[StageShares], labels: Mapping[str, str], by: str) -> list[Mark]:
    bars: list[Mark] = []
    for share in shares:
        whole = sum(share.ns.values())
        start = 0.0
        for part in [part for part in PARTS if part in share.ns and whole > 0]:
            end = start + share.ns[part] / whole
            bars.append(
                {
                    "mware": share.mware,
                    "label": labels[getattr(share, by)],
                    "part": part,
                    "start": start,
                    "end": end,
                    "time": units.time(share.ns[part]),
                    "whole": units.time(whole) if start == 0 else None,
                }
            )
            start = end
    return bars


def _parts(
    number: int, title: str, shares: list[StageShares], labels: Mapping[str, str], by: str
) -> Figure:
    """Draw shares of encoding, sending, transit, decoding and access.

    ``by``: attribute of the shares whose value has a bar, called as ``labels`` says.
    """
    bars = _bars(shares, labels, by)
    contenders = list(dict.fromkeys(share.mware for share in shares))
    parts = [part for part in PARTS if any(bar["part"] == part for bar in bars)]
    drawn_labels = [name for name in labels.values() if any(bar["label"] == name for bar in bars)]
    base = alt.Chart().encode(y=names_down("label", drawn_labels, ticks=False, domain=False))
    looks = {"columns": 7, "symbolType": "square"}
    drawn = base.mark_bar(height=11).encode(
        x=alt.X(
            "start:Q",
            title="share of the parts' sum",
            scale=alt.Scale(domain=[0, 1]),
            axis=alt.Axis(format="%", values=[0, 0.5, 1]),
        ),
        x2="end:Q",
        color=keyed(alt.Color, "part", parts, [PART_COLOURS[part] for part in parts], **looks),
        tooltip=["mware:N", "label:N", "part:N", "time:N"],
    )
    width = WIDTH // 4
    text = base.transform_filter("isValid(datum.whole)").mark_text(align="left", dx=4, fontSize=11)
    header = alt.Header(labelFontWeight="bold", labelFontSize=12, labelAnchor="start")
    chart = (
        alt.layer(drawn, text.encode(x=alt.XValue(width), text="whole:N"))
        .properties(width=width, height=alt.Step(16))
        .facet(
            data=alt.Data(values=bars),
            facet=alt.Facet("mware:N", title=None, sort=contenders, header=header),
            columns=min(3, len(contenders)),
            spacing={"column": 60, "row": 20},
        )
        .properties(title=f"Where the time goes · {title}")
    )
    caption = (
        "Medians of the parts; each bar is their sum, which is written next to it. Publish: the "
        "sending call, until the listener has the message; the rest of the transit follows that "
        "call. Access, reading every page, is not in the total. Wrapyfi encodes within its "
        "sending call and decodes within the transit."
    )
    return Figure(f"tensor-stages-{number}", caption, chart)
