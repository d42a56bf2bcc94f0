# SPDX-License-Identifier: Apache-2.0
"""Summary rows race by race: who ran, who won, how contenders compare."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TypeVar

from wirecost.results.analysis.race import Ratio
from wirecost.results.analysis.summary import Row
from wirecost.results.records.schemas.common import About, Codec
from wirecost.results.report.shared import units
from wirecost.results.report.shared.table import Column, Table

A = TypeVar("A", bound=About)
Contender = tuple[str, dict[str, Row]]
"""A contender's name, and its rows by stage."""
Race = tuple[str, str, str, int | None, str]
FEWEST = 10
"""Independent repetitions, without which no interval is shown."""
LANGUAGES = {"cpp": "C++", "python": "Python", "java": "Java", "rust": "Rust"}


def races(rows: list[Row]) -> list[Race]:
    return list(dict.fromkeys(row.race for row in rows))


def by_race(rows: Iterable[Row]) -> dict[Race, list[Row]]:
    """Return the rows of each race; a folder may have thousands of races."""
    of: dict[Race, list[Row]] = {}
    for row in rows:
        of.setdefault(row.race, []).append(row)
    return of


def contenders(rows: list[Row], race: Race) -> Iterator[Contender]:
    """Yield each contender of a race with its rows by stage."""
    stages: dict[str, dict[str, Row]] = {}
    for row in of_race(rows, race):
        stages.setdefault(row.name, {})[row.stage] = row
    yield from stages.items()


def stage_column(
    stage: str, winners: Mapping[str, str] = MappingProxyType({}), optional: int = 0
) -> Column[Contender]:
    """Return a column with the median of a stage.

    The bars of all stages have one scale. ``winners``: the contender of each stage that has a star.
    """

    def cell(contender: Contender) -> str:
        name, stages = contender
        if stage not in stages:
            return units.NONE
        return units.time(stages[stage].median_ns) + "*" * (winners.get(stage) == name)

    return Column(stage, cell, "stages", optional)


def total_column(
    title: str, cell: Callable[[Row], str], bar: bool | str = False, optional: int = 0
) -> Column[Contender]:
    """Return a column that follows from a contender's row of the stage ``total``."""
    return Column(title, lambda contender: cell(contender[1]["total"]), bar, optional)


def ratio_column(to: str, optional: int = 0) -> Column[Contender]:
    """Return a column with the ratio of totals to the baseline ``to``."""
    return total_column(f"× {to}", lambda row: ratio_text(row, row.ratio), optional=optional)


def best_column(to: str, optional: int = 0) -> Column[Contender]:
    """Return a column with the ratio of totals to the incumbent at its best, ``to``."""
    return total_column(f"× {to}", lambda row: ratio_text(row, row.ratio_best), optional=optional)


NAME: Column[Contender] = Column("contender", lambda contender: contender[0])


def race_title(race: Race) -> str:
    case, variant, build, fmi, lang = race
    parts = [LANGUAGES.get(lang, ""), case]
    if not case.startswith(variant):
        parts.append(variant)
    parts += [build] if fmi is None else [build, f"FMI {fmi}"]
    return " · ".join(part for part in parts if part)


def baseline(rows: list[Row], race: Race) -> str:
    """Return the contender that the ratios of a race refer to."""
    return next((row.ratio.to for row in rows if row.race == race and row.ratio), "baseline")


def stage_winners(rows: list[Row], race: Race) -> dict[str, str]:
    """Return the quickest contender of every stage."""
    here = of_race(rows, race)
    return {
        stage: min((r for r in here if r.stage == stage), key=lambda row: row.median_ns).name
        for stage in dict.fromkeys(row.stage for row in here)
    }


