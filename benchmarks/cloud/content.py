# SPDX-License-Identifier: Apache-2.0
"""The point cloud case studies: turnaround, faults, what the time follows, and how it grows."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from wirecost.results.analysis.causes import explain
from wirecost.results.analysis.summary import Row
from wirecost.results.records.folder import Results
from wirecost.results.report.scenarios import ScenarioContent, built_with, joined
from wirecost.results.report.shared import units
from wirecost.results.report.shared.causes import cause_table
from wirecost.results.report.shared.races import contenders_table, ratio_text, samples_taken
from wirecost.results.report.shared.table import Amount, Column, Table, present

from .schema import CloudMeta, CloudRun

TITLE = "Point clouds: two callbacks as usual, as recommended, and in wirecost"
OURS = "wirecost"
FAULTS = "minor-faults"
PLAIN, HEAP = "plain", "heap"


def content(results: Results, rows: list[Row]) -> ScenarioContent:
    """Make the report. ``rows``: one for each case, version and mode."""
    meta = results.meta_as(CloudMeta)
    rings = [row for row in rows if row.run_as(CloudRun).study == "ring"]
    areas = [row for row in rows if row.run_as(CloudRun).study == "area"]
    grid = _grid(areas, meta) if areas else None
    return ScenarioContent(
        TITLE,
        joined(_lead(rings, "Ring filter"), _lead(areas, "Detection areas"), _faults(results)),
        present(*_callbacks(rings), grid, _growth_table(growths(rows, meta)), *_causes(results)),
        [
            *_callbacks(areas),
            contenders_table(
                meta.contenders,
                {
                    "made with": lambda contender: contender.library,
                    "what it does": lambda contender: contender.about,
                },
                title="Versions",
                first="version",
            ),
        ],
        f"Every version: {built_with(meta.environment)}.",
    )


def _causes(results: Results) -> list[Table]:
    """Return what callbacks follow, a table for each case; the last one explains the columns."""
    rings = results.samples.filter(study="ring")
    sections = rings.with_columns(section=pl.format("{} {}", "contender", "mode"))
    tables = [
        replace(table, title=f"What the time follows: {case}")
        for (case,), rows in sections.group_by(["case"], maintain_order=True)
        if (table := cause_table(explain(rows))) is not None
    ]
    return [*(replace(table, notes=[]) for table in tables[:-1]), *tables[-1:]]


def _callbacks(rows: list[Row]) -> list[Table]:
    """Return a table for each case."""
    columns: list[Column[Row]] = [
        Column("version", lambda row: row.name),
        Column("median", lambda row: units.time(row.median_ns), bar=True),
        Column("p99", lambda row: units.time(row.p99_ns)),
        Column("p99/median", _tail, optional=1),
        Column("faults", _faults_of, bar=True),
        Column("× usual", lambda row: ratio_text(row, row.ratio)),
        Column("× best recommended", lambda row: ratio_text(row, row.ratio_best), optional=2),
    ]
    tables = []
    for case in dict.fromkeys(row.case for row in rows):
        here = [row for row in rows if row.case == case]
        note = (
            f"{samples_taken(here[0], 'callbacks')} each, in turns; faults: mean minor page "
            "faults per callback; ×: ratio of medians with its 95 % interval; heap: with "
            "libwirecost-heap preloaded."
        )
        tables.append(Table.of(case, here, columns, [note]))
    return tables


def _tail(row: Row) -> str:
    return f"{row.p99_ns / row.median_ns:.2f}" if row.median_ns else units.NONE


def _faults_of(row: Row) -> str:
    faults = row.run_as(CloudRun).counters.get(FAULTS)
    return "n/a" if faults is None else Amount(units.significant(faults), faults)


def _grid(rows: list[Row], meta: CloudMeta) -> Table:
    """Return all cases of the area study without the heap, and how many times as quick we are."""
    times = {(row.case, row.contender): row.median_ns for row in rows if row.mode == PLAIN}
    names = list(dict.fromkeys(row.contender for row in rows))
    others = [name for name in names if name != OURS]

    def quicker(case: str, name: str) -> float | None:
        ours, other = times.get((case, OURS)), times.get((case, name))
        return other / ours if ours and other is not None else None

    def median(name: str) -> float | None:
        ratios = [ratio for run in cases if (ratio := quicker(run.case, name)) is not None]
        return statistics.median(ratios) if ratios else None

    areas = {run.case: run for run in meta.runs if run.study == "area"}
    cases = [areas[case] for case in dict.fromkeys(row.case for row in rows)]
    body = [
        [
            *(str(run.points), str(run.vertices), f"{100 * (run.inside or 0):g}", run.ask or ""),
            *(units.time(times.get((run.case, name))) for name in names),
            *(units.amount(quicker(run.case, name), ".1f") for name in others),
        ]
        for run in cases
    ]
    medians = (units.amount(median(name), ".1f") for name in others)
    body.append(["median", "", "", "", *("" for _ in names), *medians])
    headings = ["points", "vertices", "% in", "find", *names, *(f"{n} ÷" for n in others)]
    notes = [
        "Medians without the heap; all: every point inside is found, first: the first one. "
        f"÷: how many times as long as {OURS} takes."
    ]
    return Table("8 detection areas", headings, body, notes, bars=(tuple(names),))


@dataclass(frozen=True)
class Growth:
    """A version's medians where only ``over`` differs, and the power that the times grow with."""

    version: str
    over: str
    """points or vertices"""
    held: str
    """Facts that are the same for all."""
    sizes: list[int]
    ns: list[float]
    order: float
    """Slope of the least-squares line through logarithms."""


