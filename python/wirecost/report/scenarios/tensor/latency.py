# SPDX-License-Identifier: Apache-2.0
"""The Wrapyfi page's figure: one-way latency by plugin and transport, beside Wrapyfi and floors.

Up to eight contenders stand beside each other, each in its colour; more are drawn in a panel for
each library.
"""

from __future__ import annotations

from typing import Any

import altair as alt

from wirecost.analysis.summary import Row
from wirecost.records.folder import Results
from wirecost.report.scenarios.tensor.contenders import (
    VARIANTS,
    groups,
    in_process,
    is_wrapyfi,
    library,
    plugin_of,
    shape_of,
)
from wirecost.report.scenarios.tensor.latency_data import (
    OTHER,
    OURS,
    THEIRS,
    Latencies,
    latencies,
)
from wirecost.report.scenarios.tensor.latency_marks import data, floor_names, layers
from wirecost.report.shared.figure import PALETTE, WIDTH, Figure
from wirecost.report.shared.legend import keyed

MOST_BESIDE, MOST_SHAPES = 8, 3
HEIGHT, PANEL_HEIGHT = 340, 170
SHADES = {OURS: PALETTE[0], OTHER: PALETTE[1], THEIRS: PALETTE[3]}


def figures(results: Results, rows: list[Row]) -> list[Figure]:
    """One for each group and shape; none of a sweep over sizes."""
    made: list[Figure] = []
    for group, totals in groups(rows):
        shapes = list(dict.fromkeys(shape_of(row) for row in totals))
        for shape in shapes if len(shapes) <= MOST_SHAPES else []:
            here = [r for r in totals if shape_of(r) == shape and not in_process(r.contender)]
            if any(plugin_of(row) and row.median_ns > 0 for row in here):
                shown = latencies(group, shape, results.samples, here)
                made.append(_figure(len(made) + 1, shown))
    return made


def _figure(number: int, shown: Latencies) -> Figure:
    chart = _beside(shown) if len(shown.contenders) <= MOST_BESIDE else _panels(shown)
    caption = (
        "Box: first to third quartile, line across it: median, thin line: 5th to 95th percentile, "
        f"line inside it: the median's 95 % interval; at least {shown.samples} messages each."
    )
    return Figure(f"tensor-latency-{number}", caption, chart)


def _beside(shown: Latencies) -> Any:
    """One panel, a colour for each contender."""
    colour = keyed(
        alt.Color,
        "mware",
        shown.contenders,
        PALETTE[: len(shown.contenders)],
        columns=4,
        symbolType="square",
        symbolOpacity=1,
    )
    offset = alt.XOffset("mware:N", sort=shown.contenders)
    slots = len(shown.plugins) * (len(shown.contenders) + 1)
    width = max(WIDTH // 2, 11 * slots)
    marks = layers(shown, colour, offset, min(24.0, 0.7 * width / slots))
    marks += floor_names(shown, HEIGHT)
    return alt.layer(*marks, data=data(shown)).properties(
        width=width, height=HEIGHT, title=shown.title
    )


def _panels(shown: Latencies) -> Any:
    """A panel for each library, a colour for each of ours, its variant and Wrapyfi's."""
    kinds = [kind for kind in SHADES if any(box["who"] == kind for box in shown.boxes)]
    variants = f"wirecost: {', '.join(name for name in shown.contenders if name in VARIANTS)}"
    colour = alt.Color(
        "who:N",
        title=None,
        scale=alt.Scale(domain=kinds, range=[SHADES[kind] for kind in kinds]),
        legend=alt.Legend(
            orient="bottom",
            symbolType="square",
            symbolOpacity=1,
            labelExpr=f"datum.label === {OTHER!r} ? {variants!r} : datum.label",
        ),
    )
    offset = alt.XOffset("who:N", sort=kinds, scale=alt.Scale(domain=kinds))
    width = max(170, 24 * len(shown.plugins))
    band = width / (len(shown.plugins) * (len(kinds) + 0.5))
    marks = layers(shown, colour, offset, min(16.0, 0.8 * band))
    return (
        alt.layer(*marks)
        .properties(width=width, height=PANEL_HEIGHT)
        .facet(
            data=data(shown),
            facet=alt.Facet(
                "library:N",
                title=None,
                sort=_libraries(shown),
                header=alt.Header(labelFontWeight="bold", labelFontSize=12, labelAnchor="start"),
            ),
            columns=max(1, min(4, (WIDTH + 110) // width)),
        )
        .properties(title=shown.title)
    )


def _libraries(shown: Latencies) -> list[str]:
    """The quickest of ours first, then what only Wrapyfi has."""
    ours = [library(name) for name in shown.contenders if not is_wrapyfi(name)]
    all_measured = [library(name) for name in shown.contenders]
    return list(dict.fromkeys([*ours, *all_measured]))