def stages_table(rows: list[Row], race: Race) -> Table:
    """Return every stage of every contender with its spread."""
    winners = stage_winners(rows, race)
    here = of_race(rows, race)
    best = best_of(here)

    def stage(row: Row) -> str:
        return f"{row.name} {row.stage}" + "*" * (winners[row.stage] == row.name)

    def compared(name: str, of: Callable[[Row], Ratio | None]) -> Column[Row]:
        is_shown = any(of(row) for row in here)
        return Column(f"× {name}", lambda row: ratio_text(row, of(row)), shown=is_shown)

    columns: list[Column[Row]] = [
        Column("stage", stage),
        Column("median", lambda row: units.time(row.median_ns), bar=True),
        Column(
            "95 % interval", lambda row: interval(row) if row.repetitions >= FEWEST else units.NONE
        ),
        Column("p5", lambda row: units.time(row.p5_ns)),
        Column("p95", lambda row: units.time(row.p95_ns)),
        Column("p99", lambda row: units.time(row.p99_ns)),
        compared(baseline(rows, race), lambda row: row.ratio),
        compared(
            "best " + ("Protobuf" if best.startswith("protobuf") else best),
            lambda row: row.ratio_best,
        ),
        *(compared(name, lambda row: row.ratio_best_codec) for name in best_codec(rows, race)),
        Column("size", lambda row: units.size(row.bytes)),
    ]
    return Table.of(race_title(race), here, columns, ["* marks the fastest of its stage"])


def interval(row: Row) -> str:
    """Return the 95 % interval of a row's median."""
    return " – ".join(map(units.time, row.ci95_ns))


def best_of(rows: list[Row]) -> str:
    """Return the incumbent at its best, to which ``ratio_best`` refers.

    It is empty if there is none. ``rows``: of one race.
    """
    return next((row.ratio_best.to for row in rows if row.ratio_best), "")


def of_race(rows: list[Row], race: Race) -> list[Row]:
    """Return the rows of one race."""
    return [row for row in rows if row.race == race]


def contenders_table(
    contenders: Mapping[str, A],
    columns: Mapping[str, Callable[[A], str]],
    notes: Iterable[str] = (),
    *,
    title: str = "Contenders",
    first: str = "contender",
) -> Table:
    """Return what the run's contenders are: a column for each of ``columns`` behind their names."""
    body = [[name, *(of(about) for of in columns.values())] for name, about in contenders.items()]
    return Table(title, [first, *columns], body, list(notes))


def codecs_table(codecs: Mapping[str, Codec], note: str) -> Table:
    """Return what each codec is and what its decoder guarantees; ``note`` explains the words."""
    columns: dict[str, Callable[[Codec], str]] = {
        "wire": lambda codec: codec.wire,
        "library": lambda codec: codec.library,
        "guarantees": lambda codec: codec.guarantees,
    }
    notes = [f"owning: decoded data outlives the buffer; borrowing: {note}"]
    return contenders_table(codecs, columns, notes)


def best_codec(rows: list[Row], race: Race) -> list[str]:
    """Return our best codec on the incumbent's wire, if the race has it."""
    names = [r.ratio_best_codec.to for r in rows if r.race == race and r.ratio_best_codec]
    return names[:1]


def samples_taken(row: Row, unit: str) -> str:
    """Return ``30 steps in 10 processes``."""
    what = unit.removesuffix("s") if row.n == 1 else unit
    return f"{row.n} {what}" + (f" in {row.processes} processes" if row.processes > 1 else "")


def ratio_text(row: Row, ratio: Ratio | None) -> str:
    """Return a ratio of a row; ``1`` for the contender that all are compared with."""
    if ratio is None:
        return units.NONE
    if ratio.to == row.name:
        return "1"
    if row.repetitions < FEWEST:
        return units.significant(ratio.median)
    return units.quotient(ratio.median, *ratio.ci95)


def speed_text(row: Row, ratio: Ratio | None) -> str:
    """Return a ratio of a row as a speed; ``–`` where there is none or it is to itself."""
    if ratio is None or ratio.to == row.name or ratio.median <= 0:
        return units.NONE
    low, high = ratio.ci95
    if row.repetitions >= FEWEST and low <= 1 <= high:
        return "no difference"
    return units.speed(ratio.median)


def speed_interval(row: Row, ratio: Ratio | None) -> str:
    """Return the 95 % interval of such a speed."""
    if ratio is None or ratio.to == row.name or row.repetitions < FEWEST or ratio.ci95[0] <= 0:
        return units.NONE
    return units.speeds(*ratio.ci95)
