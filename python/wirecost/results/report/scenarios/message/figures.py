# SPDX-License-Identifier: Apache-2.0
"""What a message costs, stage by stage, and which of its fields have its bytes and its time."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import altair as alt

from wirecost.results.analysis.message_doubts import Key, doubts
from wirecost.results.analysis.message_fields import STAGES, FieldShares, shares
from wirecost.results.analysis.message_whole import whole_rows, whole_samples
from wirecost.results.analysis.summary import Row
from wirecost.results.records.folder import Results
from wirecost.results.records.scenarios import with_all_columns
from wirecost.results.records.schemas.message import TOGETHER, MessageMeta
from wirecost.results.report.shared import units
from wirecost.results.report.shared.axes import Mark, keyed, names_down, plot
from wirecost.results.report.shared.figure import WIDTH, Figure, shades
from wirecost.results.report.shared.icicle import boxes, icicle
from wirecost.results.report.shared.races import (
    FEWEST,
    LANGUAGES,
    Race,
    baseline,
    contenders,
    races,
)
from wirecost.system.counted import counted

Chart = alt.LayerChart | alt.FacetChart
Stages = dict[str, Row]
COLOURS = {
    "fill": "#0072B2",
    "encode": "#56B4E9",
    "decode": "#D55E00",
    "read": "#E69F00",
    "destroy": "#009E73",
}
"""Of the stages, in the order in which they run."""
SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-left"]
COST_ROW = 24
MOST_LIBRARIES = 12
IN_DOUBT = " (in doubt)"


def figures(results: Results, rows: list[Row]) -> list[Figure]:
    """Draw what each library costs, stage by stage; then bytes and times of the fields."""
    meta = results.meta_as(MessageMeta)
    samples = with_all_columns(results.samples)
    whole = whole_rows(rows)
    doubted = doubts(whole, whole_samples(samples))
    drawn = [_costs(meta, whole, doubted)]
    if meta.fields and meta.counted_bytes:
        drawn += [_bytes_of_fields(meta), _times_of_fields(shares(samples))]
    return [figure for figure in drawn if figure is not None]


def _costs(meta: MessageMeta, rows: list[Row], doubted: Collection[Key]) -> Figure | None:
    """Draw stages of each library's quickest mode stacked, beside the total that was timed."""
    libraries = {race: _libraries(rows, race) for race in races(rows)}
    panels = [_panel(race, ordered, doubted) for race, ordered in libraries.items() if ordered]
    if not panels:
        return None
    has_interval = any(row.repetitions >= FEWEST for row in rows)
    caption = (
        f"One {meta.type}: medians of the stages, stacked, of the baseline and each library's "
        "fastest mode. Diamond: all stages of each message in a "
        f"row{', with its 95 % interval' * has_interval}; the message's data is then in the "
        "caches, so that it may end before the bar."
    )
    if doubted:
        caption += f" {IN_DOUBT.strip()}: its times contradict each other."
    chart = alt.vconcat(*panels, spacing=12).resolve_scale(color="shared")
    return Figure("costs", caption, chart)


def _panel(race: Race, ordered: Sequence[Stages], doubted: Collection[Key]) -> Chart:
    """Draw one language's libraries."""
    longest = max(max(_total(stages), _sum(stages)) for stages in ordered)
    factor, unit = next((u for u in reversed(units.TIME_UNITS) if longest >= u[0]), (1.0, "ns"))
    names = [_name(stages["total"], doubted) for stages in ordered]
    named = list(zip(names, ordered, strict=True))
    down = names_down("library", names, ticks=False, domain=False)
    looks = {"columns": len(COLOURS), "symbolType": "square", "symbolOpacity": 1}
    parts = plot([mark for name, stages in named for mark in _parts(name, stages, factor)])
    bars = parts.mark_bar(height=15).encode(
        y=down,
        x=alt.X("start:Q", title=f"time per message [{unit}]", axis=alt.Axis(tickCount=6)),
        x2="end:Q",
        color=keyed(alt.Color, "stage", COLOURS, COLOURS.values(), **looks),
        tooltip=["library:N", "stage:N", "time:N"],
    )
    base = plot([_whole(name, stages, factor) for name, stages in named]).encode(y=down)
    layers = alt.layer(
        bars,
        base.mark_rule(strokeWidth=2).encode(x="low:Q", x2="high:Q"),
        # A text has the page's ink, which is seen on every colour.
        base.mark_text(text="◆", fontSize=10).encode(
            x="at:Q", tooltip=["library:N", alt.Tooltip("time:N", title="total")]
        ),
        base.mark_text(align="left", dx=8, fontSize=11).encode(x="end:Q", text="time:N"),
    )
    panel: Chart = layers.properties(
        width=WIDTH, height=COST_ROW * len(names), title=LANGUAGES.get(race[4], race[4])
    )
    return panel


