# SPDX-License-Identifier: Apache-2.0
"""The Wrapyfi page's figure: one-way latency by plugin and transport, beside Wrapyfi and floors.

Up to eight contenders stand beside each other, each in its colour; more are drawn in a panel for
each library. Every mark is one row of the chart's data, a dictionary; times are microseconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import altair as alt
import polars as pl

from wirecost.results.analysis.summary import Row
from wirecost.results.records.folder import Results
from wirecost.results.report.scenarios.tensor.contenders import (
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
from wirecost.results.report.shared.axes import Mark, apart, domain, keyed, log_time, numbers, plot
from wirecost.results.report.shared.figure import PALETTE, WIDTH, Figure
from wirecost.results.report.shared.units import size

MOST_BESIDE, MOST_SHAPES = 8, 3
HEIGHT, PANEL_HEIGHT = 340, 170
LABEL = 13
"""Pixels between the lower edges of two labels."""
OURS, OTHER, THEIRS = "wirecost", "wirecost, other variant", "Wrapyfi, measured here"
SHADES = {OURS: PALETTE[0], OTHER: PALETTE[1], THEIRS: PALETTE[3]}
OWN_FLOOR, SHM_FLOOR = "same library, bytes alone", "shared memory, one copy"
DASHES = {OWN_FLOOR: [6, 3], SHM_FLOOR: [2, 3]}
QUANTILES = {"p5": 0.05, "q1": 0.25, "q3": 0.75, "p95": 0.95}


@dataclass(frozen=True)
class Latencies:
    """One figure: all plugins and contenders of one group and shape."""

    title: str
    plugins: list[str]
    contenders: list[str]
    """Contenders that send objects, the quickest first."""
    boxes: list[Mark]
    floors: list[Mark]
    samples: int
    """Least number of messages behind a box."""

    @property
    def data(self) -> alt.Data:
        """All marks."""
        return alt.Data(values=[*self.boxes, *self.floors])

    @property
    def span(self) -> list[float]:
        """Ends of the time axis, which holds all marks."""
        times = [box[name] for box in self.boxes for name in ("p5", "p95")]
        times += [mark["us"] for mark in self.floors]
        return domain([us for us in times if us > 0])

    def time(self, field: str) -> alt.Y:
        """Return the vertical axis."""
        return log_time(alt.Y, field, "total", self.span)


def figures(results: Results, rows: list[Row]) -> list[Figure]:
    """Draw a figure for each group and shape; none of a sweep over sizes."""
    drawn: list[Figure] = []
    for group, totals in groups(rows):
        shapes = list(dict.fromkeys(shape_of(row) for row in totals))
        for shape in shapes if len(shapes) <= MOST_SHAPES else []:
            here = [r for r in totals if shape_of(r) == shape and not in_process(r.contender)]
            if any(plugin_of(row) and row.median_ns > 0 for row in here):
                latencies = _latencies(group, shape, results.samples, here)
                drawn.append(_figure(len(drawn) + 1, latencies))
    return drawn


def _latencies(group: Group, shape: str, samples: pl.DataFrame, rows: list[Row]) -> Latencies:
    """Return what a figure shows.

    ``rows``: the totals of the group and shape, objects and floors.
    """
    objects = [row for row in rows if plugin_of(row)]
    contenders = ordered(objects, list(dict.fromkeys(row.contender for row in objects)))
    what = "One-way latency" if group.pattern == "pubsub" else "Round-trip latency"
    totals = samples.filter(
        pl.col("stage") == "total",
        pl.col("shape") == shape,
        *(pl.col(name) == value for name, value in vars(group).items()),
    )
    by_contender = dict(totals.group_by(["contender", "plugin"]))
    return Latencies(
        title=f"{what} · {shape} {group.title}, {size(array_bytes(objects[0]))}",
        plugins=list(dict.fromkeys(plugin_of(row) for row in objects)),
        contenders=contenders,
        boxes=[
            _box(row, by_contender[row.contender, plugin_of(row)]["ns"])
            for row in objects
            if row.median_ns > 0
        ],
        floors=_floors([row for row in rows if is_floor(row)], set(map(library, contenders))),
        samples=min(row.n for row in objects),
    )


def _box(row: Row, ns: pl.Series) -> Mark:
    times = {name: float(ns.quantile(q, "linear") or 0) for name, q in QUANTILES.items()}
    times |= {"median": row.median_ns, "low": row.ci95_ns[0], "high": row.ci95_ns[1]}
    ours = OTHER if row.contender in VARIANTS else OURS
    return {
        "mware": row.contender,
        "library": library(row.contender),
        "plugin": plugin_of(row),
        "who": THEIRS if is_wrapyfi(row.contender) else ours,
        # Two machines' clocks may differ by more than a message takes, and the axis knows no zero.
        **{name: max(time, row.median_ns / 100) / 1000 for name, time in times.items()},
    }


def _floors(floors: list[Row], libraries: set[str]) -> list[Mark]:
    """Return a library's own floor for its panel, that of shared memory for every panel."""
    return [
        {
            "library": name,
            "floor": SHM_FLOOR if row.contender == SHM else OWN_FLOOR,
            "mware": row.contender,
            "us": row.median_ns / 1000,
        }
        for row in floors
        if row.median_ns > 0 and (row.contender == SHM or row.contender.startswith(RAW))
        for name in sorted(libraries)
        if name == library(row.contender) or row.contender == SHM
    ]


