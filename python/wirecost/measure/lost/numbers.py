# SPDX-License-Identifier: Apache-2.0
"""Numbers that are missing between those of the messages that came."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from wirecost.data.recordings.clock import FASTEST_HZ

Column = npt.NDArray[np.int64]

MOST_BACK = 0.1
"""Share of steps down above which numbers do not count messages."""
LEAST_UP = 0.5
THINNED, LEAST_THINNED = 0.9, 20
"""Share of equal steps, and number of steps, by which every n-th message alone was passed on."""
SOON, FASTER = 1000, 10
"""A step is no loss but a new start of the numbers where it is larger than this, and than so many
times the messages that the publisher usually sends in that time."""


@dataclass(frozen=True)
class MissingNumbers:
    """Places without a number, each between two messages; ``counts``: of missing messages.

    ``restarts``: messages with which the numbers begin anew; ``unit``: the usual step, 2 where
    every other message was passed on; ``per_s``: numbers per second.
    """

    before: Column
    after: Column
    counts: Column
    restarts: Column
    unit: int
    per_s: float

    def step(self, messages: int) -> int:
        """Return by how much numbers grow with a message where hardly any grows by one, else 1."""
        if self.unit > 1 or len(self.counts) < LEAST_THINNED:
            return self.unit
        return 1 + int(np.median(self.counts)) if len(self.counts) >= THINNED * messages else 1


def missing_numbers(numbers: Column, bits: int, times: Column) -> MissingNumbers | None:
    """Return what is missing; None where the numbers do not count messages.

    Messages that came in another order are put in order, so they are not missing.
    """
    if len(numbers) < 2:
        return None
    steps = _wrapped(np.diff(numbers), bits)
    if (steps < 0).mean() > MOST_BACK or (steps > 0).mean() < LEAST_UP:
        return None
    unit = _unit(steps)
    intervals = np.maximum(np.diff(times), 0)
    is_later = (steps > 0) & (intervals > 0)
    usual = float(np.median(steps[is_later] / intervals[is_later])) if is_later.any() else 0.0
    if usual * 1e9 > FASTEST_HZ:
        return None
    places = np.concatenate(([0], np.cumsum(steps)))
    renumbered = steps > SOON + FASTER * usual * intervals
    runs, restarts = _runs(places, steps, renumbered)
    order = np.lexsort((places, runs))
    counts = np.where(np.diff(runs[order]) == 0, np.diff(places[order]) // unit - 1, 0)
    at = np.flatnonzero(counts > 0)
    return MissingNumbers(
        before=order[:-1][at],
        after=order[1:][at],
        counts=counts[at],
        restarts=restarts,
        unit=unit,
        per_s=usual * 1e9,
    )


def _wrapped(steps: Column, bits: int) -> Column:
    """Return steps as those of numbers that begin at 0 again behind the largest."""
    if bits >= 64:
        return steps
    half = 1 << (bits - 1)
    return ((steps + half) & ((1 << bits) - 1)) - half


def _unit(steps: Column) -> int:
    """Return the step that nearly all have, 1 where there is none."""
    values, counts = np.unique(steps, return_counts=True)
    most = int(counts.argmax())
    is_usual = values[most] > 1 and counts[most] >= max(LEAST_THINNED, THINNED * len(steps))
    return int(values[most]) if is_usual else 1


def _runs(
    places: Column, steps: Column, renumbered: npt.NDArray[np.bool_]
) -> tuple[Column, Column]:
    """Return for each message which run of numbers it belongs to, and where these begin anew.

    A number below the one before it begins a run if it was there already, or lies below all of its
    run. Where the next one goes on above all, it came twice, or belongs to no run: it is late and
    from before the first message, or none of a counter, and nothing before a run is missing.
    """
    runs = np.concatenate(([0], np.cumsum(renumbered)))
    if not (steps < 0).any():
        return runs, np.flatnonzero(renumbered) + 1
    restarts: list[int] = []
    values = places.tolist()
    seen, low, high = {values[0]}, values[0], values[0]
    for at, place in enumerate(values[1:], 1):
        is_back = steps[at - 1] < 0 and (place in seen or place < low)
        goes_on = at + 1 < len(values) and values[at + 1] > high
        if is_back and goes_on and place < low:
            runs[at] = -at
            continue
        if renumbered[at - 1] or (is_back and not goes_on):
            restarts.append(at)
            seen, low, high = set(), place, place
        seen.add(place)
        low, high = min(low, place), max(high, place)
        runs[at] = len(restarts)
    return runs, np.array(restarts, np.int64)
