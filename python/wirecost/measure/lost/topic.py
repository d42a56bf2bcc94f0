# SPDX-License-Identifier: Apache-2.0
"""Gaps of one topic, and what the numbers and stamps of its messages say of each."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from wirecost.data.recordings.series import MCAP_SEQUENCE, ROS1_SEQUENCE, TopicSeries
from wirecost.measure.lost.holes import Column, SteadyRate, steady_rate
from wirecost.measure.lost.numbers import LEAST_THINNED, MissingNumbers, missing_numbers
from wirecost.results.records.lost import (
    LATE,
    LOST,
    RESTARTED,
    UNKNOWN,
    UNPUBLISHED,
    Gap,
    GapSum,
    TopicGaps,
)

KEPT = 10_000
"""Gaps of a topic and verdict that are kept one by one, the longest; the others are counted."""
CLOCKS_HZ, NEAR_CLOCK = (1.0, 1e3, 1e6, 1e9), 0.1
"""Steps per second of a field that may be a clock, and the relative distance that is as near."""
LONGER = 1.25
"""Ratio of the time in which numbers are missing to the usual one, below which it is the same."""
LEAST_STAMPED, NEAR_RATE = 0.9, 0.2
"""Share of stamps that grow, and distance of their rate from the messages', in which they tell."""


def topic_gaps(series: TopicSeries, begin_ns: int) -> TopicGaps:
    """Return where a topic lacks messages; ``begin_ns``: time from which gaps are counted."""
    ordered = _in_order(series)
    rate = steady_rate(ordered.times, ordered.parts)
    counted = _missing(ordered)
    is_stamped = rate is not None and _is_stamped(ordered, rate)
    sent = ordered.stamps if is_stamped else ordered.times
    is_apart = counted is not None and rate is not None and _is_apart(sent, counted)
    missing = None if is_apart else counted
    gaps = _Gaps(ordered, begin_ns)
    if missing is not None:
        gaps.add(missing.before, missing.after, missing.counts, LOST)
    if rate is not None:
        gaps.add_holes(rate, missing, is_stamped)
    return TopicGaps(
        topic=series.topic,
        publisher=series.publisher,
        wire=series.wire,
        count=len(series.times),
        numbered=series.numbered if missing is not None else "",
        stamped=series.stamped if is_stamped else "",
        period_s=None if rate is None else rate.period_ns / 1e9,
        step=1 if counted is None else counted.step(len(series.times)),
        first_s=(int(ordered.times.min()) - begin_ns) / 1e9,
        last_s=(int(ordered.times.max()) - begin_ns) / 1e9,
        sums=gaps.sums,
        gaps=gaps.longest(),
    )


def _in_order(series: TopicSeries) -> TopicSeries:
    """Return the messages in the order of their times, within each part of the recording."""
    order = np.lexsort((series.times, series.parts))
    return TopicSeries(
        series.topic, series.publisher, series.wire,
        series.times[order], series.parts[order], series.files[order],
        series.numbered, series.bits, series.numbers[order] if series.numbered else series.numbers,
        series.stamped, series.stamps[order] if series.stamped else series.stamps,
    )  # fmt: skip


def _missing(series: TopicSeries) -> MissingNumbers | None:
    """Return the missing numbers; None without numbers, and where they may be a clock's."""
    if not series.numbered:
        return None
    missing = missing_numbers(series.numbers, series.bits, series.times)
    if missing is None or series.numbered in (ROS1_SEQUENCE, MCAP_SEQUENCE):
        return missing
    near = (abs(missing.per_s / clock_hz - 1) < NEAR_CLOCK for clock_hz in CLOCKS_HZ)
    return None if any(near) else missing


def _is_apart(times: Column, missing: MissingNumbers) -> bool:
    """Say whether numbers grow without more time passing: they count something else, too.

    Where messages are lost from a steady rate, more time passes between those that came, or were
    published if they waited for a recorder. ``times``: of each message.
    """
    intervals = np.diff(times)
    has_gap = np.zeros(len(intervals), np.bool_)
    has_gap[np.minimum(missing.before, missing.after)] = True
    if has_gap.sum() < LEAST_THINNED:
        return False
    usual = np.median(intervals if has_gap.all() else intervals[~has_gap])
    return bool(np.median(intervals[has_gap]) < LONGER * usual)


