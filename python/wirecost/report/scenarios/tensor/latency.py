# SPDX-License-Identifier: Apache-2.0
"""The Wrapyfi page's figure: one-way latency by plugin and middleware, beside Wrapyfi and floors.

Up to eight ways stand beside each other, each in its colour; more are drawn library by library.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import altair as alt
import polars as pl

from wirecost.analysis.summary import Row
from wirecost.records.folder import Results
from wirecost.report.scenarios.tensor import published as elsewhere
from wirecost.report.scenarios.tensor.axes import MICROSECONDS, apart, domain, ticks
from wirecost.report.scenarios.tensor.contenders import (
    RAW,
    SHM,
    VARIANTS,
    Group,
    array_bytes,
    groups,
    in_process,
    is_floor,
    is_wrapyfi,
    library,
    ordered,
    plugin_of,
    shape_of,
)
from wirecost.report.shared.figure import PALETTE, WIDTH, Figure
from wirecost.report.shared.units import size

MOST_BESIDE, HEIGHT = 8, 340
OURS, OTHER, THEIRS = "wirecost", "wirecost, its other way", "Wrapyfi, measured here"
PUBLISHED = "Wrapyfi, published median"
SHADES = {OURS: PALETTE[0], OTHER: PALETTE[1], THEIRS: PALETTE[3]}
SHAPES = {"zeromq": "diamond", "yarp": "triangle-up", "ros2": "triangle-down", "ros1": "square"}
OWN_FLOOR, SHM_FLOOR = "same library, bytes alone", "shared memory, one copy"
DASHES = {OWN_FLOOR: [6, 3], SHM_FLOOR: [2, 3]}


def figures(results: Results, rows: list[Row]) -> list[Figure]:
    made: list[Figure] = []
    for group, totals in groups(rows):
        for shape in dict.fromkeys(shape_of(row) for row in totals):
            here = [r for r in totals if shape_of(r) == shape and not in_process(r.contender)]
            objects = [row for row in here if plugin_of(row)]
            swept = len({shape_of(row) for row in totals}) > 3
            if any(row.median_ns > 0 for row in objects) and not swept:
                drawn = _Drawn.of(group, shape, results.samples, here)
                made.append(_figure(len(made) + 1, drawn))
    return made


@dataclass(frozen=True)
class _Drawn:
    """One figure's content, times in microseconds."""

    title: str
    boxes: list[dict[str, Any]]
    published: list[dict[str, Any]]
    lines: list[dict[str, Any]]
    plugins: list[str]
    ways: list[str]
    samples: int

    @classmethod
    def of(cls, group: Group, shape: str, samples: pl.DataFrame, rows: list[Row]) -> _Drawn:
        objects = [row for row in rows if plugin_of(row)]
        told = samples.filter(
            pl.col("stage") == "total",
            pl.col("shape") == shape,
            *(pl.col(name) == value for name, value in vars(group).items()),
        )
        quantiles = {
            (str(mware), str(plugin)): [
                float(part["ns"].quantile(q, "linear") or 0) for q in (0.05, 0.25, 0.75, 0.95)
            ]
            for (mware, plugin), part in told.group_by(["contender", "plugin"])
        }
        boxes = [
            _box(row, quantiles[row.contender, plugin_of(row)])
            for row in objects
            if row.median_ns > 0
        ]
        plugins = list(dict.fromkeys(plugin_of(row) for row in objects))
        comparable = shape == elsewhere.SHAPE and group.device == "cpu"
        published = [
            {"library": where, "from": where, "plugin": plugin, "us": ns / 1000, "who": PUBLISHED}
            for (where, plugin), ns in elsewhere.PUBLISHED_NS.items()
            if comparable and group.pattern == "pubsub" and plugin in plugins
        ]
        title = f"One-way latency · {shape} {group.title}, {size(array_bytes(objects[0]))}"
        if group.pattern != "pubsub":
            title = title.replace("One-way latency", "Latency there and back")
        here = {library(row.contender) for row in objects}
        for mark in published:
            if mark["library"] not in here:
                mark["library"] = f"{mark['library']}, not measured"
        ways = ordered(objects, list(dict.fromkeys(row.contender for row in objects)))
        shown = {library(way) for way in ways} | {str(mark["library"]) for mark in published}
        lines = _lines([row for row in rows if is_floor(row)], shown)
        return cls(title, boxes, published, lines, plugins, ways, min(row.n for row in objects))