def growths(rows: list[Row], meta: CloudMeta) -> list[Growth]:
    """Fit plain runs that looked for all points, wherever at least two sizes were measured."""
    all_found = {run.case: run for run in meta.runs if run.study == "area" and run.ask == "all"}
    chosen = [
        (row.contender, run.inside or 0.0, row.median_ns, sizes)
        for row in rows
        if row.mode == PLAIN
        and (run := all_found.get(row.case)) is not None
        # On logarithms there is no 0.
        and row.median_ns
        and all((sizes := {"points": run.points, "vertices": run.vertices or 0}).values())
    ]
    fits = []
    for over, other in (("points", "vertices"), ("vertices", "points")):
        groups: dict[tuple[str, int, float], list[tuple[int, float]]] = {}
        for version, inside, ns, size in chosen:
            groups.setdefault((version, size[other], inside), []).append((size[over], ns))
        for (version, held, inside), pairs in groups.items():
            counts, times = zip(*sorted(pairs), strict=True)
            if len(set(counts)) < 2:
                continue
            order = float(np.polyfit(np.log(counts), np.log(times), 1)[0])
            text = f"{held} {other}, {100 * inside:g} % inside"
            fits.append(Growth(version, over, text, list(counts), list(times), order))
    return fits


def _growth_table(fits: list[Growth]) -> Table | None:
    columns: list[Column[Growth]] = [
        Column("version", lambda fit: f"{fit.version}, {fit.held}"),
        Column("over", lambda fit: fit.over),
        Column("sizes", lambda fit: " ".join(map(str, fit.sizes)), optional=1),
        Column("medians", lambda fit: " ".join(map(units.time, fit.ns)), optional=2),
        Column("order", lambda fit: f"{fit.order:.2f}"),
    ]
    notes = ["order: the exponent of the growth, 1 if the time is proportional to the size."]
    return Table.of("Growth", fits, columns, notes) if fits else None


def _lead(rows: list[Row], study: str) -> str | None:
    """Say how many times as quick ours is, in the median case."""
    times = {(r.case, r.contender): r.median_ns for r in rows if r.mode == PLAIN}
    parts = []
    for name in ("usual", "recommended"):
        quicker = [
            other / times[case, OURS]
            for (case, who), other in times.items()
            if who == name and times.get((case, OURS))
        ]
        if quicker:
            parts.append(f"{statistics.median(quicker):.1f} times as fast as {name}")
        if len(quicker) > 1:
            ends = f"{min(quicker):.1f}–{max(quicker):.1f}"
            parts[-1] += f" ({ends} over {len(quicker)} cases)"
    return f"{study}: wirecost is {' and '.join(parts)}." if parts else None


def _faults(results: Results) -> str | None:
    """Say in how many scans the usual version's time follows page faults, with which heap."""
    usual = results.samples.filter(study="ring", contender="usual")
    usual = usual.with_columns(section=pl.col("case"))
    parts = []
    for mode, text in ((PLAIN, ""), (HEAP, " with the heap library")):
        explanations = explain(usual.filter(mode=mode))
        prices = [
            c.ns_each
            for explanation in explanations
            for c in explanation.causes
            if c.name == FAULTS
        ]
        if explanations:
            parts.append(f"in {len(prices)} of {len(explanations)} scans{text}")
        if prices:
            parts[-1] += f" ({units.span(prices, units.time, ' to ')} per fault)"
    return f"The time of usual follows its page faults {', '.join(parts)}." if parts else None
