# SPDX-License-Identifier: Apache-2.0
"""What a message with a tensor costs by plugin and middleware, beside floors and Wrapyfi."""

from __future__ import annotations

from wirecost.analysis.summary import Row
from wirecost.records.folder import Results
from wirecost.report.scenarios import Content
from wirecost.report.scenarios.tensor.advice import lead
from wirecost.report.scenarios.tensor.clocks import clocks, schedule
from wirecost.report.scenarios.tensor.comparisons import Comparisons, beside, goals
from wirecost.report.scenarios.tensor.contenders import array_bytes, groups, in_process
from wirecost.report.scenarios.tensor.shares import shares_of
from wirecost.report.scenarios.tensor.tables import (
    NONE,
    by_size,
    delivery,
    grid,
    objects,
    ours_between,
    yardsticks,
)
from wirecost.report.shared import units
from wirecost.report.shared.races import races, stages_table
from wirecost.report.shared.table import Table

TITLE = "Tensors over middlewares"
FEW_SIZES = 3
"""More are a sweep: a table of sizes then, not one for each."""
MOST_LATE = 12
"""Runs with late messages that a terminal lists."""


def content(results: Results, rows: list[Row]) -> Content:
    """``rows``: one a case, contender, plugin and stage."""
    tables: list[Table] = []
    details: list[Table] = []
    compared = Comparisons(results)
    shares = shares_of(results.samples)
    totals = [row for row in rows if row.stage == "total"]
    for group, here in groups(rows):
        shapes = list(dict.fromkeys(row.shape for row in here))
        if len(shapes) > FEW_SIZES:
            tables += _sizes(group.title, here)
        for shape in shapes:
            mine = [row for row in here if row.shape == shape]
            ours = ours_between(mine)
            title = f"{shape} {group.title}, {units.size(array_bytes(mine[0]))}"
            sticks = _yardsticks(title, mine, compared)
            if len(shapes) > FEW_SIZES:
                details += sticks
                continue
            tables += ([grid(title, mine)] if ours else []) + sticks[:1]
            details += sticks[1:]
            if ours:
                quickest = min(ours, key=lambda row: row.median_ns).contender
                tables += filter(None, [objects(group, shape or "", shares, quickest)])
    tables += filter(None, [goals(results, totals)])
    tables.append(delivery(results.meta, totals))
    tables += filter(None, [clocks(results.meta, rows)])
    late = schedule(results.meta)
    if late is not None:
        (tables if len(late.rows) <= MOST_LATE else details).append(late)
    return Content(
        TITLE,
        lead(results, rows, shares),
        tables,
        [*details, *(stages_table(rows, race) for race in races(rows))],
        f"Listener and publisher: {results.meta['gc']}.",
    )


def _sizes(title: str, rows: list[Row]) -> list[Table]:
    ends = min(row.n for row in rows), max(row.n for row in rows)
    made = [
        by_size(f"Median by size · {title}", rows, lambda row: units.time(row.median_ns),
                "Medians of the total, from the finished object to the received one."),
        by_size(f"p99 by size · {title}", rows, lambda row: units.time(row.p99_ns),
                f"Estimates from {' to '.join(map(str, dict.fromkeys(ends)))} messages each."),
    ]  # fmt: skip
    floored = [row for row in rows if row.plugin and row.ratio_floor]
    if floored:
        made.append(
            by_size(
                f"× raw by size · {title}",
                floored,
                lambda row: units.significant(row.ratio_floor.median) if row.ratio_floor else NONE,
                "Ratios of medians, to the same library sending as many bytes by itself.",
            )
        )
    if any(row.bytes_per_s for row in rows):
        carried = [row for row in rows if row.bytes_per_s]
        made.append(
            by_size(
                f"Throughput by size [MB/s] · {title}",
                carried,
                lambda row: units.significant((row.bytes_per_s or 0) / 1e6),
                "Of messages sent without pause, bytes as they arrived.",
            )
        )
    return made


def _yardsticks(title: str, rows: list[Row], compared: Comparisons) -> list[Table]:
    """A table for each plugin, of what goes between processes; its floors are in all of them."""
    made = []
    for plugin in dict.fromkeys(row.plugin for row in rows if row.plugin):
        here = [row for row in rows if row.plugin in {plugin, ""} and not in_process(row.contender)]
        told = {}
        for row in here:
            other = beside(row, here) if row.plugin else None
            found = compared.ratio(row, other) if other and other != row.contender else None
            told[row.contender] = (
                units.quotient(found.value, found.low, found.high) if found else NONE
            )
        if any(row.plugin for row in here):
            made.append(yardsticks(f"Yardsticks · {plugin} · {title}", here, told))
    return made
