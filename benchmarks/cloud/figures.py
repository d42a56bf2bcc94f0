# SPDX-License-Identifier: Apache-2.0
"""Figures of the point-cloud case studies.

They show versions beside each other, callbacks one by one and against page faults, and cost by
size.
"""

from __future__ import annotations

import altair as alt
import polars as pl

from wirecost.results.analysis.summary import Row
from wirecost.results.records.folder import Results
from wirecost.results.records.probe_log import COUNTER
from wirecost.results.report.shared import units
from wirecost.results.report.shared.axes import (
    GREY,
    domain,
    keyed,
    log,
    log_time,
    names_down,
    numbers,
    plot,
)
from wirecost.results.report.shared.executions import against, turnaround
from wirecost.results.report.shared.executions.series import Options
from wirecost.results.report.shared.figure import PALETTE, WIDTH, Figure

from .content import PLAIN, Growth, growths
from .schema import CloudMeta, CloudRun

FAULTS = f"{COUNTER}minor-faults"
SHADES = {"usual": PALETTE[3], "recommended": PALETTE[4], "wirecost": PALETTE[0]}
ENOUGH = 40
"""Callbacks; of fewer, the 5th and 95th percentile are hardly more than the ends."""
ROW = 28
"""Pixels of a version."""
QUANTILES = {"low": 0.05, "q1": 0.25, "median": 0.5, "q3": 0.75, "high": 0.95}
TITLE = "time per callback"
Mark = dict[str, str | float]


def figures(results: Results, rows: list[Row]) -> list[Figure]:
    """Draw both studies."""
    rings = results.samples.filter(study="ring")
    cases = list(enumerate(rings["case"].unique(maintain_order=True), start=1))
    first = [callbacks(number, case, rings.filter(case=case)) for number, case in cases]
    first.append(_areas([row for row in rows if row.run_as(CloudRun).study == "area"]))
    drawn = [figure for figure in first if figure is not None]
    for number, case in cases:
        drawn += _ring(number, case, rings.filter(case=case))
    fits = growths(rows, results.meta_as(CloudMeta))
    for over in ("points", "vertices"):
        for held in dict.fromkeys(fit.held for fit in fits if fit.over == over):
            lines = [fit for fit in fits if (fit.over, fit.held) == (over, held)]
            drawn.append(_growth(len(drawn), over, held, lines))
    return drawn


def callbacks(number: int, case: str, samples: pl.DataFrame) -> Figure | None:
    """Draw every version's callbacks of one case on one logarithmic axis that holds all of them.

    They are boxes, or every callback where there are few.
    """
    timed = samples.filter(pl.col("ns") > 0).with_columns(
        version=pl.format("{} {}", "contender", "mode"), us=pl.col("ns").cast(pl.Float64) / 1000
    )
    if timed.is_empty():
        return None
    parts = timed.partition_by("version", maintain_order=True)
    least = min(map(len, parts))
    boxes: list[Mark] = [_box(part) for part in parts]
    every: list[Mark] = [
        {"version": str(part["version"][0]), "us": us, "time": units.time(1000 * us)}
        for part in parts
        for us in sorted(part["us"].to_list())[0 if least < ENOUGH else -1 :]
    ]
    span = domain([*(float(mark["us"]) for mark in every), *(float(b["low"]) for b in boxes)])
    down = names_down("version", [str(box["version"]) for box in boxes], grid=True, ticks=False)
    base = plot(boxes)
    spread = [
        base.mark_rule(strokeWidth=1.5).encode(x="low:Q", x2="high:Q"),
        base.mark_bar(height=12, color=PALETTE[1]).encode(x="q1:Q", x2="q3:Q"),
    ]
    layers = [
        *(spread if least >= ENOUGH else []),
        base.mark_tick(thickness=3, size=18, color=PALETTE[3]).encode(x="median:Q"),
        base.mark_text(dy=-13, fontSize=11).encode(x="median:Q", text="label:N"),
        plot(every)
        .mark_point(size=26, filled=least < ENOUGH, color=PALETTE[0], opacity=0.8)
        .encode(x=log_time(alt.X, "us", TITLE, span), tooltip=["version:N", "time:N"]),
    ]
    chart = alt.layer(*(layer.encode(y=down) for layer in layers)).properties(
        width=WIDTH, height=ROW * len(boxes), title=f"Time per callback · {case}"
    )
    chart = chart.encode(x=log_time(alt.X, "median", TITLE, span))
    return Figure(f"cloud-versions-{number}", _caption(least), chart)


