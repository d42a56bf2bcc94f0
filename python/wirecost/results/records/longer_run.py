# SPDX-License-Identifier: Apache-2.0
"""Run of ``bench transport`` that is long enough for a 99th percentile."""

from __future__ import annotations

import math
from typing import NamedTuple

ENOUGH = 990
"""Arrivals, about 1,000, from which on a 99th percentile says something."""
TAIL_MESSAGES = 1000
"""Arrivals that are asked for where a 99th percentile is wanted."""
MOST_SECONDS = 600
"""Longest time of a process that ``--seconds`` takes."""


class LongerRun(NamedTuple):
    """A run of more messages. ``option``: of the command line, by which it differs."""

    seconds: float
    processes: int
    option: str


def run_for_tail(seconds: float, processes: int, arrivals: float) -> LongerRun | None:
    """Return the run that has a 99th percentile; None where this one has it, or nothing arrives.

    ``arrivals``: of the run of so many seconds and processes.
    """
    if not 0 < arrivals < ENOUGH:
        return None
    longer = math.ceil(seconds * TAIL_MESSAGES / arrivals)
    if longer <= MOST_SECONDS:
        return LongerRun(longer, processes, f"--seconds {longer}")
    more = math.ceil(processes * TAIL_MESSAGES / arrivals)
    return LongerRun(seconds, more, f"--processes {more}")
