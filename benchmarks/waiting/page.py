# SPDX-License-Identifier: Apache-2.0
"""The page ``docs/results/waiting.md``: each command beside its goal and another tool."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wirecost.measure.cost.prices import machine_name

from .rows import Row
from .runs import RUNS, Waited

PAGE = Path(__file__).parents[2] / "docs" / "results" / "waiting.md"


@dataclass(frozen=True)
class Result:
    """A row as it was measured; ``missed_by``: what takes the time where the goal is missed."""

    row: Row
    own: Waited
    peer: Waited | None
    missed_by: str = ""

    @property
    def is_met(self) -> bool:
        return self.own.elapsed_s <= self.row.goal_s


def text(results: Sequence[Result]) -> str:
    """Return the page."""
    met = sum(result.is_met for result in results)
    lines = [
        "# How long you wait for an answer",
        "",
        "    make results",
        "",
        f"**{met} of {len(results)} commands answer within their goals.**",
        "",
        f"Machine: {machine_name()}; load {os.getloadavg()[1]:.1f}. Times are medians of {RUNS} "
        "runs. The elapsed times of `bench message` end with its first table on a terminal. "
        "Processor times are those of all processes of a command; instructions are those of its "
        "first process, counted by callgrind.",
        "",
        "| command | elapsed | goal | processor | instructions | other tool | elapsed | processor "
        "| instructions |",
        "|---|---|---|---|---|---|---|---|---|",
        *map(_line, results),
    ]
    missed = [result for result in results if not result.is_met]
    if missed:
        lines += ["", "## Goals that are missed", ""]
        lines += [f"- {result.row.work}: {result.missed_by}." for result in missed]
    return "\n".join(lines) + "\n"


def _line(result: Result) -> str:
    row, own = result.row, result.own
    peer = Path(row.peer[0]).name if row.peer else "–"
    return (
        f"| {row.work} | {_seconds(own.elapsed_s)} | {row.goal_s:g} s | {_counts(own)} | {peer} | "
        f"{_seconds(result.peer.elapsed_s) if result.peer else '–'} | {_counts(result.peer)} |"
    )


def _counts(waited: Waited | None) -> str:
    """Return processor time and instructions, as two cells."""
    if waited is None:
        return "– | –"
    count = waited.instructions
    millions = f"{count / 1e6:,.0f} million" if count is not None else "–"
    return f"{_seconds(waited.processor_s)} | {millions}"


def _seconds(seconds: float) -> str:
    return f"{seconds:.3f} s" if seconds < 0.1 else f"{seconds:.2f} s"
