# SPDX-License-Identifier: Apache-2.0
"""The point cloud case studies: turnaround, faults, what the time follows, and how it grows."""

from __future__ import annotations

import statistics
from typing import Any

import polars as pl

from wirecost.analysis.causes import explain
from wirecost.analysis.summary import Row
from wirecost.records.folder import Results
from wirecost.report import units
from wirecost.report.probe_causes import cause_table
from wirecost.report.scenarios import Content
from wirecost.report.scenarios.cloud_growth import HEAP, PLAIN, growths
from wirecost.report.table import Table, ratio_text

TITLE = "Point clouds: two callbacks as usual, as recommended, and in wirecost"
OURS = "wirecost"
FAULTS = "minor-faults"


def content(results: Results, rows: list[Row]) -> Content:
    """``rows``: one a case, version and mode."""
    where = results.meta["environment"]
    rings = [row for row in rows if row.study == "ring"]
    areas = [row for row in rows if row.study == "area"]
    causes = cause_table(explain(executions(results)))
    growth = _growth(rows, results.meta)
    return Content(
        TITLE,
        " ".join(filter(None, (_lead(rings, "ring"), _lead(areas, "area"), _faults(results))))
        or None,
        [
            *(_callbacks(rings, case) for case in dict.fromkeys(row.case for row in rings)),
            *([_grid(areas)] if areas else []),
            *([growth] if growth else []),
            *([causes] if causes else []),
        ],
        [
            *(_callbacks(areas, case) for case in dict.fromkeys(row.case for row in areas)),
            _versions(results.meta),
        ],
        f"Every version: {where['compiler']}, {where['flags']}.",
    )


def executions(results: Results) -> pl.DataFrame:
    """The ring filter's callbacks as sections: a version, plain or under the heap, of a case."""
    rings = results.samples.filter(study="ring")
    case = pl.col("case").str.strip_prefix("ring, ")
    section = pl.format("{} {}, {}", "contender", "mode", case)
    return rings.with_columns(section=section)


def _callbacks(rows: list[Row], case: str) -> Table:
    body = []
    here = [row for row in rows if row.case == case]
    for row in here:
        faults = (row.counters or {}).get(FAULTS)
        body.append(
            [
                row.name,
                units.time(row.median_ns),
                units.time(row.p99_ns),
                f"{row.p99_ns / row.median_ns:.2f}" if row.median_ns else "–",
                "n/a" if faults is None else units.significant(faults),
                ratio_text(row, "ratio"),
                ratio_text(row, "ratio_best"),
            ]
        )
    headings = ["version", "median", "p99", "p99/median", "faults", "× usual", "× best recommended"]
    notes = [
        f"{here[0].n} callbacks each, in turns, a process a version; faults: minor page faults of "
        "a callback, mean; × = ratio of medians with its 95 % interval. heap: with "
        "libwirecost-heap preloaded."
    ]
    return Table(case, headings, body, notes, ("p99/median", "× best recommended"))


def _grid(rows: list[Row]) -> Table:
    """All cells of the area study without the heap, and how many times as quick we are."""
    times = {(row.case, row.contender): row.median_ns for row in rows if row.mode == PLAIN}
    names = list(dict.fromkeys(row.contender for row in rows))
    body = []
    for case in dict.fromkeys(row.case for row in rows):
        mine = times.get((case, OURS))
        cells = [units.time(times[case, n]) if (case, n) in times else "–" for n in names]
        quicker = [
            f"{times[case, n] / mine:.1f}" if mine and (case, n) in times else "–"
            for n in names
            if n != OURS
        ]
        body.append([case.removeprefix("area, "), *cells, *quicker])
    headings = ["case", *names, *(f"{n} / {OURS}" for n in names if n != OURS)]
    notes = ["Medians without the heap; all: every point inside is found, first: the first one."]
    return Table("8 detection areas", headings, body, notes)


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
    notes = ["order: the power of the size that the time grows with, fitted to all of them."]
    return Table("Growth", ["version", "over", "sizes", "medians", "order"], body, notes)


def _versions(meta: dict[str, Any]) -> Table:
    body = [[name, told["library"], told["about"]] for name, told in meta["contenders"].items()]
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
                f"{statistics.median(quicker):.1f} times ({min(quicker):.1f}–{max(quicker):.1f}) "
                f"as quick as {name}"
            )
    return f"{study}: wirecost is {' and '.join(parts)}." if parts else None


def _faults(results: Results) -> str | None:
    """In how many scans the usual version's time follows page faults, plain and under the heap."""
    usual = executions(results).filter(contender="usual")
    parts = []
    for mode, text in ((PLAIN, PLAIN), (HEAP, "under the heap")):
        explained = explain(usual.filter(mode=mode))
        prices = [c.ns_each for one in explained for c in one.causes if c.name == FAULTS]
        if explained:
            found = f"{text} in {len(prices)} of {len(explained)} scans"
            parts.append(found + (f" ({_prices(prices)} a fault)" if prices else ""))
    return f"usual follows page faults {', '.join(parts)}." if parts else None


def _prices(ns: list[float]) -> str:
    least, most = units.time(min(ns)), units.time(max(ns))
    return least if least == most else f"{least} to {most}"
