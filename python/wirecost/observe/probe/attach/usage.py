# SPDX-License-Identifier: Apache-2.0
"""Use of the processor by the threads of a process between samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import polars as pl

from wirecost.observe.probe.attach.threads import COUNTS, Sample


@dataclass(frozen=True)
class Usage:
    """One thread, while it was seen. Shares are of that time; numbers are per second.

    ``busiest``: the largest share of one interval that it ran."""

    thread: int
    name: str
    seconds: float
    running: float
    waiting: float
    busiest: float
    minor_faults: float
    major_faults: float
    voluntary_switches: float
    involuntary_switches: float


def table(samples: Sequence[Sample]) -> pl.DataFrame:
    """Return one row per interval of a thread: begin and end by CLOCK_MONOTONIC, and its counts.

    A thread that begins between two samples is counted from the second one.
    """
    rows = [
        (
            number, now.name, before.time_ns, after.time_ns,
            *(getattr(now, count) - getattr(before.threads[number], count) for count in COUNTS),
        )
        for before, after in pairwise(samples)
        for number, now in after.threads.items()
        if number in before.threads
    ]  # fmt: skip
    names = ("thread", "name", "begin_ns", "end_ns", *COUNTS)
    kinds = {name: pl.String if name == "name" else pl.Int64 for name in names}
    return pl.DataFrame(rows, schema=kinds, orient="row")


def usages(intervals: pl.DataFrame) -> list[Usage]:
    """Return usages, those of the threads that ran or waited most first."""
    threads = []
    for (thread, name), rows in intervals.group_by("thread", "name", maintain_order=True):
        lengths = rows["end_ns"] - rows["begin_ns"]
        whole = int(lengths.sum())
        rates = {
            count: int(rows[count].sum()) * 1e9 / whole
            for count in (
                "minor_faults", "major_faults", "voluntary_switches", "involuntary_switches",
            )
        }  # fmt: skip
        threads.append(
            Usage(
                thread=int(str(thread)),
                name=str(name),
                seconds=whole / 1e9,
                running=int(rows["running_ns"].sum()) / whole,
                waiting=int(rows["waiting_ns"].sum()) / whole,
                busiest=float((rows["running_ns"] / lengths).max() or 0.0),  # type: ignore[arg-type]
                **rates,
            )
        )
    return sorted(threads, key=lambda thread: -(thread.running + thread.waiting))
