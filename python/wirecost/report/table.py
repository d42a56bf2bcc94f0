# SPDX-License-Identifier: Apache-2.0
"""The summary rows as tables, and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from wirecost.analysis.summary import Ratio, Row
from wirecost.report import units

Race = tuple[str, str, str, int | None, str]


LANGUAGES = {"cpp": "C++", "python": "Python", "java": "Java"}
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a formula of a spreadsheet begins with."""


@dataclass(frozen=True)
class Table:
    """Text cells under headings; the first column is left-aligned, the others right."""

    title: str
    headings: list[str]
    rows: list[list[str]]
    notes: list[str]
    optional: tuple[str, ...] = ()
    """Headings of the columns that a narrow terminal may leave out, the first ones first."""


def races(rows: list[Row]) -> list[Race]:
    return list(dict.fromkeys(row.race for row in rows))


def contenders(rows: list[Row], race: Race) -> Iterator[tuple[str, dict[str, Row]]]:
    """Each contender of a race with its rows by stage."""
    for name in dict.fromkeys(row.name for row in rows if row.race == race):
        yield name, {r.stage: r for r in rows if r.race == race and r.name == name}


def race_title(race: Race) -> str:
    case, variant, build, fmi, lang = race
    parts = [LANGUAGES.get(lang, ""), case]
    if not case.startswith(variant):
        parts.append(variant)
    parts += [build] if fmi is None else [build, f"FMI {fmi}"]
    return " · ".join(part for part in parts if part)


def baseline(rows: list[Row], race: Race) -> str:
    """Whom the ratios of a race refer to."""
    return next((row.ratio.to for row in rows if row.race == race and row.ratio), "baseline")


def stage_winners(rows: list[Row], race: Race) -> dict[str, str]:
    """The quickest contender of every stage."""
    here = [row for row in rows if row.race == race]
    return {
        stage: min((r for r in here if r.stage == stage), key=lambda row: row.median_ns).name
        for stage in dict.fromkeys(row.stage for row in here)
    }


def stages_table(rows: list[Row], race: Race) -> Table:
    """Every stage of every contender with its spread."""
    winners = stage_winners(rows, race)
    yardsticks = sceptics(rows, race)
    body = [
        [
            f"{row.name} {row.stage}" + ("*" if winners[row.stage] == row.name else ""),
            units.time(row.median_ns),
            f"{units.time(row.ci95_ns[0])} – {units.time(row.ci95_ns[1])}",
            units.time(row.p5_ns),
            units.time(row.p95_ns),
            units.time(row.p99_ns),
            ratio_text(row, "ratio"),
            ratio_text(row, "ratio_best"),
            *(ratio_text(row, "ratio_sceptic") for _ in yardsticks),
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
        f"× {baseline(rows, race)}",
        "× best Protobuf",
        *(f"× {name}" for name in yardsticks),
        "size",
    ]
    return Table(race_title(race), headings, body, ["* quickest of its stage"])


def sceptics(rows: list[Row], race: Race) -> list[str]:
    """The third contender that every ratio is given to, if the race has it."""
    names = [r.ratio_sceptic.to for r in rows if r.race == race and r.ratio_sceptic]
    return names[:1]


def ratio_text(row: Row, which: str) -> str:
    """A row's ratio, ``1`` for the one that is compared with."""
    ratio: Ratio | None = getattr(row, which)
    if ratio is None:
        return "–"
    if ratio.to == row.name:
        return "1"
    return units.quotient(ratio.median, *ratio.ci95)


def csv_text(rows: list[Row]) -> str:
    """All rows with plain numbers, for other tools."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = [
        "case", "contender", "variant", "build", "fmi", "stage", "n",
        "median_ns", "p5_ns", "p95_ns", "p99_ns",
    ]  # fmt: skip
    # Behind what older readers know.
    later = ["lang", "mode", "allocations", "instructions"]
    parts = ("to", "median", "low", "high")
    writer.writerow(
        [*names, "ci95_low_ns", "ci95_high_ns", "bytes", "digest"]
        + [f"{r}_{part}" for r in ("ratio", "ratio_best") for part in parts]
        + later
        + [f"ratio_sceptic_{part}" for part in parts]
    )
    for row in rows:
        cells: list[Any] = [getattr(row, name) for name in names]
        cells += [*row.ci95_ns, row.bytes, row.digest]
        cells += [*_ratio_cells(row.ratio), *_ratio_cells(row.ratio_best)]
        cells += [getattr(row, name) for name in later]
        cells += _ratio_cells(row.ratio_sceptic)
        writer.writerow([_no_formula(cell) for cell in cells])
    return out.getvalue()


def _ratio_cells(ratio: Ratio | None) -> list[Any]:
    return [ratio.to, ratio.median, *ratio.ci95] if ratio else [None] * 4


def _no_formula(cell: Any) -> Any:
    """Text that a spreadsheet would take for a formula, as text: names come from files."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell
