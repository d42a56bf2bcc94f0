# SPDX-License-Identifier: Apache-2.0
"""The point cloud case studies: versions beside each other, callbacks one by one and against page
faults, cost by size."""

from __future__ import annotations

import altair as alt
import polars as pl

from wirecost.analysis.summary import Row
from wirecost.records.folder import Results
from wirecost.records.probe_log import COUNTER
from wirecost.report.scenarios.cloud import versions
from wirecost.report.scenarios.cloud.growth import Growth, growths
from wirecost.report.shared.executions import against, turnaround
from wirecost.report.shared.executions.series import Options
from wirecost.report.shared.figure import PALETTE, WIDTH, Figure
from wirecost.report.shared.legend import keyed

FAULTS = f"{COUNTER}minor-faults"
GREY = "#8C8C8C"
SHADES = {"usual": PALETTE[3], "recommended": PALETTE[4], "wirecost": PALETTE[0]}


def figures(results: Results, rows: list[Row]) -> list[Figure]:
    rings = results.samples.filter(study="ring")
    first = [
        versions.callbacks(number, case, rings.filter(case=case))
        for number, case in enumerate(rings["case"].unique(maintain_order=True), start=1)
    ]
    first.append(versions.cases([row for row in rows if row.facts["study"] == "area"], SHADES))
    made = [figure for figure in first if figure is not None]
    for number, case in enumerate(rings["case"].unique(maintain_order=True), start=1):
        made += _ring(number, case, rings.filter(case=case))
    found = growths(rows, results.meta)
    for over in ("points", "vertices"):
        for held in dict.fromkeys(one.held for one in found if one.over == over):
            lines = [one for one in found if (one.over, one.held) == (over, held)]
            made.append(_growth(len(made), over, held, lines))
    return made


def _ring(number: int, case: str, samples: pl.DataFrame) -> list[Figure]:
    """Every version's callbacks; then the usual one's against its faults, before and after."""
    named = samples.with_columns(version=pl.format("{} {}", "contender", "mode"))
    options = Options(by="version")
    made = [turnaround.figure(f"cloud-{number}", case, named, options)]
    if FAULTS not in named.columns:
        return made
    columns = ["ns", "begin_ns", "value", FAULTS]
    for mode in ("plain", "heap"):
        mine = named.filter(contender="usual", mode=mode)
        if mine.is_empty():
            continue
        name = f"cloud-{number}-{mode}"
        figure = against.figure(name, f"usual {mode}, {case}", mine.select(columns), options)
        if figure is not None:
            made.append(figure)
    return made


def _growth(number: int, over: str, held: str, lines: list[Growth]) -> Figure:
    points = [
        {
            "version": f"{one.version}, order {one.order:.2f}",
            "size": size,
            "us": ns / 1000,
        }
        for one in lines
        for size, ns in zip(one.sizes, one.ns, strict=True)
    ]
    names = [f"{one.version}, order {one.order:.2f}" for one in lines]
    colour = keyed(alt.Color, "version", names, [SHADES.get(one.version, GREY) for one in lines])
    base = alt.Chart(alt.Data(values=points)).encode(
        x=alt.X("size:Q", title=over, scale=alt.Scale(type="log", nice=False, padding=12)),
        y=alt.Y("us:Q", title="median time per callback [µs]", scale=alt.Scale(type="log")),
        color=colour,
    )
    chart = alt.layer(
        base.mark_line(),
        base.mark_point(filled=True, size=45).encode(
            tooltip=["version:N", "size:Q", alt.Tooltip("us:Q", format=".4~g")]
        ),
    ).properties(width=WIDTH, height=300, title=f"Cost by {over} · {held}")
    return Figure(
        f"cloud-growth-{number}",
        f"Medians without the heap library, {held}. Order: the exponent of the growth, 1 if the "
        "time is proportional to the size.",
        chart,
    )
