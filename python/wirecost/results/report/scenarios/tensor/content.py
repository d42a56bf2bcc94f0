# SPDX-License-Identifier: Apache-2.0
"""Cost of a message with a tensor by plugin and middleware, beside floors and Wrapyfi."""

from __future__ import annotations

from dataclasses import dataclass, field

from wirecost.results.analysis.summary import Row
from wirecost.results.records.folder import Results
from wirecost.results.records.schemas.tensor import TensorMeta, TensorRun
from wirecost.results.report.scenarios import ScenarioContent
from wirecost.results.report.scenarios.tensor.advice import lead
from wirecost.results.report.scenarios.tensor.comparisons import Comparisons, beside
from wirecost.results.report.scenarios.tensor.contenders import (
    Group,
    StageShares,
    array_bytes,
    groups,
    in_process,
    ours_between,
    plugin_of,
    shape_of,
    shares_of,
)
from wirecost.results.report.scenarios.tensor.pairs import behind, differing, sent
from wirecost.results.report.scenarios.tensor.tables import (
    by_size,
    clocks,
    delivery,
    grid,
    objects,
    schedule,
    yardsticks,
)
from wirecost.results.report.shared import units
from wirecost.results.report.shared.answer import Answer
from wirecost.results.report.shared.races import by_race, stages_table
from wirecost.results.report.shared.table import Amount, Table, present

TITLE = "Tensors over middlewares"
FEW_SIZES = 3
"""Fewest sizes of a sweep: one table with a column for each size."""
MOST_LATE = 12
"""Runs with late messages that a terminal lists."""


@dataclass
class _Places:
    """Tables by where they are shown."""

    first: list[Table] = field(default_factory=list)
    folded: list[Table] = field(default_factory=list)
    details: list[Table] = field(default_factory=list)


def content(results: Results, rows: list[Row]) -> ScenarioContent:
    """Make the report. ``rows``: one for each case, contender, plugin and stage."""
    meta = results.meta_as(TensorMeta)
    totals = [row for row in rows if row.stage == "total"]
    shares = shares_of(results.samples)
    compared = Comparisons(results)
    places = _Places(folded=[delivery(meta, totals)])
    for group, here in groups(rows):
        _add_group(places, group, here, shares, compared)
    by_pair = sent(results)
    places.first += present(behind(by_pair))
    places.folded += present(clocks(meta, rows))
    late = schedule(meta)
    many_are_late = late is not None and len(late.rows) > MOST_LATE
    (places.details if many_are_late else places.folded).extend(present(late))
    places.details += present(differing(by_pair))
    answer = lead(results, rows, shares)
    return ScenarioContent(
        TITLE,
        answer,
        places.first,
        [*places.details, *(stages_table(here, race) for race, here in by_race(rows).items())],
        f"Listener and publisher ran with the {meta.gc}.",
        places.folded,
        first=Answer(answer, places.first[0], _steps(meta, totals))
        if answer and places.first
        else None,
    )


def _steps(meta: TensorMeta, totals: list[Row]) -> list[str]:
    """Say what was not measured, and what measures it."""
    if meta.pattern != "pubsub" or not totals:
        return []
    size = array_bytes(totals[-1])
    return [
        "Measured with one subscriber. For CPU time per message and more subscribers: `wirecost "
        f"bench transport --sizes {size} --subscribers 1,4`"
    ]


def _add_group(
    places: _Places, group: Group, rows: list[Row], shares: list[StageShares], compared: Comparisons
) -> None:
    """Add tables of each shape; of a sweep, tables by size instead."""
    shapes = list(dict.fromkeys(shape_of(row) for row in rows))
    is_sweep = len(shapes) > FEW_SIZES
    if is_sweep:
        places.first += _sizes(group.title, rows)
    for shape in shapes:
        here = [row for row in rows if shape_of(row) == shape]
        title = f"{shape} {group.title}, {units.size(array_bytes(here[0]))}"
        ratios = _yardsticks(title, here, compared)
        if is_sweep:
            places.details += ratios
            continue
        ours = ours_between(here)
        quickest = min(ours, key=lambda row: row.median_ns).contender if ours else ""
        places.first += present(
            grid(title, here) if ours else None,
            *ratios[:1],
            objects(group, shape, shares, quickest) if ours else None,
        )
        places.details += ratios[1:]


def _sizes(title: str, rows: list[Row]) -> list[Table]:
    fewest, most = min(row.n for row in rows), max(row.n for row in rows)
    floored = [
        (row, units.significant(floor.median))
        for row in rows
        if plugin_of(row) and (floor := row.ratio_floor)
    ]
    carried = [
        (row, Amount(units.significant(rate / 1e6), rate))
        for row in rows
        if (rate := row.run_as(TensorRun).bytes_per_s)
    ]
    messages = f"{fewest} to {most}" if fewest < most else f"{most}"
    tables = (
        by_size(f"Median by size · {title}", [(row, units.time(row.median_ns)) for row in rows],
                "Medians of the total, from the finished object to the received one."),
        by_size(f"p99 by size · {title}", [(row, units.time(row.p99_ns)) for row in rows],
                f"Estimates from {messages} messages each."),
        by_size(f"× raw by size · {title}", floored,
                "Ratio of medians to the bare library sending the same number of bytes.",
                bars=False),
        by_size(f"Throughput by size [MB/s] · {title}", carried,
                "Messages sent back to back; bytes counted as they arrived."),
    )  # fmt: skip
    return [table for table in tables if table.rows]


def _yardsticks(title: str, rows: list[Row], compared: Comparisons) -> list[Table]:
    """Return a table for each plugin, of what goes between processes; its floors are in all."""
    between = [row for row in rows if not in_process(row.contender)]
    tables = []
    for plugin in dict.fromkeys(plugin_of(row) for row in between if plugin_of(row)):
        here = [row for row in between if plugin_of(row) in {plugin, ""}]
        ratios = {row.contender: _beside_wrapyfi(row, here, compared) for row in here}
        tables.append(yardsticks(f"Ratios · {plugin} · {title}", here, ratios))
    return tables


def _beside_wrapyfi(row: Row, rows: list[Row], compared: Comparisons) -> str:
    other = beside(row, rows) if plugin_of(row) else None
    ratio = compared.ratio(row, other) if other and other != row.contender else None
    return units.quotient(ratio.value, ratio.low, ratio.high) if ratio else units.NONE
