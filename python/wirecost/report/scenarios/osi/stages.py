# SPDX-License-Identifier: Apache-2.0
"""The report's figures 1 to 9: a race's stages stacked, each with its box."""

from __future__ import annotations

import altair as alt
import polars as pl

from wirecost.records.folder import Results
from wirecost.records.scenarios import RACE, with_all_columns
from wirecost.records.stages import MEASURED
from wirecost.report.shared.figure import STAGE_COLOURS, WIDTH, Figure
from wirecost.report.shared.legend import keyed
from wirecost.report.shared.races import Race, race_title

UNITS = ((1e6, "ms"), (1e3, "µs"), (1.0, "ns"))
LABELS = {stage: stage.replace("_", " ") for stage in MEASURED}


def figures(results: Results) -> list[Figure]:
    samples = with_all_columns(results.samples)
    return [
        _figure(number, (str(c), str(v), str(b), int(f), ""), race)
        for number, ((c, v, b, f, _), race) in enumerate(
            samples.group_by(RACE, maintain_order=True), start=1
        )
    ]


def _figure(number: int, race: Race, samples: pl.DataFrame) -> Figure:
    table = _boxes(samples)
    factor, unit = next(
        (u for u in UNITS if float(table["end"].max() or 0) >= u[0]),  # type: ignore[arg-type]
        UNITS[-1],
    )
    table = table.with_columns(pl.selectors.float() / factor).with_columns(
        label=pl.col("stage").replace_strict(LABELS)
    )
    order = table["contender"].unique(maintain_order=True).to_list()
    base = alt.Chart(alt.Data(values=table.to_dicts())).encode(
        y=alt.Y("contender:N", sort=order, title=None, axis=alt.Axis(ticks=False, domain=False))
    )
    colour = keyed(
        alt.Color, "label", LABELS.values(), STAGE_COLOURS.values(), columns=4, symbolType="square"
    )
    tooltip = [
        alt.Tooltip("contender:N"),
        alt.Tooltip("label:N", title="stage"),
        *(alt.Tooltip(f"{name}:Q", format=".4~g") for name in ("p5", "q1", "median", "q3", "p95")),
    ]
    bars = base.mark_bar(height=26).encode(
        x=alt.X("start:Q", title=f"time since the start of the step [{unit}]"),
        x2="end:Q",
        color=colour,
        tooltip=tooltip,
    )
    whisker = base.mark_rule().encode(x="at_p5:Q", x2="at_p95:Q")
    box = base.mark_bar(height=10, style="box").encode(x="at_q1:Q", x2="at_q3:Q", tooltip=tooltip)
    chart = alt.layer(bars, whisker, box).properties(
        width=WIDTH, height=alt.Step(40), title=race_title(race)
    )
    case, variant, build, fmi, _ = race
    slug = "".join(c if c.isalnum() else "-" for c in f"{case}-{variant}-{build}-fmi{fmi}".lower())
    return Figure(
        name=f"stages-{number}-{slug.replace('--', '-')}",
        caption="Medians of the stages, stacked in the order in which they run. On each: box from "
        "first to third quartile, line from the 5th to the 95th percentile of that stage.",
        chart=chart,
    )


def _boxes(samples: pl.DataFrame) -> pl.DataFrame:
    """A row for each contender and stage: where its bar starts and ends, and its quantiles."""
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