def _box(row: Row, quantiles: list[float]) -> dict[str, Any]:
    who = OTHER if row.contender in VARIANTS else OURS
    times = {
        "p5": quantiles[0],
        "q1": quantiles[1],
        "median": row.median_ns,
        "q3": quantiles[2],
        "p95": quantiles[3],
        "low": row.ci95_ns[0],
        "high": row.ci95_ns[1],
    }
    return {
        "mware": row.contender,
        "library": library(row.contender),
        "plugin": plugin_of(row),
        "who": THEIRS if is_wrapyfi(row.contender) else who,
        # Two machines' clocks may differ by more than a message takes, and the axis knows no zero.
        **{name: max(ns, row.median_ns / 100) / 1000 for name, ns in times.items()},
    }


def _lines(floors: list[Row], libraries: set[str]) -> list[dict[str, Any]]:
    """A library's own floor where it is, shared memory in every panel."""
    made = []
    for row in floors:
        own = row.contender.startswith(RAW)
        if (not own and row.contender != SHM) or row.median_ns <= 0:
            continue
        made += [
            {
                "library": where,
                "floor": OWN_FLOOR if own else SHM_FLOOR,
                "mware": row.contender,
                "us": row.median_ns / 1000,
            }
            for where in sorted(libraries)
            if not own or where == library(row.contender)
        ]
    return made


def _figure(number: int, drawn: _Drawn) -> Figure:
    beside = len(drawn.ways) <= MOST_BESIDE
    chart = _beside(drawn) if beside else _panels(drawn)
    caption = (
        "Box: first to third quartile, line across it: median, thin line: 5th to 95th percentile, "
        f"line inside it: the median's 95 % interval; at least {drawn.samples} messages each."
    )
    if drawn.published:
        caption += f" Published: {elsewhere.SOURCE}."
    return Figure(f"tensor-latency-{number}", caption, chart)


def _span(drawn: _Drawn) -> list[float]:
    found = [box[name] for box in drawn.boxes for name in ("p5", "p95")]
    found += [mark["us"] for mark in (*drawn.published, *drawn.lines)]
    return domain([value for value in found if value > 0])


def _vertical(drawn: _Drawn, field: str) -> alt.Y:
    span = _span(drawn)
    return alt.Y(
        f"{field}:Q",
        title="total",
        scale=alt.Scale(type="log", domain=span, nice=False),
        axis=alt.Axis(values=ticks(span), labelExpr=MICROSECONDS),
    )


def _layers(
    drawn: _Drawn, colour: alt.Color, offset: alt.XOffset, width: float, shape: Any
) -> list[alt.Chart]:
    """Boxes, published medians and floors of all panels, or of the one there is."""
    horizontal = alt.X(
        "plugin:N",
        sort=drawn.plugins,
        title=None,
        axis=alt.Axis(labelAngle=-40, ticks=False, domain=False),
    )
    tooltip = [
        *(alt.Tooltip(f"{name}:N") for name in ("mware", "plugin")),
        *(alt.Tooltip(f"{name}:Q", format=".4~g") for name in ("median", "low", "high", "p95")),
    ]
    boxes = alt.Chart().transform_filter("isValid(datum.median)")
    plain = boxes.encode(x=horizontal, xOffset=offset, tooltip=tooltip)
    boxes = plain.encode(color=colour)
    marks = alt.Chart().transform_filter(f"datum.who === {PUBLISHED!r}")
    floors = alt.Chart().transform_filter("isValid(datum.floor)")
    dashes = alt.StrokeDash(
        "floor:N",
        title="floors",
        scale=alt.Scale(domain=list(DASHES), range=list(DASHES.values())),
        legend=alt.Legend(orient="bottom", symbolStrokeWidth=1.5),
    )
    layers = [
        floors.mark_rule(strokeWidth=1.2).encode(
            y=_vertical(drawn, "us"),
            strokeDash=dashes,
            tooltip=["mware:N", alt.Tooltip("us:Q", format=".4~g")],
        ),
        boxes.mark_rule(strokeWidth=1).encode(y=_vertical(drawn, "p5"), y2="p95:Q"),
        boxes.mark_bar(size=width, opacity=0.5).encode(y=_vertical(drawn, "q1"), y2="q3:Q"),
        plain.mark_rule(strokeWidth=1).encode(y=_vertical(drawn, "low"), y2="high:Q"),
        boxes.mark_tick(orient="horizontal", size=width + 3, thickness=2.5).encode(
            y=_vertical(drawn, "median")
        ),
        marks.mark_point(size=34, filled=False, strokeWidth=1.4, color=PALETTE[4]).encode(
            x=horizontal,
            y=_vertical(drawn, "us"),
            shape=shape,
            tooltip=["who:N", "from:N", "plugin:N", alt.Tooltip("us:Q", format=".4~g")],
        ),
    ]
    return layers if drawn.lines else layers[1:]


