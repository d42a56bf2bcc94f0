# SPDX-License-Identifier: Apache-2.0
"""Advice in a few sentences: which transport at which size, which object costs."""

from __future__ import annotations

import math

from wirecost.results.analysis.summary import Row
from wirecost.results.records.folder import Results
from wirecost.results.records.schemas.tensor import TensorMeta, TensorRun
from wirecost.results.report.scenarios import joined
from wirecost.results.report.scenarios.tensor.comparisons import Comparisons, beside
from wirecost.results.report.scenarios.tensor.contenders import (
    Group,
    StageShares,
    array_bytes,
    groups,
    ours_between,
    plugin_of,
    shape_of,
)
from wirecost.results.report.scenarios.tensor.tables import RAW_ROW
from wirecost.results.report.shared import units

MOST_ALIKE = 3
"""Transports that are named where none is surely quicker."""


def lead(results: Results, rows: list[Row], shares: list[StageShares]) -> str | None:
    """Say which transport to take, what objects cost, and what was lost."""
    parts: list[str | None] = []
    for group, totals in groups(rows):
        ours = ours_between(totals)
        if not ours:
            continue
        first = [row for row in ours if plugin_of(row) == plugin_of(ours[0])]
        sizes = sorted({array_bytes(row) for row in first})
        here = f" ({group.title})" if (group.dtype, group.pattern) != ("float64", "pubsub") else ""
        text = _by_size(first, sizes) if len(sizes) > 1 else _one_size(results, first, totals)
        parts += [f"{text}{here}.", _objects(group, ours, shares)]
    return joined(*parts, _lost(results))


def _alike(rows: list[Row]) -> list[Row]:
    """Return the quickest, then those whose interval begins below its own's end."""
    best = min(rows, key=lambda row: row.median_ns)
    others = [row for row in rows if row is not best and row.ci95_ns[0] <= best.ci95_ns[1]]
    return [best, *sorted(others, key=lambda row: row.median_ns)]


def _one_size(results: Results, rows: list[Row], totals: list[Row]) -> str:
    alike = _alike(rows)
    best = alike[0]
    names = " or ".join(row.contender for row in alike[:MOST_ALIKE])
    over = f" over {best.contender}" if len(alike) > 1 else ""
    take = f"Take {names} for" if len({row.contender for row in rows}) > 1 else f"{names} for"
    text = f"{take} {shape_of(best)} {best.run_as(TensorRun).dtype}: {plugin_of(best)}{over} takes "
    text += units.time(best.median_ns)
    if floor := best.ratio_floor:
        text += f", {units.significant(floor.median)} times {RAW_ROW}"
    other = beside(best, totals)
    ratio = Comparisons(results).ratio(best, other) if other else None
    if ratio and ratio.value > 0:
        text += f", 1/{1 / ratio.value:.0f} of {other}"
    return text


def _by_size(rows: list[Row], sizes: list[int]) -> str:
    """Name a transport for as many neighbouring sizes as no other is surely quicker at."""
    at = {(row.contender, array_bytes(row)): row for row in rows}
    parts = []
    remaining = sizes
    while remaining:
        able = {name for name, size in at if size == remaining[0]}
        run: list[int] = []
        for size in remaining:
            alike = {row.contender for row in _alike([r for r in rows if array_bytes(r) == size])}
            if not able & alike:
                break
            able &= alike
            run.append(size)
        chosen = min(able, key=lambda name: _slowness([at[name, size] for size in run]))
        parts.append(_clause([at[chosen, size] for size in run]))
        remaining = remaining[len(run) :]
    return f"Take {'; '.join(parts)}: none was certainly faster there"


def _slowness(rows: list[Row]) -> float:
    """Sum logarithms, so that every size counts the same."""
    return sum(math.log(max(row.median_ns, 1.0)) for row in rows)


def _clause(rows: list[Row]) -> str:
    ends = rows[:1] if len(rows) == 1 else [rows[0], rows[-1]]
    sizes = " to ".join(units.size(array_bytes(row)) for row in ends)
    times = " to ".join(units.time(row.median_ns) for row in ends)
    return f"{rows[0].contender} for {sizes} ({times})"


def _objects(group: Group, ours: list[Row], shares: list[StageShares]) -> str | None:
    """Say which part of the time is encoding and decoding, over the quickest transport."""
    quickest = min(ours, key=lambda row: row.median_ns)
    of_quickest = [
        share
        for share in shares
        if (share.group, share.shape, share.mware)
        == (group, shape_of(quickest), quickest.contender)
    ]
    if not of_quickest:
        return None
    least, most = (end(of_quickest, key=lambda share: share.coding_ns) for end in (min, max))
    several = len({shape_of(row) for row in ours}) > 1
    at = f" at {units.size(array_bytes(quickest))}" if several else ""
    cheap = (
        f"{100 * least.coding_share:.0f} % of the time is encoding and decoding for {least.plugin}"
    )
    if least is most:
        return f"Over {quickest.contender}{at}, {cheap}."
    return (
        f"Over {quickest.contender}{at}, {cheap} ({units.time(least.coding_ns)}), "
        f"{100 * most.coding_share:.0f} % for {most.plugin} ({units.time(most.coding_ns)}), which "
        "costs most: send its numbers as an array where it matters."
    )


def _lost(results: Results) -> str | None:
    lost: dict[str, int] = {}
    for run in results.meta_as(TensorMeta).runs:
        if run.lost and run.asked_rate:
            lost[run.contender] = lost.get(run.contender, 0) + run.lost
    counts = ", ".join(f"{name} {count:,}" for name, count in lost.items())
    return f"Messages were lost by {counts}." if counts else None
