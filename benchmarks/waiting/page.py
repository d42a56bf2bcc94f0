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
        "    python -m benchmarks.waiting    # in a checkout",
        "",
        f"**{met} of {len(results)} commands answer within their goals.** Seconds are medians of "
        f"{RUNS} runs with cached bytecode, of `bench message` until its first table on a terminal"
        "; callgrind counts millions of instructions of a command's first process. "
        f"{machine_name()}, load {os.getloadavg()[1]:.1f}.",
        "",
        "| command | elapsed | goal | CPU | instructions | other tool: elapsed, instructions |",
        "|---|---|---|---|---|---|",
        *map(_line, results),
        "",
        *(f"- {result.row.work}: {result.missed_by}" for result in results if not result.is_met),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _line(result: Result) -> str:
    row, own, peer = result.row, result.own, result.peer
    other = (
        f"{Path(row.peer[0]).name}: {_number(peer.elapsed_s)}, {_millions(peer)}" if peer else "–"
    )
    return (
        f"| {row.work} | {_number(own.elapsed_s)} | {row.goal_s:g} | {_number(own.processor_s)} "
        f"| {_millions(own)} | {other} |"
    )


def _millions(waited: Waited) -> str:
    return f"{waited.instructions / 1e6:,.0f}" if waited.instructions is not None else "–"


def _number(seconds: float) -> str:
    return f"{seconds:.3f}" if seconds < 0.1 else f"{seconds:.2f}"