def _shapes(drawn: _Drawn, title: str) -> alt.Shape:
    names = [name for name in SHAPES if any(mark["from"] == name for mark in drawn.published)]
    return alt.Shape(
        "from:N",
        title=title,
        scale=alt.Scale(domain=names, range=[SHAPES[name] for name in names]),
        legend=alt.Legend(orient="bottom", symbolStrokeColor=PALETTE[4]) if names else None,
    )


def _data(drawn: _Drawn) -> alt.Data:
    return alt.Data(values=[*drawn.boxes, *drawn.published, *drawn.lines])


def _named_floors(drawn: _Drawn, room: float) -> list[alt.Chart]:
    """Each floor's name beside its line."""
    found = {line["mware"]: line["us"] for line in drawn.lines}
    if not found:
        return []
    places = apart(list(found.values()), _span(drawn), HEIGHT, 13)
    labels = [{"mware": name, "at": at} for name, at in zip(found, places, strict=True)]
    chart = alt.Chart(alt.Data(values=labels)).mark_text(align="left", dx=4, fontSize=11)
    return [chart.encode(x=alt.XValue(room), y=_vertical(drawn, "at"), text="mware:N")]


def _beside(drawn: _Drawn) -> Any:
    shades = [shade for shade in PALETTE if shade != PALETTE[4]] + [PALETTE[4]]
    colour = alt.Color(
        "mware:N",
        title=None,
        scale=alt.Scale(domain=drawn.ways, range=shades[: len(drawn.ways)]),
        legend=alt.Legend(orient="bottom", columns=4, symbolType="square", symbolOpacity=1),
    )
    offset = alt.XOffset("mware:N", sort=drawn.ways)
    room = max(WIDTH // 2, 11 * len(drawn.plugins) * (len(drawn.ways) + 1))
    width = min(24.0, 0.7 * room / (len(drawn.plugins) * (len(drawn.ways) + 1)))
    layers = _layers(drawn, colour, offset, width, _shapes(drawn, PUBLISHED))
    layers += _named_floors(drawn, room)
    return alt.layer(*layers, data=_data(drawn)).properties(
        width=room, height=HEIGHT, title=drawn.title
    )


def _panels(drawn: _Drawn) -> Any:
    """A panel a library, the quickest first; what has only been published comes last."""
    whose = [who for who in SHADES if any(box["who"] == who for box in drawn.boxes)]
    names = {OTHER: f"wirecost: {', '.join(way for way in drawn.ways if way in VARIANTS)}"}
    colour = alt.Color(
        "who:N",
        title=None,
        scale=alt.Scale(domain=whose, range=[SHADES[who] for who in whose]),
        legend=alt.Legend(
            orient="bottom",
            symbolType="square",
            symbolOpacity=1,
            labelExpr=f"datum.label === {OTHER!r} ? {names[OTHER]!r} : datum.label",
        ),
    )
    offset = alt.XOffset("who:N", sort=whose, scale=alt.Scale(domain=whose))
    libraries = list(dict.fromkeys(library(way) for way in drawn.ways if not is_wrapyfi(way)))
    libraries += [library(way) for way in drawn.ways if library(way) not in libraries]
    libraries += [str(m["library"]) for m in drawn.published if m["library"] not in libraries]
    room = max(170, 24 * len(drawn.plugins))
    columns = max(1, min(4, (WIDTH + 110) // room))
    band = room / (len(drawn.plugins) * (len(whose) + 0.5))
    layers = _layers(drawn, colour, offset, min(16.0, 0.8 * band), _shapes(drawn, PUBLISHED))
    return (
        alt.layer(*layers)
        .properties(width=room, height=170)
        .facet(
            data=_data(drawn),
            facet=alt.Facet(
                "library:N",
                title=None,
                sort=list(dict.fromkeys(libraries)),
                header=alt.Header(labelFontWeight="bold", labelFontSize=12, labelAnchor="start"),
            ),
            columns=columns,
        )
        .properties(title=drawn.title)
    )
