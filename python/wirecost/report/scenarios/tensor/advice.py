# SPDX-License-Identifier: Apache-2.0
"""What to do next, in a few sentences: which transport at which size, which object costs."""

from __future__ import annotations

import math

from wirecost.analysis.summary import Row
from wirecost.records.folder import Results
from wirecost.report.scenarios.tensor.comparisons import Comparisons, beside
from wirecost.report.scenarios.tensor.contenders import (
    Group,
    array_bytes,
    floor_ratio,
    groups,
    plugin_of,
    shape_of,
)
from wirecost.report.scenarios.tensor.shares import Shares
from wirecost.report.scenarios.tensor.tables import coding, ours_between, share
from wirecost.report.shared import units

MOST_ALIKE = 3
"""Transports that are named where none is surely quicker."""


def lead(results: Results, rows: list[Row], shares: list[Shares]) -> str | None:
    parts = []
    for group, totals in groups(rows):
        ours = ours_between(totals)
        plugins = list(dict.fromkeys(plugin_of(row) for row in ours))
        if not ours:
            continue
        first = [row for row in ours if plugin_of(row) == plugins[0]]
        sizes = sorted({array_bytes(row) for row in first})
        here = f" ({group.title})" if (group.dtype, group.pattern) != ("float64", "pubsub") else ""
        if len(sizes) > 1:
            parts.append(_by_size(first, sizes) + here + ".")
        else:
            parts.append(_one_size(results, first, totals) + here + ".")
        parts += filter(None, [_objects(group, ours, shares)])
    lost = _lost(results)
    return " ".join([*parts, *([lost] if lost else [])]) or None


def _alike(rows: list[Row]) -> list[Row]:
    """The quickest, then those whose interval begins below its own's end."""
    best = min(rows, key=lambda row: row.median_ns)
    others = [row for row in rows if row is not best and row.ci95_ns[0] <= best.ci95_ns[1]]
    return [best, *sorted(others, key=lambda row: row.median_ns)]


def _one_size(results: Results, rows: list[Row], totals: list[Row]) -> str:
    alike = _alike(rows)
    best = alike[0]
    names = " or ".join(row.contender for row in alike[:MOST_ALIKE])
    over = f" over {best.contender}" if len(alike) > 1 else ""
    take = f"Take {names} for" if len({row.contender for row in rows}) > 1 else f"{names} for"
    text = f"{take} {shape_of(best)} {best.facts['dtype']}: {plugin_of(best)}{over} takes "
    text += units.time(best.median_ns)
    if floor := floor_ratio(best):
        text += f", {units.significant(floor.median)} times {floor.to}"
    other = beside(best, totals)
    found = Comparisons(results).ratio(best, other) if other else None
    if found and found.value > 0:
        text += f", 1/{1 / found.value:.0f} of {other}"
    return text


def _by_size(rows: list[Row], sizes: list[int]) -> str:
    """A transport for as many neighbouring sizes as no other is surely quicker at."""
    at = {(row.contender, array_bytes(row)): row for row in rows}
    parts = []
    left = sizes
    while left:
        able = {name for name, size in at if size == left[0]}
        run: list[int] = []
        for size in left:
            alike = {row.contender for row in _alike([r for r in rows if array_bytes(r) == size])}
            if not able & alike:
                break
            able &= alike
            run.append(size)
        chosen = min(able, key=lambda name: _slowness([at[name, size] for size in run]))
        parts.append(_clause([at[chosen, size] for size in run]))
        left = left[len(run) :]
    return f"Take {'; '.join(parts)}: none was surely quicker there"


def _slowness(rows: list[Row]) -> float:
    """Every size counts the same."""
    return sum(math.log(max(row.median_ns, 1.0)) for row in rows)


def _clause(rows: list[Row]) -> str:
    ends = rows[:1] if len(rows) == 1 else [rows[0], rows[-1]]
    sizes = " to ".join(units.size(array_bytes(row)) for row in ends)
    times = " to ".join(units.time(row.median_ns) for row in ends)
    return f"{rows[0].contender} for {sizes} ({times})"


def _objects(group: Group, ours: list[Row], shares: list[Shares]) -> str | None:
    """Part of the time that is encoding and decoding, over the quickest transport."""
    quickest = min(ours, key=lambda row: row.median_ns)
    mine = [
        one
        for one in shares
        if (one.group, one.shape, one.mware) == (group, shape_of(quickest), quickest.contender)
    ]
    if not mine:
        return None
    least, most = min(mine, key=coding), max(mine, key=coding)
    several = len({shape_of(row) for row in ours}) > 1
    at = f" at {units.size(array_bytes(quickest))}" if several else ""
    cheap = f"{100 * share(least):.0f} % of the time is encoding and decoding for {least.plugin}"
    if least is most:
        return f"Over {quickest.contender}{at}, {cheap}."
    return (
        f"Over {quickest.contender}{at}, {cheap} ({units.time(coding(least))}), "
        f"{100 * share(most):.0f} % for {most.plugin} ({units.time(coding(most))}), "
        "which costs most: send its numbers as an array where it matters."
    )


def _lost(results: Results) -> str | None:
    runs = [run for run in results.meta["runs"] if run["lost"] and run["asked_rate"]]
    lost: dict[str, int] = {}
    for run in runs:
        lost[run["contender"]] = lost.get(run["contender"], 0) + run["lost"]
    counts = ", ".join(f"{name} {count:,}" for name, count in lost.items())
    return f"Messages were lost by {counts}." if counts else None
