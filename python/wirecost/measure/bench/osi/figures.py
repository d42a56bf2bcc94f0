# SPDX-License-Identifier: Apache-2.0
"""The co-simulation's figures: totals, the report's figures 1 to 9, time per reflection."""

from __future__ import annotations

import altair as alt
import polars as pl

from wirecost.results.analysis.summary import Row
from wirecost.results.records.folder import Results
from wirecost.results.records.scenarios import RACE, with_all_columns
from wirecost.results.records.stages import MEASURED
from wirecost.results.report.shared.axes import keyed, log, names_down, numbers, plot
from wirecost.results.report.shared.figure import STAGE_COLOURS, WIDTH, Figure, shades
from wirecost.results.report.shared.races import Race, race_title
from wirecost.results.report.shared.totals import all_totals

from .content import unusual
from .schema import OsiMeta

UNITS = ((1e6, "ms"), (1e3, "µs"), (1.0, "ns"))
LABELS = {stage: stage.replace("_", " ") for stage in MEASURED}


def figures(results: Results, rows: list[Row]) -> list[Figure]:
    """Draw all figures of a co-simulation."""
    return [*all_totals(rows), *_all_stages(results), *_all_by_reflections(results, rows)]


def _all_stages(results: Results) -> list[Figure]:
    samples = with_all_columns(results.samples)
    return [
        _stages(number, (str(c), str(v), str(b), int(f), ""), race)
        for number, ((c, v, b, f, _), race) in enumerate(
            samples.group_by(RACE, maintain_order=True), start=1
        )
    ]


def _stages(number: int, race: Race, samples: pl.DataFrame) -> Figure:
    """Draw a race's stages stacked, each with its box."""
    table = _boxes(samples)
    factor, unit = next(
        (u for u in UNITS if float(table["end"].max() or 0) >= u[0]),  # type: ignore[arg-type]
        UNITS[-1],
    )
    table = table.with_columns(pl.selectors.float() / factor).with_columns(
        label=pl.col("stage").replace_strict(LABELS)
    )
    order = table["contender"].unique(maintain_order=True).to_list()
    base = plot(table.to_dicts()).encode(
        y=names_down("contender", order, ticks=False, domain=False)
    )
    colour = keyed(
        alt.Color, "label", LABELS.values(), STAGE_COLOURS.values(), columns=4, symbolType="square"
    )
    tooltip = [
        alt.Tooltip("contender:N"),
        alt.Tooltip("label:N", title="stage"),
        *numbers("p5", "q1", "median", "q3", "p95"),
    ]
    across = alt.X("start:Q", title=f"time since the start of the step [{unit}]")
    bars = base.mark_bar(height=26).encode(x=across, x2="end:Q", color=colour, tooltip=tooltip)
    whisker = base.mark_rule().encode(x="at_p5:Q", x2="at_p95:Q")
    box = base.mark_bar(height=10, style="box").encode(x="at_q1:Q", x2="at_q3:Q", tooltip=tooltip)
    chart = alt.layer(bars, whisker, box).properties(
        width=WIDTH, height=alt.Step(40), title=race_title(race)
    )
    case, variant, build, fmi, _ = race
    slug = "".join(c if c.isalnum() else "-" for c in f"{case}-{variant}-{build}-fmi{fmi}".lower())
    caption = (
        "Medians of the stages, stacked in the order in which they run. On each: box from "
        "first to third quartile, line from the 5th to the 95th percentile of that stage."
    )
    return Figure(f"stages-{number}-{slug.replace('--', '-')}", caption, chart)


def _boxes(samples: pl.DataFrame) -> pl.DataFrame:
    """Return a row for each contender and stage: where its bar starts and ends, its quantiles."""
    ns = pl.col("ns")
    order = {stage: i for i, stage in enumerate(MEASURED)}
    table = (
        samples.filter(pl.col("stage").is_in(MEASURED))
        .group_by("contender", "stage", maintain_order=True)
        .agg(
            median=ns.median(),
            p5=ns.quantile(0.05, "linear"),
            q1=ns.quantile(0.25, "linear"),
            q3=ns.quantile(0.75, "linear"),
            p95=ns.quantile(0.95, "linear"),
        )
        .with_columns(
            order=pl.col("stage").replace_strict(order),
            rank=pl.col("contender").rle_id(),
        )
        .sort("rank", "order")
        .with_columns(end=pl.col("median").cum_sum().over("contender"))
        .with_columns(start=pl.col("end") - pl.col("median"))
    )
    # The box of a stage shows how its end varies while the stages before it stay at their medians.
    return table.with_columns(
        **{f"at_{q}": pl.col("start") + pl.col(q) for q in ("p5", "q1", "q3", "p95")}
    )


def _all_by_reflections(results: Results, rows: list[Row]) -> list[Figure]:
    """Draw time per reflection against their number, where more than one was measured."""
    runs = {run.case: run for run in results.meta_as(OsiMeta).runs}
    groups = dict.fromkeys((row.variant, row.build, unusual(runs[row.case])) for row in rows)
    drawn = []
    for number, group in enumerate(groups, start=1):
        points: list[dict[str, str | float]] = [
            {
                "contender": row.name,
                "reflections": count,
                "ns": row.median_ns / count,
                "low": row.ci95_ns[0] / count,
                "high": row.ci95_ns[1] / count,
            }
            for row in rows
            if (row.variant, row.build, unusual(runs[row.case])) == group
            and row.stage == "total"
            and (count := runs[row.case].reflections) > 0
        ]
        if len({point["reflections"] for point in points}) > 1:
            variant, build, how = group
            drawn.append(_by_reflections(number, f"{variant} · {build}{how}", points))
    return drawn


def _by_reflections(number: int, title: str, points: list[dict[str, str | float]]) -> Figure:
    names = list(dict.fromkeys(str(point["contender"]) for point in points))
    counts = sorted({float(point["reflections"]) for point in points})
    across = alt.X(
        "reflections:Q",
        title="reflections in a message",
        scale=log(padding=30),
        axis=alt.Axis(values=counts, format=",d"),
    )
    colour = keyed(alt.Color, "contender", names, shades(len(names)), columns=3)
    base = plot(points).encode(x=across, color=colour)
    vertical = alt.Y("ns:Q", title="total time per reflection [ns]", scale=alt.Scale(type="log"))
    shape = alt.Shape("contender:N", legend=None)
    tooltip = ["contender:N", "reflections:Q", *numbers("ns")]
    chart = alt.layer(
        base.mark_line().encode(y=vertical),
        base.mark_point(filled=True, size=60).encode(y=vertical, shape=shape, tooltip=tooltip),
        base.mark_rule(strokeWidth=2).encode(y="low:Q", y2="high:Q"),
    ).properties(width=WIDTH, height=320, title=f"Time per reflection · {title}")
    caption = (
        "Total time of a step over its number of reflections, with 95 % intervals. A flat "
        "line means that cost grows in proportion."
    )
    return Figure(f"time-per-reflection-{number}", caption, chart)