def _box(part: pl.DataFrame) -> Mark:
    ends = {name: float(part["us"].quantile(q, "linear") or 0) for name, q in QUANTILES.items()}
    return {"version": part["version"][0], "label": units.time(1000 * ends["median"]), **ends}


def _caption(least: int) -> str:
    if least < ENOUGH:
        return (
            f"Every dot is one callback, the line across them their median. {least} callbacks of a "
            "version are too few for quartiles; measure more for a conclusion about slow ones. The "
            "axis is logarithmic."
        )
    return (
        "Box: first to third quartile; line across it: median; thin line: 5th to 95th percentile; "
        f"circle: the slowest callback. At least {least:,} callbacks of each version. The axis is "
        "logarithmic and holds every value."
    )


def _areas(rows: list[Row]) -> Figure | None:
    """Draw the median of every version in every case, without the heap library."""
    plain = [row for row in rows if row.mode == PLAIN and row.median_ns > 0]
    names = list(dict.fromkeys(row.contender for row in plain))
    if len(names) < 2:
        return None
    points: list[Mark] = [
        {
            "case": row.case.removeprefix("area, ").replace(" % inside", " %"),
            "version": row.contender,
            "us": row.median_ns / 1000,
            "time": units.time(row.median_ns),
        }
        for row in plain
    ]
    order = list(dict.fromkeys(str(point["case"]) for point in points))
    span = domain([float(point["us"]) for point in points])
    chart = plot(points).mark_point(filled=True, size=70, opacity=1).encode(
        y=names_down("case", order, grid=True, ticks=False),
        x=log_time(alt.X, "us", TITLE, span),
        color=keyed(alt.Color, "version", names, [SHADES.get(name, GREY) for name in names]),
        tooltip=["case:N", "version:N", "time:N"],
    ).properties(
        width=WIDTH, height=ROW * len(order), title="Detection areas: time per callback"
    )  # fmt: skip
    caption = (
        "Medians, on a logarithmic axis. Every case is a row: points of the cloud, vertices of an "
        "area, share of the points inside, and whether all of them are found or the first one."
    )
    return Figure("cloud-areas", caption, chart)


def _ring(number: int, case: str, samples: pl.DataFrame) -> list[Figure]:
    """Draw every version's callbacks; then the usual one's against its faults, with both heaps."""
    named = samples.with_columns(version=pl.format("{} {}", "contender", "mode"))
    options = Options(by="version")
    drawn: list[Figure | None] = [turnaround.figure(f"cloud-{number}", case, named, options)]
    for mode in ("plain", "heap") if FAULTS in named.columns else ():
        usual = named.filter(contender="usual", mode=mode)
        if not usual.is_empty():
            numbered = usual.select("ns", "begin_ns", "value", FAULTS)
            title = f"usual {mode}, {case}"
            drawn.append(against.figure(f"cloud-{number}-{mode}", title, numbered, options))
    return [figure for figure in drawn if figure is not None]


def _growth(number: int, over: str, held: str, lines: list[Growth]) -> Figure:
    names = {fit.version: f"{fit.version}, order {fit.order:.2f}" for fit in lines}
    points = [
        {"version": names[fit.version], "size": size, "us": ns / 1000}
        for fit in lines
        for size, ns in zip(fit.sizes, fit.ns, strict=True)
    ]
    shades = [SHADES.get(version, GREY) for version in names]
    base = plot(points).encode(
        x=alt.X("size:Q", title=over, scale=log(padding=12)),
        y=alt.Y("us:Q", title="median time per callback [µs]", scale=alt.Scale(type="log")),
        color=keyed(alt.Color, "version", names.values(), shades),
    )
    dots = base.mark_point(filled=True, size=45)
    chart = alt.layer(
        base.mark_line(), dots.encode(tooltip=["version:N", "size:Q", *numbers("us")])
    ).properties(width=WIDTH, height=300, title=f"Cost by {over} · {held}")
    caption = (
        f"Medians without the heap library, {held}. Order: the exponent of the growth, 1 if the "
        "time is proportional to the size."
    )
    return Figure(f"cloud-growth-{number}", caption, chart)
