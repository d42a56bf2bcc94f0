# SPDX-License-Identifier: Apache-2.0
"""Summary rows as ``report.csv`` has them, read back."""

from __future__ import annotations

import csv
from pathlib import Path

from wirecost.results.analysis.race import Ratio
from wirecost.results.analysis.summary import Row
from wirecost.results.records.schemas.common import Run


def read_rows(path: Path) -> list[Row]:
    with path.open(newline="") as file:
        return [_row(cells) for cells in csv.DictReader(file)]


def _row(cells: dict[str, str]) -> Row:
    return Row(
        case=cells["case"],
        contender=cells["contender"],
        variant=cells["variant"],
        build=cells["build"],
        fmi=int(cells["fmi"]) if cells["fmi"] else None,
        stage=cells["stage"],
        n=int(cells["n"]),
        processes=int(cells["processes"]),
        median_ns=float(cells["median_ns"]),
        p5_ns=float(cells["p5_ns"]),
        p95_ns=float(cells["p95_ns"]),
        p99_ns=float(cells["p99_ns"]),
        ci95_ns=(float(cells["ci95_low_ns"]), float(cells["ci95_high_ns"])),
        bytes=int(cells["bytes"]),
        digest=cells["digest"],
        ratio=_ratio(cells, "ratio"),
        ratio_best=_ratio(cells, "ratio_best"),
        ratio_best_codec=_ratio(cells, "ratio_sceptic"),
        lang=cells["lang"],
        mode=cells["mode"],
        run=Run(
            case=cells["case"],
            variant=cells["variant"],
            build=cells["build"],
            contender=cells["contender"],
            failure=None,
        ),
        p999_ns=float(cells["p99_ns"]),
        max_ns=float(cells["p99_ns"]),
    )


def _ratio(cells: dict[str, str], name: str) -> Ratio | None:
    if not cells[f"{name}_to"]:
        return None
    median, low, high = (float(cells[f"{name}_{part}"]) for part in ("median", "low", "high"))
    return Ratio(cells[f"{name}_to"], median, (low, high))
