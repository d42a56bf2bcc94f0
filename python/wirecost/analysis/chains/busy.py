# SPDX-License-Identifier: Apache-2.0
"""What each thread ran when: sorted once, searched for each wait."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

Times = NDArray[np.int64]


@dataclass(frozen=True)
class BusyThread:
    """The outermost sections of one thread by their begin; all arrays have the shape (sections,).
    Times are nanoseconds of CLOCK_MONOTONIC."""

    begin_ns: Times
    end_ns: Times
    latest_ns: Times
    """The latest end of the sections up to each, so that it never falls."""
    sections: list[str]

    def during(self, begin_ns: int, end_ns: int) -> dict[str, int]:
        """How long each section ran from ``begin_ns`` to ``end_ns``, in nanoseconds."""
        first = int(np.searchsorted(self.latest_ns, begin_ns, side="right"))
        last = int(np.searchsorted(self.begin_ns, end_ns, side="left"))
        ran: dict[str, int] = {}
        for at in range(first, last):
            begin, end = int(self.begin_ns[at]), int(self.end_ns[at])
            if end > begin_ns:
                overlap = min(end, end_ns) - max(begin, begin_ns)
                ran[self.sections[at]] = ran.get(self.sections[at], 0) + overlap
        return ran


def busy_threads(events: pl.DataFrame) -> dict[tuple[Any, ...], BusyThread]:
    """By process and thread."""
    outermost = events.filter(pl.col("kind") == "section", pl.col("depth") == 0).sort("begin_ns")
    return {
        key: BusyThread(
            rows["begin_ns"].to_numpy(),
            rows["end_ns"].to_numpy(),
            rows["end_ns"].cum_max().to_numpy(),
            rows["section"].to_list(),
        )
        for key, rows in outermost.group_by("process", "thread", maintain_order=True)
    }
