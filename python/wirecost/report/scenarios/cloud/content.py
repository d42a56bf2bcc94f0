# SPDX-License-Identifier: Apache-2.0
"""The point cloud case studies: turnaround, faults, what the time follows, and how it grows."""

from __future__ import annotations

import statistics
from dataclasses import replace
from typing import Any

import polars as pl

from wirecost.analysis.causes import explain
from wirecost.analysis.summary import Row
from wirecost.records.folder import Results
from wirecost.report.scenarios import Content, built_with
from wirecost.report.scenarios.cloud.growth import HEAP, PLAIN, growths
from wirecost.report.shared import units
from wirecost.report.shared.causes import cause_table
from wirecost.report.shared.races import ratio_text, samples_taken
from wirecost.report.shared.table import Amount, Table

TITLE = "Point clouds: two callbacks as usual, as recommended, and in wirecost"
OURS = "wirecost"
FAULTS = "minor-faults"


def content(results: Results, rows: list[Row]) -> Content:
    """``rows``: one a case, version and mode."""
    rings = [row for row in rows if row.facts["study"] == "ring"]
    areas = [row for row in rows if row.facts["study"] == "area"]
    causes = _causes(results)
    growth = _growth(rows, results.meta)
    return Content(
        TITLE,
        " ".join(filter(None, (_lead(rings, "ring"), _lead(areas, "area"), _faults(results))))
        or None,
        [
            *(_callbacks(rings, case) for case in dict.fromkeys(row.case for row in rings)),
            *([_grid(areas, results.meta)] if areas else []),
            *([growth] if growth else []),
            *causes,
        ],
        [
            *(_callbacks(areas, case) for case in dict.fromkeys(row.case for row in areas)),
            _versions(results.meta),
        ],
        f"Every version: {built_with(results.meta['environment'])}.",
    )


def _causes(results: Results) -> list[Table]:
    """What callbacks follow, a table for each case; what the columns mean is explained once."""
    tables = []
    rings = results.samples.filter(study="ring")
    sections = rings.with_columns(section=pl.format("{} {}", "contender", "mode"))
    for (case,), rows in sections.group_by(["case"], maintain_order=True):
        table = cause_table(explain(rows))
        if table is not None:
            tables.append(replace(table, title=f"What the time follows: {case}", notes=[]))
            notes = table.notes
    return [*tables[:-1], replace(tables[-1], notes=notes)] if tables else []


def _callbacks(rows: list[Row], case: str) -> Table:
    body = []
    here = [row for row in rows if row.case == case]
    for row in here:
        faults = (row.facts["counters"] or {}).get(FAULTS)
        body.append(
            [
                row.name,
                units.time(row.median_ns),
                units.time(row.p99_ns),
                f"{row.p99_ns / row.median_ns:.2f}" if row.median_ns else "–",
                "n/a" if faults is None else Amount(units.significant(faults), faults),
                ratio_text(row, row.ratio),
                ratio_text(row, row.ratio_best),
            ]
        )
    headings = ["version", "median", "p99", "p99/median", "faults", "× usual", "× best recommended"]
    notes = [
        f"{samples_taken(here[0], 'callbacks')} each, in turns; faults: mean minor page "
        "faults per callback; ×: ratio of medians with its 95 % interval; heap: with "
        "libwirecost-heap preloaded."
    ]
    optional, bars = ("p99/median", "× best recommended"), ("median", "faults")
    return Table(case, headings, body, notes, optional, bars)


def _grid(rows: list[Row], meta: dict[str, Any]) -> Table:
    """All cells of the area study without the heap, and how many times as quick we are."""
    times = {(row.case, row.contender): row.median_ns for row in rows if row.mode == PLAIN}
    names = list(dict.fromkeys(row.contender for row in rows))
    others = [name for name in names if name != OURS]
    about = {run["case"]: run for run in meta["runs"] if run["study"] == "area"}
    body = []
    ratios: dict[str, list[float]] = {name: [] for name in others}
    for case in dict.fromkeys(row.case for row in rows):
        mine = times.get((case, OURS))
        cells = [units.time(times[case, n]) if (case, n) in times else "–" for n in names]
        for n in others:
            quicker = times[case, n] / mine if mine and (case, n) in times else None
            ratios[n] += [] if quicker is None else [quicker]
            cells.append("–" if quicker is None else f"{quicker:.1f}")
        run = about[case]
        inside = f"{100 * run['inside']:g}"
        body.append([str(run["points"]), str(run["vertices"]), inside, run["ask"], *cells])
    medians = [f"{statistics.median(found):.1f}" if found else "–" for found in ratios.values()]
    body.append(["median", "", "", "", *("" for _ in names), *medians])
    headings = ["points", "vertices", "% in", "find", *names, *(f"{n} ÷" for n in others)]
    notes = [
        "Medians without the heap; all: every point inside is found, first: the first one. "
        f"÷: how many times as long as {OURS} takes."
    ]
    return Table("8 detection areas", headings, body, notes, bars=(tuple(names),))


def _growth(rows: list[Row], meta: dict[str, Any]) -> Table | None:
    body = [
        [
            f"{one.version}, {one.held}",
            one.over,
            " ".join(map(str, one.sizes)),
            " ".join(units.time(ns) for ns in one.ns),
            f"{one.order:.2f}",
        ]
        for one in growths(rows, meta)
    ]
    if not body:
        return None
    notes = ["order: the exponent of the growth, 1 if the time is proportional to the size."]
    headings = ["version", "over", "sizes", "medians", "order"]
    return Table("Growth", headings, body, notes, ("sizes", "medians"))


def _versions(meta: dict[str, Any]) -> Table:
    body = [[name, about["library"], about["about"]] for name, about in meta["contenders"].items()]
    return Table("Versions", ["version", "made with", "what it does"], body, [])


def _lead(rows: list[Row], study: str) -> str | None:
    """How many times as quick ours is, in the median case."""
    times = {(r.case, r.contender): r.median_ns for r in rows if r.mode == PLAIN}
    parts = []
    for name in ("usual", "recommended"):
        quicker = [
            other / times[case, OURS]
            for (case, who), other in times.items()
            if who == name and times.get((case, OURS))
        ]
        if quicker:
            parts.append(
                f"{statistics.median(quicker):.1f} times as quick as {name}" + _span(quicker)
            )
    what = {"ring": "Ring filter", "area": "Detection areas"}[study]
    return f"{what}: wirecost is {' and '.join(parts)}." if parts else None


def _span(quicker: list[float]) -> str:
    """`` (9.6–54.0 over 3 cases)``; nothing of one case."""
    if len(quicker) < 2:
        return ""
    return f" ({min(quicker):.1f}–{max(quicker):.1f} over {len(quicker)} cases)"


def _faults(results: Results) -> str | None:
    """In how many scans the usual version's time follows page faults, plain and under the heap."""
    usual = results.samples.filter(study="ring", contender="usual")
    usual = usual.with_columns(section=pl.col("case"))
    parts = []
    for mode, text in ((PLAIN, ""), (HEAP, " with the heap library")):
        explained = explain(usual.filter(mode=mode))
        prices = [c.ns_each for one in explained for c in one.causes if c.name == FAULTS]
        if explained:
            found = f"in {len(prices)} of {len(explained)} scans{text}"
            parts.append(found + (f" ({_prices(prices)} per fault)" if prices else ""))
    return f"The time of usual follows its page faults {', '.join(parts)}." if parts else None


def _prices(ns: list[float]) -> str:
    least, most = units.time(min(ns)), units.time(max(ns))
    return least if least == most else f"{least} to {most}"
