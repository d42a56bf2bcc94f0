# SPDX-License-Identifier: Apache-2.0
"""The map benchmark: what it costs to have one map in many processes, copied and shared."""

from __future__ import annotations

from typing import Any

from wirecost.analysis.summary import Row
from wirecost.records.folder import Results
from wirecost.report.scenarios import Content
from wirecost.report.shared import units
from wirecost.report.shared.races import (
    Race,
    contenders,
    races,
    ratio_text,
    samples_taken,
    stages_table,
)
from wirecost.report.shared.table import Table

TITLE = "One map, many processes: copied and shared"


def content(results: Results, rows: list[Row]) -> Content:
    shown = races(rows)
    return Content(
        TITLE,
        _lead(rows),
        [_table(rows, shown)],
        [_contenders(results.meta), *(stages_table(rows, race) for race in shown)],
        "",
    )


def _table(rows: list[Row], shown: list[Race]) -> Table:
    body = []
    for race in shown:
        for name, stages in contenders(rows, race):
            total = stages["total"]
            body.append(
                [
                    f"{race[0]}, {name}",
                    units.time(stages["readable"].median_ns),
                    units.time(stages["touch"].median_ns),
                    units.time(total.median_ns),
                    ratio_text(total, total.ratio),
                    units.size(total.facts["memory_bytes"] or 0),
                    units.size(total.facts["map_memory_bytes"] or 0),
                    f"{_instances(total):.2f}",
                ]
            )
    notes = [
        f"Medians of {samples_taken(rows[0], 'publications')}, both contenders in turns, until "
        "the last subscriber is done. readable: from publishing until all of the map can be "
        "read; touch: "
        "reading a byte of every page once; × copied: ratio of totals with its 95 % interval. "
        "memory: Pss of all processes together, the publisher's too; map: what of it came with the "
        "map; instances: that divided by the map's size. Each subscriber's map was compared by "
        "digest, "
        "outside the times."
    ]
    headings = ["map and contender", "readable", "touch", "total", "× copied", "memory", "map"]
    optional = ("touch", "readable", "memory")
    bars = (("readable", "touch", "total"), ("memory", "map"))
    return Table("Maps", [*headings, "instances"], body, notes, optional, bars)


def _instances(row: Row) -> float:
    """How often the map lies in physical memory."""
    return (row.facts["map_memory_bytes"] or 0) / row.bytes if row.bytes else 0.0


def _contenders(meta: dict[str, Any]) -> Table:
    body = [[name, about["what"], about["library"]] for name, about in meta["contenders"].items()]
    return Table("Contenders", ["contender", "what it does", "by"], body, [])


def _lead(rows: list[Row]) -> str | None:
    """The largest number of subscribers: there it matters most."""
    totals = {(row.case, row.contender): row for row in rows if row.stage == "total"}
    both = [case for case, name in totals if name == "shared" and (case, "copied") in totals]
    if not both:
        return None
    copied, shared = totals[both[-1], "copied"], totals[both[-1], "shared"]
    memory = [units.size(one.facts["map_memory_bytes"] or 0) for one in (copied, shared)]
    return (
        f"{both[-1]}: {memory[0]} of memory and {units.time(copied.median_ns)} by copying, "
        f"{memory[1]} and {units.time(shared.median_ns)} by sharing."
    )