def _is_stamped(series: TopicSeries, rate: SteadyRate) -> bool:
    """Say whether there are stamps that grow at the rate of the messages."""
    if not series.stamped:
        return False
    steps = np.diff(series.stamps)
    is_near = abs(float(np.median(steps)) / rate.period_ns - 1) < NEAR_RATE
    return is_near and bool((steps > 0).mean() >= LEAST_STAMPED)


class _Gaps:
    """Gaps of a topic by verdict: all of them counted, the longest one by one."""

    def __init__(self, series: TopicSeries, begin_ns: int) -> None:
        self._series = series
        self._begin_ns = begin_ns
        self._kept: list[Gap] = []
        self.sums: dict[str, GapSum] = {}

    def add(
        self, before: Column, after: Column, missing: Column, verdict: str, *, is_late: bool = False
    ) -> None:
        """Add gaps between messages; ``is_late``: messages came at once after them."""
        if not len(before):
            return
        times = self._series.times
        ends = np.sort(np.stack((before, after)), axis=0)
        lengths = np.maximum(0, times[ends[1]] - times[ends[0]])
        earlier = self.sums.get(verdict, GapSum(gaps=0, missing=0))
        self.sums[verdict] = GapSum(
            gaps=earlier.gaps + len(before), missing=earlier.missing + int(missing.sum())
        )
        for at in np.argsort(-lengths, kind="stable")[:KEPT].tolist():
            first, last = ends[:, at].tolist()
            self._kept.append(
                Gap(
                    start_s=(int(times[first]) - self._begin_ns) / 1e9,
                    duration_s=int(lengths[at]) / 1e9,
                    missing=int(missing[at]),
                    verdict=verdict,
                    is_caught_up=is_late,
                    is_split=bool(self._series.files[first] != self._series.files[last]),
                )
            )

    def add_holes(self, rate: SteadyRate, missing: MissingNumbers | None, is_stamped: bool) -> None:
        """Add holes in which no number is missing, or of which no number tells."""
        before = rate.before
        lacking = rate.lacking - rate.caught_up
        if is_stamped:
            lacking = self._not_stamped(rate)
        is_new = np.zeros(len(before), np.bool_)
        is_open = np.ones(len(before), np.bool_)
        # MCAP does not say whether its numbers are the publisher's.
        is_counted = missing is not None and self._series.numbered != MCAP_SEQUENCE
        if missing is not None:
            is_new = np.isin(before + 1, missing.restarts)
            if not is_counted:  # a recorder may number each file from 0
                is_new &= self._series.files[before] == self._series.files[before + 1]
            is_open = ~_within(before, missing, len(self._series.times))
        is_late = is_open & ~is_new & (lacking <= 0)
        is_left = is_open & ~is_new & (lacking > 0)
        none = np.zeros(len(before), np.int64)
        for chosen, count, verdict, at_once in (
            (is_open & is_new, none, RESTARTED, False),
            (is_late & (rate.caught_up > 0), none, LATE, True),
            (is_late & (rate.caught_up == 0), none, LATE, False),
            (
                is_left,
                none if is_counted else lacking,
                UNPUBLISHED if is_counted else UNKNOWN,
                False,
            ),
        ):
            self.add(before[chosen], before[chosen] + 1, count[chosen], verdict, is_late=at_once)

    def _not_stamped(self, rate: SteadyRate) -> Column:
        """Return how many stamps are missing in each hole, those that came later not counted."""
        stamps, ordered = self._series.stamps, np.sort(self._series.stamps)
        first, last = stamps[rate.before], stamps[rate.before + 1]
        came = np.searchsorted(ordered, last) - np.searchsorted(ordered, first, "right")
        steps = np.rint((last - first) / rate.usual_ns).astype(np.int64)
        return np.asarray(steps - 1 - np.maximum(0, came))

    def longest(self) -> list[Gap]:
        """Return the longest gaps in the order of their times."""
        return sorted(self._kept, key=lambda gap: (gap.start_s, gap.duration_s))


def _within(before: Column, missing: MissingNumbers, count: int) -> npt.NDArray[np.bool_]:
    """Say of each message whether numbers are missing between it and the next one."""
    ends = np.sort(np.stack((missing.before, missing.after)), axis=0)
    depth = np.zeros(count + 1, np.int64)
    np.add.at(depth, ends[0], 1)
    np.add.at(depth, ends[1], -1)
    return np.cumsum(depth)[before] > 0
