# SPDX-License-Identifier: Apache-2.0
"""The summary rows as tables: for the terminal, Markdown and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from wirecost.analysis.summary import BASELINE, Row
from wirecost.records.stages import STAGES
from wirecost.report import units
from wirecost.report.reference import PUBLISHED_RATIO, TABLE1, PublishedRow

Race = tuple[str, str, str, int]


@dataclass(frozen=True)
class Table:
    """Text cells under headings; the first column is left-aligned, the others right."""

    title: str
    headings: list[str]
    rows: list[list[str]]
    notes: list[str]
    optional: frozenset[str] = frozenset()
    """Headings of the columns that a narrow terminal may leave out."""


def races(rows: list[Row]) -> list[Race]:
    return list(dict.fromkeys(row.race for row in rows))


def contenders(rows: list[Row], race: Race) -> Iterator[tuple[str, dict[str, Row]]]:
    """Each contender of a race with its rows by stage."""
    for name in dict.fromkeys(row.contender for row in rows if row.race == race):
        yield name, {r.stage: r for r in rows if r.race == race and r.contender == name}


def race_title(race: Race) -> str:
    case, variant, build, fmi = race
    return f"{case} · {variant} · {build} · FMI {fmi}"


def overview(rows: list[Row], race: Race) -> Table:
    """Source, model and total of a race, with both ratios and the sizes on the wire."""
    body, best, n = [], "", 0
    winners = stage_winners(rows, race)
    for name, stages in contenders(rows, race):
        total = stages["total"]
        n = total.n
        if total.ratio_best:
            best = total.ratio_best.to
        cells = [
            units.time(stages[stage].median_ns) + ("*" if winners[stage] == name else "")
            for stage in ("source", "transfer", "model", "release", "total")
        ]
        body.append(
            [
                name,
                *cells,
                _ratio(total, "ratio"),
                _ratio(total, "ratio_best"),
                units.size(total.bytes),
            ]
        )
    headings = ["contender", "source", "transfer", "model", "release", "total"]
    headings += [f"× {BASELINE}", "× best Protobuf", "view"]
    notes = [
        f"Medians of {n} steps, contenders in turns; total × = ratio of totals with its 95 % "
        "bootstrap interval; * the quickest; view = sensor view on the wire."
    ]
    if best and best != BASELINE:
        notes.append(f"Best Protobuf mode: {best}.")
    optional = frozenset({"transfer", "release", "× best Protobuf"})
    return Table(race_title(race), headings, body, notes, optional)


def stage_winners(rows: list[Row], race: Race) -> dict[str, str]:
    """The quickest contender of every stage."""
    return {
        stage: min(
            (row for row in rows if row.race == race and row.stage == stage),
            key=lambda row: row.median_ns,
        ).contender
        for stage in STAGES
    }


def stages_table(rows: list[Row], race: Race) -> Table:
    """Every stage of every contender with its spread."""
    winners = stage_winners(rows, race)
    body = [
        [
            f"{row.contender} {row.stage}" + ("*" if winners[row.stage] == row.contender else ""),
            units.time(row.median_ns),
            f"{units.time(row.ci95_ns[0])} – {units.time(row.ci95_ns[1])}",
            units.time(row.p5_ns),
            units.time(row.p95_ns),
            units.time(row.p99_ns),
            _ratio(row, "ratio"),
            _ratio(row, "ratio_best"),
            units.size(row.bytes),
        ]
        for row in rows
        if row.race == race
    ]
    headings = [
        "stage",
        "median",
        "95 % interval",
        "p5",
        "p95",
        "p99",
        f"× {BASELINE}",
        "× best Protobuf",
        "size",
    ]
    return Table(race_title(race), headings, body, ["* quickest of its stage"])


def table1(rows: list[Row]) -> list[Table]:
    """The report's Table 1 beside ours, one table a variant whose races were run."""
    tables = []
    for variant in dict.fromkeys(row.variant for row in rows):
        measured = {(r.case, r.build, r.contender) for r in rows if r.variant == variant}
        if sum((p.case, p.build, p.contender) in measured for p in TABLE1) <= len(TABLE1) // 2:
            continue
        body = [_table1_row(rows, variant, published) for published in TABLE1]
        headings = ["", "FB report", "FB here", "PB report", "PB here", "FB : PB"]
        notes = [
            "source / model in ms, medians here; FB : PB = ratio of source + model, report → here; "
            "FB FlatBuffers, PB Protobuf"
        ]
        title = f"Table 1 of the report and this machine · {variant}"
        tables.append(Table(title, headings, body, notes))
    return tables


