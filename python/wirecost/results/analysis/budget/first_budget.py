# SPDX-License-Identifier: Apache-2.0
"""A first budget from a good run, with margins from how much parts of the run differ."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence

import numpy as np
import polars as pl

from wirecost.results.analysis.budget.budget import (
    COUNTERS,
    FORBIDDEN,
    FUNCTION,
    REAL_TIME,
    SECTION,
    Line,
)
from wirecost.results.analysis.budget.verdicts import MET, share_verdict, warm
from wirecost.results.analysis.probe_sections import executions, turnarounds
from wirecost.results.records.probe_log import COUNTER
from wirecost.system.durations import nanoseconds
from wirecost.system.errors import UserError

PARTS = 10
LEAST_MARGIN = 0.5
"""Share of a percentile: processes differ more than the parts of one."""
PERCENTS = (50.0, 99.0, 99.9)
LONGEST_AFTER_S = 2.0
BY_MACHINE = ("context-switches", "cpu-migrations", "run-queue-wait-ns", "blocked-ns")
"""Counters that other programs raise, so that no run says how far."""


def first_budget(events: pl.DataFrame, functions: Sequence[str] = ()) -> str:
    """Return a budget file of every section, and of the calls of functions of these patterns.

    Raises UserError where there is none.
    """
    if turnarounds(executions(events)).is_empty():
        raise UserError("no section was recorded; record a good run with wirecost probe run --out")
    after_s = _after_s(events)
    executed = turnarounds(executions(warm(events, after_s * 1e9)))
    lines = [
        "# First budget, from one good run. Beside each limit: what the run had.",
        f"# Percentiles: the greatest of {PARTS} parts of the run, and above it as much as the",
        f"# parts differ, at least {100 * LEAST_MARGIN:.0f} %. Counts: in any one execution; where",
        "# they vary, above the most as much as they do.",
        f'after = "{_digits(after_s)}s"  # warm-up, which is not judged',
    ]
    tables: dict[str, list[pl.DataFrame]] = {}
    for (section,), rows in executed.group_by(["section"], maintain_order=True):
        tables.setdefault(_heading(str(section), functions), []).append(rows)
    for heading, parts in tables.items():
        rows = pl.concat(parts)
        lines += ["", heading]
        lines += _times(rows["ns"].cast(pl.Float64).to_numpy())
        is_real_time = all(_most(name, rows) == 0 for name in FORBIDDEN)
        lines += [f"{REAL_TIME} = true  # no allocation, wait, system call or fault"] * is_real_time
        counters = (name for name in COUNTERS if not (is_real_time and name in FORBIDDEN))
        lines += [line for name in counters for line in _count(name, rows)]
    return "\n".join(lines) + "\n"


def _heading(section: str, functions: Sequence[str]) -> str:
    """Return the table's name: a pattern that means the function again, or the section's name."""
    lines = (Line(FUNCTION, pattern, REAL_TIME, 0) for pattern in functions)
    if not any(line.limits(section) for line in lines):
        return f"[{SECTION}.{json.dumps(section, ensure_ascii=False)}]"
    # A log cuts long names, and numbers what has the same name.
    pattern = re.sub(r"#\d+$", "", section.replace("...", "*"))
    return f"[{FUNCTION}.{json.dumps(pattern, ensure_ascii=False)}]"


def _after_s(events: pl.DataFrame) -> float:
    begin = pl.col("begin_ns").cast(pl.Float64)
    spans = events.group_by("process").agg(ns=begin.max() - begin.min())["ns"]
    tenth = float(min(spans.to_list())) / 1e10
    return min(LONGEST_AFTER_S, max(1e-9, tenth))


def _times(ns: np.ndarray[tuple[int], np.dtype[np.float64]]) -> list[str]:
    lines = []
    for percent in PERCENTS:
        parts = [np.percentile(part, percent) for part in np.array_split(ns, PARTS) if len(part)]
        high = float(max(parts))
        limit = _time(high + max(high - float(min(parts)), LEAST_MARGIN * high))
        above = int((ns > nanoseconds("limit", limit)).sum())
        verdict, needed = share_verdict(above, len(ns), 1 - percent / 100)
        had = f"{_time(float(np.percentile(ns, percent)))} of {len(ns):,}"
        if verdict == MET:
            lines.append(f'"p{percent:g}" = "{limit}"  # {had}')
        else:
            lines.append(
                f"# p{percent:g}: {needed or len(ns):,} executions would be enough; not {had}"
            )
    lines.append(f'# max = "1ms"  # from your deadline: the longest took {_time(float(ns.max()))}')
    return lines


def _counted(name: str, rows: pl.DataFrame) -> pl.Series:
    column = COUNTER + name
    return rows[column].drop_nulls() if column in rows.columns else pl.Series([], dtype=pl.UInt64)


def _most(name: str, rows: pl.DataFrame) -> int | None:
    values = _counted(name, rows)
    return None if values.is_empty() else int(values.to_numpy().max())


def _count(name: str, rows: pl.DataFrame) -> list[str]:
    values = _counted(name, rows)
    if values.is_empty():
        return []
    least, most = (int(value) for value in (values.to_numpy().min(), values.to_numpy().max()))
    text = f"{name} = {most + (most - least)}  # {least} to {most}"
    return [f"# {text}; other programs raise it" if name in BY_MACHINE else text]


def _time(ns: float) -> str:
    """Return a time of two digits, not less."""
    digits = 10.0 ** (math.floor(math.log10(ns)) - 1) if ns > 0 else 1.0
    rounded = max(1, math.ceil(round(ns / digits, 9)) * digits)
    unit, factor = next(
        (pair for pair in (("s", 1e9), ("ms", 1e6), ("us", 1e3)) if rounded >= pair[1]), ("ns", 1.0)
    )
    return f"{_digits(rounded / factor)}{unit}"


def _digits(value: float) -> str:
    return f"{value:.3g}"
