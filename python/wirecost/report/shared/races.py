# SPDX-License-Identifier: Apache-2.0
"""Summary rows race by race: who ran, who won, how contenders compare."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from wirecost.analysis.race import Ratio
from wirecost.analysis.summary import Row
from wirecost.report.shared import units
from wirecost.report.shared.table import Table

Race = tuple[str, str, str, int | None, str]
FEWEST = 10
"""Independent repetitions, without which no interval is shown."""
LANGUAGES = {"cpp": "C++", "python": "Python", "java": "Java"}


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
    here = [row for row in rows if row.race == race]
    ratios: list[tuple[str, Callable[[Row], Ratio | None]]] = [
        (baseline(rows, race), lambda row: row.ratio),
        ("best " + _incumbent(here), lambda row: row.ratio_best),
        *((name, lambda row: row.ratio_best_codec) for name in best_codec(rows, race)),
    ]
    ratios = [(name, of) for name, of in ratios if any(of(row) for row in here)]
    body = [
        [
            f"{row.name} {row.stage}" + ("*" if winners[row.stage] == row.name else ""),
            units.time(row.median_ns),
            f"{units.time(row.ci95_ns[0])} – {units.time(row.ci95_ns[1])}"
            if row.repetitions >= FEWEST
            else "–",
            units.time(row.p5_ns),
            units.time(row.p95_ns),
            units.time(row.p99_ns),
            *(ratio_text(row, of(row)) for _, of in ratios),
            units.size(row.bytes),
        ]
        for row in here
    ]
    headings = ["stage", "median", "95 % interval", "p5", "p95", "p99"]
    headings += [*(f"× {name}" for name, _ in ratios), "size"]
    return Table(race_title(race), headings, body, ["* quickest of its stage"], bars=("median",))


def _incumbent(rows: list[Row]) -> str:
    """What the best of the incumbent's contenders is called."""
    best = next((row.ratio_best.to for row in rows if row.ratio_best), "")
    return "Protobuf" if best.startswith("protobuf") else best


def codecs_table(meta: dict[str, Any], note: str) -> Table:
    """What each codec is, and what its decoder does for the time it takes; ``note`` says the rest
    of the words."""
    body = [
        [name, about["wire"], about["library"], about["guarantees"]]
        for name, about in meta["contenders"].items()
    ]
    notes = [f"owning: decoded data outlives the buffer; borrowing: {note}"]
    return Table("Contenders", ["contender", "wire", "library", "guarantees"], body, notes)


def best_codec(rows: list[Row], race: Race) -> list[str]:
    """Our best codec on the incumbent's wire, if the race has it: the third to compare with."""
    names = [r.ratio_best_codec.to for r in rows if r.race == race and r.ratio_best_codec]
    return names[:1]


def samples_taken(row: Row, unit: str) -> str:
    """``30 steps in 10 processes``."""
    what = unit.removesuffix("s") if row.n == 1 else unit
    return f"{row.n} {what}" + (f" in {row.processes} processes" if row.processes > 1 else "")


def ratio_text(row: Row, ratio: Ratio | None) -> str:
    """One of a row's ratios; ``1`` for the contender that all are compared with."""
    if ratio is None:
        return "–"
    if ratio.to == row.name:
        return "1"
    if row.repetitions < FEWEST:
        return units.significant(ratio.median)
    return units.quotient(ratio.median, *ratio.ci95)


def speed_text(row: Row, ratio: Ratio | None) -> str:
    """One of a row's ratios as a speed; ``–`` for whom there is none, and for whom it is to."""
    if ratio is None or ratio.to == row.name or ratio.median <= 0:
        return "–"
    low, high = ratio.ci95
    if row.repetitions >= FEWEST and low <= 1 <= high:
        return "no difference"
    return units.speed(ratio.median)


def speed_interval(row: Row, ratio: Ratio | None) -> str:
    """Its 95 % interval."""
    if ratio is None or ratio.to == row.name or row.repetitions < FEWEST or ratio.ci95[0] <= 0:
        return "–"
    return units.speeds(*ratio.ci95)
