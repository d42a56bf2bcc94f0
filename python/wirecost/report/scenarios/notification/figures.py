# SPDX-License-Identifier: Apache-2.0
"""The notification's time against its size factor, as the ticket's table has it."""

from __future__ import annotations

import altair as alt

from wirecost.analysis.summary import Row
from wirecost.records.folder import Results
from wirecost.report.shared.figure import PALETTE, WIDTH, Figure
from wirecost.report.shared.legend import keyed
from wirecost.report.shared.races import LANGUAGES, races
from wirecost.report.shared.totals import totals

DASHES = {
    "new": [1, 0],
    "recycled": [4, 1],
    "reused": [6, 3],
    "arena": [2, 2],
    "view": [8, 2, 2, 2],
    "facade": [4, 4],
}


def figures(results: Results, rows: list[Row]) -> list[Figure]:
    factors = {run["case"]: int(run["factor"]) for run in results.meta["runs"]}
    made = [
        figure
        for number, race in enumerate(races(rows), start=1)
        if (figure := totals(rows, race, number)) is not None
    ]
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
            made.append(
                _figure(f"{LANGUAGES.get(lang, lang)} · {variant}", f"{lang}-{variant}", points)
            )
    return made


def _figure(title: str, name: str, points: list[dict[str, str | float]]) -> Figure:
    contenders = list(dict.fromkeys(str(point["contender"]) for point in points))
    modes = list(dict.fromkeys(str(point["mode"]) for point in points))
    shades = [PALETTE[i % len(PALETTE)] for i in range(len(contenders))]
    base = alt.Chart(alt.Data(values=points)).encode(
        x=alt.X(
            "factor:Q",
            title="size factor [bytes per string]",
            scale=alt.Scale(type="log", base=2, nice=False, padding=20),
            axis=alt.Axis(values=sorted({float(point["factor"]) for point in points})),
        ),
        color=keyed(alt.Color, "contender", contenders, shades, columns=4),
    )
    vertical = alt.Y("ns:Q", title="total time per message [ns]", scale=alt.Scale(type="log"))
    dash = keyed(
        alt.StrokeDash, "mode", modes, [DASHES.get(mode, [1, 0]) for mode in modes], columns=5
    )
    tooltip = ["contender:N", "mode:N", "factor:Q", alt.Tooltip("ns:Q", format=".4~g")]
    chart = alt.layer(
        base.mark_line().encode(y=vertical, strokeDash=dash),
        base.mark_point(filled=True, size=45).encode(y=vertical, tooltip=tooltip),
        base.mark_rule(strokeWidth=2).encode(y="low:Q", y2="high:Q", detail="mode:N"),
    ).properties(width=WIDTH, height=380, title=f"Time by size · {title}")
    return Figure(
        name=f"time-by-size-{name}",
        caption="Median total time per message by size factor, with 95 % intervals.",
        chart=chart,
    )
