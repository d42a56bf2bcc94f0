# SPDX-License-Identifier: Apache-2.0
"""How contenders compare as the message grows, if several sizes were measured."""

from __future__ import annotations

from typing import Any

from wirecost.analysis.summary import Row
from wirecost.counted import counted
from wirecost.report.shared import units
from wirecost.report.shared.races import FEWEST
from wirecost.report.shared.table import Table

FEWEST_SIZES = 3
_Group = tuple[str, str, int | None, int, str]
"""Variant, build, FMI version, objects, and what is said of the way of reading and the pages."""


def growths(meta: dict[str, Any], rows: list[Row]) -> list[Table]:
    """A table for each variant, build, number of objects, way of reading and size of pages."""
    runs = {run["case"]: run for run in meta["runs"] if not run.get("player")}
    groups: dict[_Group, list[Row]] = {}
    for row in rows:
        if row.stage != "total" or row.case not in runs:
            continue
        run = runs[row.case]
        key = row.variant, row.build, row.fmi, int(run["objects"]), ways(run)
        groups.setdefault(key, []).append(row)
    counts = {case: int(run["reflections"]) for case, run in runs.items()}
    return [
        _table(group, here, counts)
        for group, here in groups.items()
        if len({row.case for row in here}) >= FEWEST_SIZES
    ]


def ways(run: dict[str, Any]) -> str:
    """What a title says of a race that is not the usual one."""
    return (", all read" * (run.get("read") == "all")) + (
        ", small pages" * (run.get("pages") == "small")
    )


def _table(group: _Group, rows: list[Row], counts: dict[str, int]) -> Table:
    cases = sorted({row.case for row in rows}, key=lambda case: counts[case])
    by_name = {(row.name, row.case): row for row in rows}
    best = {
        case: next((r.ratio_best.to for r in rows if r.case == case and r.ratio_best), "")
        for case in cases
    }
    times = {
        case: units.time(by_name[name, case].median_ns) if (name, case) in by_name else "–"
        for case, name in best.items()
    }
    body = [["best Protobuf", *times.values()]]
    for name in dict.fromkeys(row.name for row in rows):
        body.append([name, *(_speed(by_name.get((name, case))) for case in cases)])
    variant, build, fmi, objects, how = group
    title = f"By number of reflections, {counted(objects, 'object')}{how}"
    names = dict.fromkeys(filter(None, best.values()))
    notes = [
        f"First row: total of the best Protobuf of each size ({', '.join(names)}). Below it: how "
        "many times faster than that; = no difference by its 95 % interval."
    ]
    headings = ["contender", *(f"{counts[case]:,}" for case in cases)]
    return Table(f"{title} · {variant} · {build} · FMI {fmi}", headings, body, notes)


def _speed(row: Row | None) -> str:
    if row is None or row.ratio_best is None or row.ratio_best.median <= 0:
        return "–"
    if row.ratio_best.to == row.name:
        return "1"
    low, high = row.ratio_best.ci95
    if row.repetitions >= FEWEST and low <= 1 <= high:
        return "="
    return f"{units.two_digits(1 / row.ratio_best.median)}×"
