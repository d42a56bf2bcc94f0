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
    """Processor time of a reader: median, and largest less smallest; its other needs."""

    cpu_ms: float
    spread_ms: float
    wall_ms: float
    peak_mb: float


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
        f"**{met} of {len(reached)} goals are met.** A goal is how many times our CPU time another "
        "reader takes; the floor's is ours by its own, at most.",
        "",
        "| recording | compared with | goal | reached | |",
        "|---|---|---|---|---|",
        *map(_goal_line, reached),
        "",
        f"Machine: {machine_name()}; load {os.getloadavg()[1]:.1f}. CPU time of one reading: "
        "median, and largest less smallest, of up to five processes in turn. MCAP, compressed by "
        "zstd. `floor` copies fields whose places it knows; `rerun` writes its columns to a file; "
        "the others decode to objects of Python.",
        "",
        "| recording | reader | CPU ms | ± | of ours | wall ms | peak MB |",
        "|---|---|---|---|---|---|---|",
        *_reader_lines(rows),
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
    goal, times = each.goal.times, each.times
    numbers = f"≥ {goal:.2g} × | {times:.2g} ×"
    if each.other == FLOOR:
        numbers = f"≤ {1 / goal:.2g} × | {1 / times:.2g} ×"
    said = "" if each.is_met else "missed"
    return f"| {each.goal.file} | {each.other} | {numbers} | {said} |"


def _reader_lines(rows: Rows) -> list[str]:
    """Return a line for each reader; files that another reads faster come first."""
    best = {
        name: min(row.cpu_ms for reader, row in of.items() if reader != OURS) / of[OURS].cpu_ms
        for name, of in rows.items()
        if len(of) > 1 and OURS in of
    }
    lines = []
    for name in sorted(best, key=lambda name: best[name]):
        ours = rows[name][OURS].cpu_ms
        about = f"{FILES[name].messages:,} × {name}"
        for reader, row in sorted(rows[name].items(), key=lambda item: item[1].cpu_ms):
            lines.append(
                f"| {about} | {reader} | {row.cpu_ms:,.0f} | {row.spread_ms:,.0f} | "
                f"{row.cpu_ms / ours:.2g} | {row.wall_ms:,.0f} | {row.peak_mb:,.0f} |"
            )
            about = ""
    return lines
