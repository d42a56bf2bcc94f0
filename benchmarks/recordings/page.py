# SPDX-License-Identifier: Apache-2.0
"""The page ``docs/results/recordings.md``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from wirecost.measure.cost.prices import machine_name

from .files import FILES

PAGE = Path(__file__).parents[2] / "docs" / "results" / "recordings.md"
OURS = "wirecost"
Rows = Mapping[str, Mapping[str, Mapping[str, float]]]


def write_page(rows: Rows) -> None:
    """Write the page, and print its sentence."""
    sentence = "; ".join(filter(None, (_sentence(name, of) for name, of in rows.items())))
    lines = [
        "# A recording as columns",
        "",
        "    .venv/bin/python -m benchmarks.recordings PYTHON-WITH-OTHERS",
        "",
        f"Machine: {machine_name()}; load {os.getloadavg()[1]:.1f}. Processor time of a process "
        "that has read the file once before: median, and largest less smallest, of several runs "
        "in turn. Files are MCAP, compressed by zstd.",
        "",
        f"**{sentence}.**",
        "",
        "`floor` unpacks and copies fields whose places it knows beforehand. `wirecost` and "
        "`rerun` make columns of all fields, `rerun` writes them to a file as well; the others "
        "decode to objects of Python.",
    ]
    for name, of_file in rows.items():
        about = FILES[name]
        lines += ["", f"## {about.messages:,} × {about.type}", "", *_table(of_file)]
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(sentence)


def _table(rows: Mapping[str, Mapping[str, float]]) -> list[str]:
    ours = rows[OURS]["cpu_ms"]
    ordered = sorted(rows.items(), key=lambda row: row[1]["cpu_ms"])
    return [
        "| reader | CPU ms | ± | of wirecost's | wall ms | peak MB |",
        "|---|---|---|---|---|---|",
        *(
            f"| {name} | {row['cpu_ms']:,.0f} | {row['spread_ms']:,.0f} | "
            f"{row['cpu_ms'] / ours:.2g} | {row['wall_ms']:,.0f} | {row['peak_mb']:,.0f} |"
            for name, row in ordered
        ),
    ]


def _sentence(name: str, rows: Mapping[str, Mapping[str, float]]) -> str:
    """Return how much longer the best other reader takes, but for the floor."""
    others = {key: row["cpu_ms"] for key, row in rows.items() if key not in (OURS, "floor")}
    if OURS not in rows or not others:
        return ""
    best = min(others, key=lambda key: others[key])
    return (
        f"{name}: {best}, the best other reader, takes {others[best] / rows[OURS]['cpu_ms']:.2g} ×"
    )
