# SPDX-License-Identifier: Apache-2.0
"""Advice about a number that takes time, in one sentence."""

from __future__ import annotations

from collections.abc import Collection

from wirecost.results.analysis.causes.kinds import kind_of

WAITED = "run-queue-wait-ns"
WAITS = (WAITED, "blocked-ns")
OF_FAULTS = (
    "reuse buffers touched before (a fault of a huge page, 2 MiB, costs far more than of 4 KiB)"
)


def advice_for(name: str, comes_with: bool, counted: Collection[str]) -> str:
    """Advise.

    ``comes_with``: the price is of something that comes with the event, so having fewer events may
    gain nothing. ``counted``: the numbers that were recorded.
    """
    if not comes_with:
        return kind_of(name).advice
    if kind_of(name).unit == "fault":
        return OF_FAULTS
    if seen := [wait for wait in WAITS if wait in counted]:
        return f"compare with {' and '.join(seen)}"
    return f"probably waiting, which was not counted ({WAITED})"
