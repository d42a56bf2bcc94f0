# SPDX-License-Identifier: Apache-2.0
"""The notification's time against its size factor, as the ticket's table has it."""

from __future__ import annotations

import altair as alt

from wirecost.results.analysis.summary import Row
from wirecost.results.records.folder import Results
from wirecost.results.report.shared.axes import keyed, log, numbers, plot
from wirecost.results.report.shared.figure import WIDTH, Figure, shades
from wirecost.results.report.shared.races import LANGUAGES
from wirecost.results.report.shared.totals import all_totals

from .schema import NotificationMeta

DASHES = {
    "new": [1, 0],
    "recycled": [4, 1],
    "reused": [6, 3],
    "arena": [2, 2],
    "view": [8, 2, 2, 2],
    "facade": [4, 4],
}


def figures(results: Results, rows: list[Row]) -> list[Figure]:
    """Draw totals, and time by size where several were measured."""
    factors = {run.case: run.factor for run in results.meta_as(NotificationMeta).runs}
    drawn = all_totals(rows)
    for lang, variant in dict.fromkeys((row.lang, row.variant) for row in rows):
        points: list[dict[str, str | float]] = [
            {
                # Behind the mode: an allocator.
                "contender": " ".join((row.contender, *row.mode.split(" ")[1:])),
                "mode": row.mode.partition(" ")[0],
                "factor": factors[row.case],
                "ns": row.median_ns,
                "low": row.ci95_ns[0],
                "high": row.ci95_ns[1],
            }
            for row in rows
            if (row.lang, row.variant, row.stage) == (lang, variant, "total")
        ]
        if len({point["factor"] for point in points}) > 1:
            title = f"{LANGUAGES.get(lang, lang)} · {variant}"
            drawn.append(_by_size(title, f"{lang}-{variant}", points))
    return drawn


def _by_size(title: str, name: str, points: list[dict[str, str | float]]) -> Figure:
    contenders = list(dict.fromkeys(str(point["contender"]) for point in points))
    modes = list(dict.fromkeys(str(point["mode"]) for point in points))
    factors = sorted({float(point["factor"]) for point in points})
    across = alt.X(
        "factor:Q",
        title="size factor [bytes per string]",
        scale=log(base=2, padding=20),
        axis=alt.Axis(values=factors),
    )
    colour = keyed(alt.Color, "contender", contenders, shades(len(contenders)), columns=2)
    dashes = [DASHES.get(mode, [1, 0]) for mode in modes]
    dash = keyed(alt.StrokeDash, "mode", modes, dashes, columns=2)
    vertical = alt.Y("ns:Q", title="total time per message [ns]", scale=alt.Scale(type="log"))
    tooltip = ["contender:N", "mode:N", "factor:Q", *numbers("ns")]
    base = plot(points).encode(x=across, color=colour)
    chart = alt.layer(
        base.mark_line().encode(y=vertical, strokeDash=dash),
        base.mark_point(filled=True, size=45).encode(y=vertical, tooltip=tooltip),
        base.mark_rule(strokeWidth=2).encode(y="low:Q", y2="high:Q", detail="mode:N"),
    ).properties(width=WIDTH, height=380, title=f"Time by size · {title}")
    caption = "Median total time per message by size factor, with 95 % intervals."
    return Figure(f"time-by-size-{name}", caption, chart)