def _figure(number: int, shown: Latencies) -> Figure:
    chart = _beside(shown) if len(shown.contenders) <= MOST_BESIDE else _panels(shown)
    caption = (
        "Box: first to third quartile, line across it: median, thin line: 5th to 95th percentile, "
        f"line inside it: the median's 95 % interval; at least {shown.samples} messages each."
    )
    return Figure(f"tensor-latency-{number}", caption, chart)


def _beside(shown: Latencies) -> Any:
    """Draw one panel, a colour for each contender."""
    shades = PALETTE[: len(shown.contenders)]
    looks = {"columns": 4, "symbolType": "square", "symbolOpacity": 1}
    colour = keyed(alt.Color, "mware", shown.contenders, shades, **looks)
    offset = alt.XOffset("mware:N", sort=shown.contenders)
    slots = len(shown.plugins) * (len(shown.contenders) + 1)
    width = max(WIDTH // 2, 11 * slots)
    marks = _layers(shown, colour, offset, min(24.0, 0.7 * width / slots))
    marks += _floor_names(shown, HEIGHT)
    return alt.layer(*marks, data=shown.data).properties(
        width=width, height=HEIGHT, title=shown.title
    )


def _panels(shown: Latencies) -> Any:
    """Draw a panel for each library, a colour for each of ours, its variant and Wrapyfi's."""
    kinds = [kind for kind in SHADES if any(box["who"] == kind for box in shown.boxes)]
    variants = f"wirecost: {', '.join(name for name in shown.contenders if name in VARIANTS)}"
    label = f"datum.label === {OTHER!r} ? {variants!r} : datum.label"
    looks = {"symbolType": "square", "symbolOpacity": 1, "labelExpr": label}
    colour = keyed(alt.Color, "who", kinds, [SHADES[kind] for kind in kinds], **looks)
    offset = alt.XOffset("who:N", sort=kinds, scale=alt.Scale(domain=kinds))
    width = max(170, 24 * len(shown.plugins))
    band = width / (len(shown.plugins) * (len(kinds) + 0.5))
    marks = _layers(shown, colour, offset, min(16.0, 0.8 * band))
    header = alt.Header(labelFontWeight="bold", labelFontSize=12, labelAnchor="start")
    return (
        alt.layer(*marks)
        .properties(width=width, height=PANEL_HEIGHT)
        .facet(
            data=shown.data,
            facet=alt.Facet("library:N", title=None, sort=_libraries(shown), header=header),
            columns=max(1, min(4, (WIDTH + 110) // width)),
        )
        .properties(title=shown.title)
    )


def _libraries(shown: Latencies) -> list[str]:
    """Return the quickest of ours first, then what only Wrapyfi has."""
    ours = [library(name) for name in shown.contenders if not is_wrapyfi(name)]
    return list(dict.fromkeys([*ours, *map(library, shown.contenders)]))


def _layers(
    shown: Latencies, colour: alt.Color, offset: alt.XOffset, width: float
) -> list[alt.Chart]:
    """Draw all marks over the plugins; ``width`` of a box in pixels."""
    axis = alt.Axis(labelAngle=-40, ticks=False, domain=False)
    inked = (
        alt.Chart()
        .transform_filter("isValid(datum.median)")
        .encode(
            x=alt.X("plugin:N", sort=shown.plugins, title=None, axis=axis),
            xOffset=offset,
            tooltip=[
                *(alt.Tooltip(f"{name}:N") for name in ("mware", "plugin")),
                *numbers("median", "low", "high", "p95"),
            ],
        )
    )
    coloured = inked.encode(color=colour)
    medians = coloured.mark_tick(orient="horizontal", size=width + 3, thickness=2.5)
    return [
        *([_floor_lines(shown)] if shown.floors else []),
        coloured.mark_rule(strokeWidth=1).encode(y=shown.time("p5"), y2="p95:Q"),
        coloured.mark_bar(size=width, opacity=0.5).encode(y=shown.time("q1"), y2="q3:Q"),
        inked.mark_rule(strokeWidth=1).encode(y=shown.time("low"), y2="high:Q"),
        medians.encode(y=shown.time("median")),
    ]


def _floor_lines(shown: Latencies) -> alt.Chart:
    dashes = alt.StrokeDash(
        "floor:N",
        title="floors",
        scale=alt.Scale(domain=list(DASHES), range=list(DASHES.values())),
        legend=alt.Legend(orient="bottom", symbolStrokeWidth=1.5),
    )
    lines = alt.Chart().transform_filter("isValid(datum.floor)").mark_rule(strokeWidth=1.2)
    drawn: alt.Chart = lines.encode(
        y=shown.time("us"), strokeDash=dashes, tooltip=["mware:N", *numbers("us")]
    )
    return drawn


def _floor_names(shown: Latencies, height: float) -> list[alt.Chart]:
    """Write each floor's name above its line, at the right end of a figure of that height."""
    floors = {mark["mware"]: mark["us"] for mark in shown.floors}
    if not floors:
        return []
    places = apart(list(floors.values()), shown.span, height, LABEL)
    labels = [{"mware": name, "at": at} for name, at in zip(floors, places, strict=True)]
    text = plot(labels).mark_text(align="right", dx=-4, dy=-7, fontSize=11)
    return [text.encode(x=alt.XValue("width"), y=shown.time("at"), text="mware:N")]
