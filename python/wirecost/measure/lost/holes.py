# SPDX-License-Identifier: Apache-2.0
"""Holes in the times of a topic that has a steady rate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Column = npt.NDArray[np.int64]
Values = npt.NDArray[np.float64]

LEAST_INTERVALS = 10
"""Intervals from which on a rate can be told."""
NEIGHBOURS = 20
"""Intervals on each side by which the usual interval is known: a rate may change."""
SLOWER = 1.1
"""Ratio of the intervals nearby to those of the whole topic from which on its rate is lower."""
ROWS = 1 << 14
"""Windows that are looked at together, for memory's sake."""
STEADY = 0.4
"""Median deviation of intervals, in intervals, up to which they have a rate: of events that come by
chance it is 0.7, of a clock that jitters by half an interval 0.3."""
LEAST_EXCESS, EXCESS_OF_JITTER = 0.5, 2.0
"""Excess of a hole over the usual interval, in intervals; in the largest jitter nearby."""
RARE_PERCENT = 99
"""Percentile of the jitter of the whole topic that a hole must exceed as well."""
MOST_SILENT = 0.5
"""Share of the time that holes may take; a topic that is silent for longer has no rate."""
NEAR, LEAST_NEAR = 0.9, 0.6
"""Deviation, in intervals, within which this share of them lies where there is a rate. Of two
publishers that publish together, every other interval is nearly none."""


@dataclass(frozen=True)
class SteadyRate:
    """Rate of a topic, and holes: the time behind the messages ``before`` without another.

    ``lacking``: messages that would have come meanwhile, of which ``caught_up`` came at once after
    it; ``usual_ns``: the interval there, and ``period_ns`` that of the whole topic.
    """

    period_ns: float
    before: Column
    lacking: Column
    caught_up: Column
    usual_ns: Values


def steady_rate(times: Column, parts: Column) -> SteadyRate | None:
    """Return the rate of times in ascending order within each part; None without one.

    Jitter shortens as many intervals as it lengthens, and a loss shortens none. So the shortest
    intervals tell how far the longest may go by jitter alone.
    """
    places = np.flatnonzero(np.diff(parts) == 0)
    intervals = np.diff(times)[places].astype(np.float64)
    if len(intervals) < LEAST_INTERVALS or intervals.sum() <= 0:
        return None
    width = min(len(intervals), 2 * NEIGHBOURS + 1)
    medians, deviations, jitters, near = _windows(intervals, width)
    last = len(medians) - 1
    at = np.arange(len(intervals))
    around = np.clip(at - NEIGHBOURS, 0, last)
    # Messages that come at once after a hole are no faster rate.
    common = float(np.median(intervals))
    usual = np.where(medians[around] > SLOWER * common, medians[around], common)
    before, after = deviations[np.clip(at - width, 0, last)], deviations[np.clip(at + 1, 0, last)]
    if np.median(deviations) > STEADY or np.median(near) < LEAST_NEAR or not common:
        return None
    shortfall = np.maximum(0.0, 1.0 - intervals / usual)
    jitter = np.maximum(jitters[around], np.percentile(shortfall, RARE_PERCENT))
    excess = intervals / usual - 1.0
    # A message that only came early or late takes from one interval what it adds to the next.
    beside = np.pad(shortfall, 1)
    lasting = excess - beside[:-2] - beside[2:]
    is_hole = (excess > EXCESS_OF_JITTER * jitter) & (lasting > LEAST_EXCESS)
    is_hole &= np.minimum(before, after) <= STEADY
    if intervals[is_hole].sum() > MOST_SILENT * intervals.sum():
        return None
    holes = np.flatnonzero(is_hole)
    lacking = np.maximum(1, np.rint(excess[holes])).astype(np.int64)
    # Where the messages end that come at once.
    ends = np.where(intervals >= usual / 2, at, len(at))
    ends = np.minimum.accumulate(np.append(ends, len(at))[::-1])[::-1]
    caught_up = np.minimum(ends[holes + 1] - holes - 1, lacking)
    return SteadyRate(common, places[holes], lacking, caught_up, usual[holes])


def _windows(intervals: Values, width: int) -> tuple[Values, Values, Values, Values]:
    """Return for each window median, deviation from it, largest shortfall, and share that is NEAR.

    The second and third are in medians.
    """
    windows = np.lib.stride_tricks.sliding_window_view(intervals, width)
    medians, deviations, jitters, near = (np.empty(len(windows)) for _ in range(4))
    for begin in range(0, len(windows), ROWS):
        rows = windows[begin : begin + ROWS]
        median = np.median(rows, axis=1)
        safe = np.maximum(median, 1.0)
        medians[begin : begin + ROWS] = median
        deviation = np.abs(rows - median[:, None]) / safe[:, None]
        deviations[begin : begin + ROWS] = np.median(deviation, axis=1)
        near[begin : begin + ROWS] = (deviation <= NEAR).mean(axis=1)
        jitters[begin : begin + ROWS] = 1.0 - rows.min(axis=1) / safe
    return medians, deviations, jitters, near
