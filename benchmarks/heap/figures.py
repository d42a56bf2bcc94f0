# SPDX-License-Identifier: Apache-2.0
"""The allocators' figures: tails, throughput by threads, callbacks one by one."""

from __future__ import annotations

import altair as alt
import polars as pl

from wirecost.results.analysis.summary import Row
from wirecost.results.records.folder import Results
from wirecost.results.report.shared.axes import GREY, keyed, log, names_down, numbers, plot
from wirecost.results.report.shared.figure import PALETTE, WIDTH, Figure

from .schema import HeapMeta

ALL, QUIET = "all callbacks", "without context switches"
DASHES = {"defaults": [1, 0], "low-fault": [4, 3]}
MOST_POINTS = 800
"""Most points of one allocator; the slowest callbacks are always among them."""
SHADES = {"none": "#0072B2", "page faults": "#D55E00"}


def figures(results: Results, rows: list[Row]) -> list[Figure]:
    """Draw all that has anything to show."""
    drawn = [_throughput(results, rows), _tails(rows), _turnaround(results, rows)]
    return [figure for figure in drawn if figure is not None]


def _tails(rows: list[Row]) -> Figure | None:
    """Draw the 99.9th percentile of a callback's turnaround, allocator beside allocator."""
    bars: list[dict[str, str | float]] = []
    for row in rows:
        tail = row.tail
        if tail is None or tail.p999_ns is None or tail.p999_ci95_ns is None:
            continue
        low, high = (ns / 1e6 for ns in tail.p999_ci95_ns)
        named = {"allocator": row.name, "of": ALL}
        bars.append({**named, "ms": tail.p999_ns / 1e6, "low": low, "high": high})
        if tail.undisturbed_p999_ns is not None:
            bars.append({**named, "of": QUIET, "ms": tail.undisturbed_p999_ns / 1e6})
    if not bars:
        return None
    # Intervals end at the slowest callback of all where samples are few: they may leave the figure.
    far = 1.5 * max(float(bar["ms"]) for bar in bars)
    names = list(dict.fromkeys(str(bar["allocator"]) for bar in bars))
    base = plot(bars).encode(
        y=names_down("allocator", names, ticks=False),
        yOffset=alt.YOffset("of:N", sort=[ALL, QUIET]),
    )
    across = alt.X(
        "ms:Q",
        title="99.9th percentile of turnaround [ms]",
        scale=alt.Scale(domain=[0, far]),
        axis=alt.Axis(tickCount=8),
    )
    drawn = base.mark_bar().encode(
        x=across,
        color=keyed(alt.Color, "of", [ALL, QUIET], ["#D55E00", "#0072B2"]),
        tooltip=["allocator:N", "of:N", *numbers("ms")],
    )
    spans = base.transform_filter(alt.datum.of == ALL).mark_rule(strokeWidth=2, clip=True)
    chart = alt.layer(drawn, spans.encode(x="low:Q", x2="high:Q")).properties(
        width=WIDTH, height=alt.Step(14), title="The slowest callback in a thousand"
    )
    caption = "99.9th percentile of turnaround, with its 95 % interval over all callbacks."
    return Figure("heap-tails", caption, chart)


def _throughput(results: Results, rows: list[Row]) -> Figure | None:
    """Draw throughput against threads, a panel for each stress."""
    runs = {run.case: run for run in results.meta_as(HeapMeta).runs}
    timed = [row for row in rows if row.variant == "throughput" and row.median_ns]
    points = [
        {
            "stress": runs[row.case].pattern,
            "threads": runs[row.case].threads,
            "allocator": row.contender,
            "mode": row.mode,
            "rate": 1000 / row.median_ns,
        }
        for row in timed
    ]
    if not points:
        return None
    names = list(dict.fromkeys(str(point["allocator"]) for point in points))
    threads = sorted({runs[row.case].threads for row in timed})
    base = alt.Chart().encode(
        x=alt.X("threads:Q", scale=log(base=2, padding=15), axis=alt.Axis(values=threads)),
        y=alt.Y("rate:Q", title="million pairs per second"),
        color=keyed(alt.Color, "allocator", names, PALETTE[: len(names)]),
    )
    dash = keyed(alt.StrokeDash, "mode", DASHES, DASHES.values())
    tooltip = ["allocator:N", "mode:N", "threads:Q", *numbers("rate", form=".3~g")]
    chart = (
        alt.layer(
            base.mark_line().encode(strokeDash=dash),
            base.mark_point(filled=True, size=40).encode(tooltip=tooltip, detail="mode:N"),
            data=alt.Data(values=points),
        )
        .properties(width=270, height=180)
        .facet(
            facet=alt.Facet("stress:N", title=None, header=alt.Header(labelColor=GREY)),
            columns=2,
        )
        .resolve_scale(y="independent")
        .properties(title="Throughput by threads")
    )
    caption = "Pairs of malloc and free per second, all threads together: median of the processes."
    return Figure("heap-throughput", caption, chart)


def _turnaround(results: Results, rows: list[Row]) -> Figure | None:
    """Draw turnaround against a callback's index, allocator under allocator."""
    # Older folders number the processes as rounds.
    first = pl.coalesce("round", "process") == 0
    samples = results.samples.filter(first, variant="callback")
    if samples.is_empty():
        return None
    points = []
    for (contender, mode), part in samples.group_by(["contender", "mode"], maintain_order=True):
        points += [
            {
                "allocator": f"{contender} {mode}",
                "callback": index,
                "ms": ns / 1e6,
                "faults": faults,
                "kind": "page faults" if faults else "none",
            }
            for index, ns, faults in _thinned(part).iter_rows()
        ]
    names = [row.name for row in rows if row.variant == "callback"]
    header = alt.Header(labelColor=GREY, labelOrient="top", labelPadding=2)
    times = alt.Y("ms:Q", title="ms", scale=alt.Scale(type="log"), axis=alt.Axis(tickCount=4))
    chart = plot(points).mark_circle(size=9, opacity=0.7).encode(
        x=alt.X("callback:Q", title="callback", scale=alt.Scale(nice=False)),
        y=times,
        color=keyed(alt.Color, "kind", SHADES, SHADES.values()),
        row=alt.Row("allocator:N", sort=names, title=None, header=header),
        tooltip=["allocator:N", "callback:Q", *numbers("ms"), "faults:Q"],
    ).properties(width=WIDTH, height=60, title="Turnaround by callback, first process")  # fmt: skip
    caption = "Turnaround of each callback after the warm-up; of the faster ones a sample is drawn."
    return Figure("heap-turnaround", caption, chart)


def _thinned(part: pl.DataFrame) -> pl.DataFrame:
    """Return index, nanoseconds and faults of the slowest callbacks and of every k-th other.

    Those with faults come first.
    """
    whole = part.select("repetition", "ns", "minor_faults")
    if whole.height <= MOST_POINTS:
        return whole
    faulting = whole.sort("minor_faults", "ns", descending=True).head(MOST_POINTS // 2)
    others = whole.join(faulting, on="repetition", how="anti")
    every = max(1, -(-others.height // (MOST_POINTS // 2)))
    return pl.concat([faulting, others.gather_every(every)])
