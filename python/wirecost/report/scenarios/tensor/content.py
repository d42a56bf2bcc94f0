# SPDX-License-Identifier: Apache-2.0
"""What a message with a tensor costs by plugin and middleware, beside floors and Wrapyfi."""

from __future__ import annotations

from wirecost.analysis.summary import Row
from wirecost.records.folder import Results
from wirecost.report.scenarios import Content
from wirecost.report.scenarios.tensor.advice import lead
from wirecost.report.scenarios.tensor.claims import claims
from wirecost.report.scenarios.tensor.clocks import clocks, schedule
from wirecost.report.scenarios.tensor.comparisons import Comparisons, beside
from wirecost.report.scenarios.tensor.contenders import (
    array_bytes,
    floor_ratio,
    groups,
    in_process,
    plugin_of,
    shape_of,
)
from wirecost.report.scenarios.tensor.pairs import behind, differing, sent
from wirecost.report.scenarios.tensor.published import published_table
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
from wirecost.report.shared.table import Amount, Table

TITLE = "Tensors over middlewares"
FEW_SIZES = 3
"""More are a sweep: one table with a column for each size."""
MOST_LATE = 12
"""Runs with late messages that a terminal lists."""


def content(results: Results, rows: list[Row]) -> Content:
    """``rows``: one a case, contender, plugin and stage."""
    tables: list[Table] = []
    details: list[Table] = []
    folded: list[Table] = []
    compared = Comparisons(results)
    shares = shares_of(results.samples)
    totals = [row for row in rows if row.stage == "total"]
    for group, here in groups(rows):
        folded += filter(None, [published_table(group, here)])
        shapes = list(dict.fromkeys(shape_of(row) for row in here))
        if len(shapes) > FEW_SIZES:
            tables += _sizes(group.title, here)
        for shape in shapes:
            mine = [row for row in here if shape_of(row) == shape]
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
    paper = "--paper" in results.meta["command"]
    if paper and (found := claims(results, totals)):
        tables.append(found)
    by_pair = sent(results)
    tables += filter(None, [behind(by_pair)])
    folded.insert(0, delivery(results.meta, totals))
    folded += filter(None, [clocks(results.meta, rows)])
    late = schedule(results.meta)
    if late is not None:
        (folded if paper or len(late.rows) <= MOST_LATE else details).append(late)
    (folded if paper else details).extend(filter(None, [differing(by_pair)]))
    return Content(
        TITLE,
        lead(results, rows, shares),
        tables,
        [*details, *(stages_table(rows, race) for race in races(rows))],
        f"Listener and publisher: {results.meta['gc']}.",
        folded,
    )


def _sizes(title: str, rows: list[Row]) -> list[Table]:
    ends = min(row.n for row in rows), max(row.n for row in rows)
    medians = [(row, units.time(row.median_ns)) for row in rows]
    tails = [(row, units.time(row.p99_ns)) for row in rows]
    floored = [
        (row, units.significant(floor.median))
        for row in rows
        if plugin_of(row) and (floor := floor_ratio(row))
    ]
    carried = [
        (row, Amount(units.significant(rate / 1e6), rate))
        for row in rows
        if (rate := row.facts["bytes_per_s"])
    ]
    tables = (
        by_size(f"Median by size · {title}", medians,
                "Medians of the total, from the finished object to the received one."),
        by_size(f"p99 by size · {title}", tails,
                f"Estimates from {' to '.join(map(str, dict.fromkeys(ends)))} messages each."),
        by_size(f"× raw by size · {title}", floored,
                "Ratio of medians to the bare library sending the same number of bytes.",
                bars=False),
        by_size(f"Throughput by size [MB/s] · {title}", carried,
                "Messages sent back to back; bytes counted as they arrived."),
    )  # fmt: skip
    return [table for table in tables if table.rows]


def _yardsticks(title: str, rows: list[Row], compared: Comparisons) -> list[Table]:
    """A table for each plugin, of what goes between processes; its floors are in all of them."""
    made = []
    for plugin in dict.fromkeys(plugin_of(row) for row in rows if plugin_of(row)):
        between = [row for row in rows if not in_process(row.contender)]
        here = [row for row in between if plugin_of(row) in {plugin, ""}]
        ratios = {}
        for row in here:
            other = beside(row, here) if plugin_of(row) else None
            found = compared.ratio(row, other) if other and other != row.contender else None
            ratios[row.contender] = (
                units.quotient(found.value, found.low, found.high) if found else NONE
            )
        if any(plugin_of(row) for row in here):
            made.append(yardsticks(f"Ratios · {plugin} · {title}", here, ratios))
    return made