def _table1_row(rows: list[Row], variant: str, published: PublishedRow) -> list[str]:
    def here(contender: str) -> tuple[float, float] | None:
        which = (published.case, variant, published.build, contender)
        found = {
            row.stage: row.median_ns / 1e6
            for row in rows
            if (row.case, row.variant, row.build, row.contender) == which
        }
        return (found["source"], found["model"]) if found else None

    mine = here(published.contender)
    other = here(BASELINE) if published.protobuf else None
    quotients = _quotient(published.flatbuffers, published.protobuf), _quotient(mine, other)
    return [
        published.subject,
        _pair(published.flatbuffers),
        _pair(mine),
        _pair(published.protobuf),
        _pair(other),
        " → ".join(quotients) if published.protobuf else "–",
    ]


def _pair(values: tuple[float, float] | None) -> str:
    if values is None:
        return "–"
    return " / ".join(str(v) if isinstance(v, int) else units.two_digits(v) for v in values)


def _quotient(one: tuple[float, float] | None, other: tuple[float, float] | None) -> str:
    if one is None or other is None or sum(other) == 0:
        return "–"
    return f"{sum(one) / sum(other):.2f}"


def published_comparison(rows: list[Row]) -> str | None:
    """The report's headline ratio beside ours, if its first case was run as published."""

    def here(variant: str, stages: tuple[str, ...]) -> str | None:
        medians = {
            (row.contender, row.stage): row.median_ns
            for row in rows
            if (row.case, row.variant, row.build) == (TABLE1[0].case, variant, "release")
        }
        names = (TABLE1[0].contender, BASELINE)
        if not all((name, "total") in medians for name in names):
            return None
        mine, theirs = (sum(medians[name, stage] for stage in stages) for name in names)
        return f"{mine / theirs:.2f}"

    counted, whole = ("source", "model"), ("total",)
    if here("published", counted) is None:
        return None
    text = (
        "FlatBuffers to Protobuf at 829,440 reflections, source + model: "
        f"{PUBLISHED_RATIO:.2f} in the report, {here('published', counted)} here with its code"
    )
    same = here("same-work", counted)
    text += f", {same} when both do the same work" if same else ""
    text += ". With transfer and the release of messages, which the report left out: "
    text += (
        f"{here('published', whole)} and {here('same-work', whole)}"
        if same
        else (f"{here('published', whole)}")
    )
    return text + "."


def _ratio(row: Row, which: str) -> str:
    ratio = row.ratio if which == "ratio" else row.ratio_best
    if ratio is None:
        return "–"
    if ratio.to == row.contender:
        return "1"
    return units.quotient(ratio.median, *ratio.ci95)


def markdown(table: Table) -> str:
    def line(cells: list[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    rule = line([":--", *["--:"] * (len(table.headings) - 1)])
    lines = [f"### {table.title}", "", line(table.headings), rule, *map(line, table.rows), ""]
    return "\n".join([*lines, *table.notes, ""])


def csv_text(rows: list[Row]) -> str:
    """All rows with plain numbers, for other tools."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = [
        "case", "contender", "variant", "build", "fmi", "stage", "n",
        "median_ns", "p5_ns", "p95_ns", "p99_ns",
    ]  # fmt: skip
    writer.writerow(
        [*names, "ci95_low_ns", "ci95_high_ns", "bytes", "digest"]
        + [
            f"{r}_{part}"
            for r in ("ratio", "ratio_best")
            for part in ("to", "median", "low", "high")
        ]
    )
    for row in rows:
        cells: list[Any] = [getattr(row, name) for name in names]
        cells += [*row.ci95_ns, row.bytes, row.digest]
        for ratio in (row.ratio, row.ratio_best):
            cells += [ratio.to, ratio.median, *ratio.ci95] if ratio else [None] * 4
        writer.writerow(cells)
    return out.getvalue()
