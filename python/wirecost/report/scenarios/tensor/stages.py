# SPDX-License-Identifier: Apache-2.0
"""Where a message's time goes: shares of encoding, sending, transit, decoding and access."""

from __future__ import annotations

from typing import Any

import altair as alt

from wirecost.analysis.summary import Row
from wirecost.records.folder import Results
from wirecost.report.scenarios.tensor.contenders import array_bytes, groups, plugin_of, shape_of
from wirecost.report.scenarios.tensor.shares import PARTS, Shares, shares_of
from wirecost.report.shared import units
from wirecost.report.shared.figure import STAGE_COLOURS, WIDTH, Figure
from wirecost.report.shared.legend import keyed

SHADES = dict(
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
    made: list[Figure] = []
    shares = shares_of(results.samples)
    for group, totals in groups(rows):
        sizes = list(dict.fromkeys(shape_of(row) for row in totals))
        plugins = list(dict.fromkeys(plugin_of(row) for row in totals if plugin_of(row)))
        here = [one for one in shares if one.group == group]
        if len(sizes) > 1 and len(plugins) == 1:
            labels = {shape_of(row): units.size(array_bytes(row)) for row in totals}
            titled = f"{plugins[0]} · {group.title}"
            made.append(_figure(len(made), titled, here, {s: labels[s] for s in sizes}, "shape"))
            continue
        for shape in sizes:
            mine = [one for one in here if one.shape == shape]
            names = {plugin: plugin for plugin in plugins if plugin}
            made.append(_figure(len(made), f"{shape} {group.title}", mine, names, "plugin"))
    return made


def _figure(
    number: int, title: str, shares: list[Shares], labels: dict[str, str], by: str
) -> Figure:
    bars: list[dict[str, Any]] = []
    for one in shares:
        label = labels[getattr(one, by)]
        whole = sum(one.ns.values())
        start = 0.0
        for part in PARTS:
            if part not in one.ns or whole <= 0:
                continue
            end = start + one.ns[part] / whole
            bars.append(
                {
                    "mware": one.mware,
                    "label": label,
                    "part": part,
                    "start": start,
                    "end": end,
                    "time": units.time(one.ns[part]),
                    "whole": units.time(whole) if start == 0 else None,
                }
            )
            start = end
    contenders = list(dict.fromkeys(one.mware for one in shares))
    seen = {bar["part"] for bar in bars}
    parts = [part for part in PARTS if part in seen]
    base = alt.Chart().encode(
        y=alt.Y(
            "label:N",
            sort=[name for name in labels.values() if any(b["label"] == name for b in bars)],
            title=None,
            axis=alt.Axis(ticks=False, domain=False),
        )
    )
    drawn = base.mark_bar(height=11).encode(
        x=alt.X(
            "start:Q",
            title="share of the parts' sum",
            scale=alt.Scale(domain=[0, 1]),
            axis=alt.Axis(format="%", values=[0, 0.5, 1]),
        ),
        x2="end:Q",
        color=keyed(
            alt.Color,
            "part",
            parts,
            [SHADES[part] for part in parts],
            columns=7,
            symbolType="square",
        ),
        tooltip=["mware:N", "label:N", "part:N", "time:N"],
    )
    columns = min(3, len(contenders))
    width = WIDTH // 4
    sums = base.transform_filter("isValid(datum.whole)").mark_text(
        align="left", dx=4, fontSize=11
    ).encode(x=alt.XValue(width), text="whole:N")  # fmt: skip
    chart = (
        alt.layer(drawn, sums)
        .properties(width=width, height=alt.Step(16))
        .facet(
            data=alt.Data(values=bars),
            facet=alt.Facet(
                "mware:N",
                title=None,
                sort=contenders,
                header=alt.Header(labelFontWeight="bold", labelFontSize=12, labelAnchor="start"),
            ),
            columns=columns,
            spacing={"column": 60, "row": 20},
        )
        .properties(title=f"Where the time goes · {title}")
    )
    return Figure(
        f"tensor-stages-{number + 1}",
        "Medians of the parts, each bar their sum, which stands beside it. Publish: the sending "
        "call, until the listener has the message; the rest of the transit follows that call. "
        "Access, reading every page, is not in the total. Wrapyfi encodes within its "
        "sending call and decodes within the transit.",
        chart,
    )
