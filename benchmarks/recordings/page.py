# SPDX-License-Identifier: Apache-2.0
"""The page ``docs/results/recordings.md``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from wirecost.measure.cost.prices import machine_name

from .files import FILES

PAGE = Path(__file__).parents[2] / "docs" / "results" / "recordings.md"
OURS, FLOOR, RERUN = "wirecost", "floor", "rerun"


class Measured(NamedTuple):
    """CPU time of a reader: median, and largest less smallest."""

    cpu_ms: float
    spread_ms: float


Rows = Mapping[str, Mapping[str, Measured]]
"""By file and reader."""


class Goal(NamedTuple):
    """``others``: readers of which the best is compared, none for all that decode to objects."""

    file: str
    others: tuple[str, ...]
    times: float


GOALS = (
    Goal("Imu", (FLOOR,), 1 / 1.5),
    Goal("Imu", (RERUN,), 3),
    Goal("Imu", (), 15),
    *(Goal(name, (RERUN,), 5) for name in ("PointCloud2", "Path", "MarkerArray")),
    *(Goal(name, (), 5) for name in ("PointCloud2", "Path", "MarkerArray")),
)


class Reached(NamedTuple):
    """A goal, the reader that it compares with, and that one's time by ours."""

    goal: Goal
    other: str
    times: float

    @property
    def is_met(self) -> bool:
        return self.times >= self.goal.times


def text(rows: Rows) -> str:
    """Return the page: what loses comes first."""
    reached = sorted(filter(None, (_reached(goal, rows) for goal in GOALS)), key=_margin)
    met = sum(each.is_met for each in reached)
    lines = [
        "# What reading a recording as columns costs",
        "",
        "    python -m benchmarks.recordings PYTHON    # in a checkout; PYTHON has the others",
        "",
        f"**{met} of {len(reached)} goals are met**: other readers' CPU time by wirecost's, and "
        "wirecost's by that of `floor`, which knows where all values are.",
        "",
        "```",
        *map(_goal_line, reached),
        "```",
        "",
        "CPU ms ± range of up to three processes. MCAP with zstd. `rerun` writes its columns to a "
        "file; others make objects of Python, with a cloud's points as bytes. "
        f"{machine_name()}; load {os.getloadavg()[1]:.1f}.",
        "",
        "```text",
        *_reader_lines(rows),
        "```",
    ]
    return "\n".join(lines) + "\n"


def _reached(goal: Goal, rows: Rows) -> Reached | None:
    of_file = rows.get(goal.file, {})
    decoding = set(of_file) - {OURS, FLOOR, RERUN}
    others = [name for name in goal.others or decoding if name in of_file]
    if OURS not in of_file or not others:
        return None
    best = min(others, key=lambda name: of_file[name].cpu_ms)
    return Reached(goal, best, of_file[best].cpu_ms / of_file[OURS].cpu_ms)


def _margin(each: Reached) -> float:
    return each.times / each.goal.times


def _goal_line(each: Reached) -> str:
    goal, times, sign = each.goal.times, each.times, "≥"
    if each.other == FLOOR:
        goal, times, sign = 1 / goal, 1 / times, "≤"
    said = "" if each.is_met else "missed"
    line = f"{each.goal.file:<12}{each.other:<24}{times:>5.2g}  {sign} {goal:<4.2g} {said}"
    return line.rstrip()


def _reader_lines(rows: Rows) -> list[str]:
    """Return a line for each reader; the file that another reads fastest comes first."""
    best = {
        name: min(row.cpu_ms for reader, row in of.items() if reader != OURS) / of[OURS].cpu_ms
        for name, of in rows.items()
        if len(of) > 1 and OURS in of
    }
    files = sorted(best, key=lambda name: best[name])
    readers = dict.fromkeys(
        reader
        for name in files
        for reader, _ in sorted(rows[name].items(), key=lambda item: item[1].cpu_ms)
    )
    titles = [f"{FILES[name].messages:,} {name}" for name in files]
    cells = {"": titles} | {
        reader: [_cell(rows[name].get(reader)) for name in files] for reader in readers
    }
    return [
        f"{reader:<22}"
        + "".join(f" {cell:>{len(title)}}" for cell, title in zip(of, titles, strict=True))
        for reader, of in cells.items()
    ]


def _cell(row: Measured | None) -> str:
    return "–" if row is None else f"{row.cpu_ms:,.0f}±{row.spread_ms:,.0f}"
