# SPDX-License-Identifier: Apache-2.0
"""The 99.9th percentile of an allocating callback's turnaround, allocator beside allocator."""

from __future__ import annotations

import altair as alt

from wirecost.analysis.summary import Row
from wirecost.report.shared.figure import WIDTH, Figure
from wirecost.report.shared.legend import keyed

ALL, QUIET = "all callbacks", "without context switches"


def figures(rows: list[Row]) -> list[Figure]:
    bars = []
    for row in rows:
        tail = row.facts["tail"]
        if tail is None or tail.p999_ns is None or tail.p999_ci95_ns is None:
            continue
        low, high = tail.p999_ci95_ns
        bars.append(_bar(row.name, ALL, tail.p999_ns) | {"low": low / 1e6, "high": high / 1e6})
        if tail.undisturbed_p999_ns is not None:
            bars.append(_bar(row.name, QUIET, tail.undisturbed_p999_ns))
    if not bars:
        return []
    # Intervals end at the slowest callback of all where samples are few: they may leave the figure.
    far = 1.5 * max(float(bar["ms"]) for bar in bars)
    names = list(dict.fromkeys(str(bar["allocator"]) for bar in bars))
    base = alt.Chart(alt.Data(values=bars)).encode(
        y=alt.Y("allocator:N", sort=names, title=None, axis=alt.Axis(ticks=False)),
        yOffset=alt.YOffset("of:N", sort=[ALL, QUIET]),
    )
    drawn = base.mark_bar().encode(
        x=alt.X(
            "ms:Q",
            title="99.9th percentile of turnaround [ms]",
            scale=alt.Scale(domain=[0, far]),
            axis=alt.Axis(tickCount=8),
        ),
        color=keyed(alt.Color, "of", [ALL, QUIET], ["#D55E00", "#0072B2"]),
        tooltip=["allocator:N", "of:N", alt.Tooltip("ms:Q", format=".4~g")],
    )
    spans = base.transform_filter(alt.datum.of == ALL).mark_rule(strokeWidth=2, clip=True)
    chart = alt.layer(drawn, spans.encode(x="low:Q", x2="high:Q")).properties(
        width=WIDTH, height=alt.Step(14), title="The slowest callback in a thousand"
    )
    caption = "99.9th percentile of turnaround, with its 95 % interval over all callbacks."
    return [Figure("heap-tails", caption, chart)]


def _bar(name: str, of: str, ns: float) -> dict[str, str | float]:
    return {"allocator": name, "of": of, "ms": ns / 1e6}