def _parts(name: str, stages: Stages, factor: float) -> list[Mark]:
    """Return the stages, each where the one before it ends."""
    marks: list[Mark] = []
    end = 0.0
    for stage in filter(stages.__contains__, COLOURS):
        ns = stages[stage].median_ns
        start, end = end, end + ns / factor
        time = units.time(ns)
        marks.append({"library": name, "stage": stage, "start": start, "end": end, "time": time})
    return marks


def _whole(name: str, stages: Stages, factor: float) -> Mark:
    """Return the total with its interval, where there are enough repetitions for one."""
    total = stages["total"]
    low, high = total.ci95_ns if total.repetitions >= FEWEST else (total.median_ns,) * 2
    return {
        "library": name,
        "at": total.median_ns / factor,
        "low": low / factor,
        "high": high / factor,
        "time": units.time(total.median_ns),
        "end": max(_sum(stages), high) / factor,
    }


def _libraries(rows: list[Row], race: Race) -> list[Stages]:
    """Return each library in its quickest mode, and the baseline as it is."""
    base = baseline(rows, race)
    quickest: dict[str, Stages] = {}
    for name, stages in contenders(rows, race):
        if "total" not in stages:
            continue
        key = name if name == base else stages["total"].contender + " fastest"
        if key not in quickest or _total(stages) < _total(quickest[key]):
            quickest[key] = stages
    return sorted(quickest.values(), key=_total)[:MOST_LIBRARIES]


def _total(stages: Stages) -> float:
    return stages["total"].median_ns


def _sum(stages: Stages) -> float:
    return sum(row.median_ns for stage, row in stages.items() if stage != "total")


def _name(row: Row, doubted: Collection[Key]) -> str:
    return row.name + IN_DOUBT * ((row.lang, row.name) in doubted)


def _bytes_of_fields(meta: MessageMeta) -> Figure:
    paths = [field.path for field in meta.fields]
    parts = {field.path: field.all / meta.counted_bytes for field in meta.fields}
    caption = (
        "The message's fields: each box lies below the field that it is part of and is as wide as "
        "its share of the bytes."
    )
    return Figure("fields", caption, icicle("Bytes by field", boxes(paths, parts), paths))


def _times_of_fields(found: Sequence[FieldShares]) -> Figure | None:
    """Draw the fields' shares of the time with their intervals: boxes would look exact."""
    every = [
        (path, f"{stage}, {field_shares.contender}", share)
        for field_shares in found
        for (path, stage), share in field_shares.of.items()
        if stage in STAGES[:2] and path != TOGETHER
    ]
    sure = [(path, what, share) for path, what, share in every if not share.low <= 0 <= share.high]
    if not sure:
        return None
    names = list(dict.fromkeys(path for path, _, _ in sure))
    kinds = list(dict.fromkeys(what for _, what, _ in sure))
    marks = [
        {"field": path, "what": what, "share": of.value, "low": of.low, "high": of.high}
        for path, what, of in sure
    ]
    base = plot(marks).encode(
        y=names_down("field", names, grid=True, ticks=False),
        yOffset=alt.YOffset("what:N", sort=kinds),
        color=keyed(alt.Color, "what", kinds, shades(len(kinds)), columns=4),
    )
    across = alt.X("low:Q", title="share of the stage's time", axis=alt.Axis(format="%"))
    symbols = [SHAPES[i % len(SHAPES)] for i in range(len(kinds))]
    chart = alt.layer(
        base.mark_rule(strokeWidth=2).encode(x=across, x2="high:Q"),
        base.mark_point(filled=True, size=50, opacity=1).encode(
            x="share:Q",
            shape=keyed(alt.Shape, "what", kinds, symbols, columns=4),
            tooltip=["field:N", "what:N", alt.Tooltip("share:Q", format=".0%")],
        ),
    ).properties(width=WIDTH, height=alt.Step(7), title="Time by field")
    caption = (
        "What a message without the field saves of the stage's time, with the 95 % interval. A "
        "field holds those inside it."
    )
    if unknown := len(every) - len(sure):
        caption += f" Not drawn: {counted(unknown, 'share')} that cannot be told from none."
    return Figure("field-times", caption, chart)
