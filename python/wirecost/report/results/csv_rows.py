# SPDX-License-Identifier: Apache-2.0
"""The summary rows as CSV, for other tools."""

from __future__ import annotations

import csv
import io
from typing import Any

from wirecost.analysis.race import Ratio
from wirecost.analysis.summary import Row

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a formula of a spreadsheet begins with."""


def csv_text(rows: list[Row]) -> str:
    """All rows with plain numbers, for other tools."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = [
        "case", "contender", "variant", "build", "fmi", "stage", "n",
        "median_ns", "p5_ns", "p95_ns", "p99_ns",
    ]  # fmt: skip
    # Behind what older readers know; the names are the format's.
    counted = ["allocations", "instructions"]
    parts = ("to", "median", "low", "high")
    writer.writerow(
        [*names, "ci95_low_ns", "ci95_high_ns", "bytes", "digest"]
        + [f"{r}_{part}" for r in ("ratio", "ratio_best") for part in parts]
        + ["lang", "mode", *counted]
        + [f"ratio_sceptic_{part}" for part in parts]
        + ["processes"]
    )
    for row in rows:
        cells: list[Any] = [getattr(row, name) for name in names]
        cells += [*row.ci95_ns, row.bytes, row.digest]
        cells += [*_ratio_cells(row.ratio), *_ratio_cells(row.ratio_best)]
        cells += [row.lang, row.mode, *(row.facts.get(name) for name in counted)]
        cells += [*_ratio_cells(row.ratio_best_codec), row.processes]
        writer.writerow([_no_formula(cell) for cell in cells])
    return out.getvalue()


def _ratio_cells(ratio: Ratio | None) -> list[Any]:
    return [ratio.to, ratio.median, *ratio.ci95] if ratio else [None] * 4


def _no_formula(cell: Any) -> Any:
    """Text that a spreadsheet would take for a formula, as text: names come from files."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell
