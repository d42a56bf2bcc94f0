# SPDX-License-Identifier: Apache-2.0
"""Gaps of one topic, and what the numbers and stamps of its messages say of each."""

from __future__ import annotations

import numpy as np

from wirecost.data.recordings.series import MCAP_SEQUENCE, ROS1_SEQUENCE, TopicSeries
from wirecost.measure.lost.holes import Hole, SteadyRate, steady_rate
from wirecost.measure.lost.numbers import MissingNumbers, missing_numbers
from wirecost.results.records.lost import (
    LATE,
    LOST,
    RESTARTED,
    UNKNOWN,
    UNPUBLISHED,
    Gap,
    TopicGaps,
)

CLOCKS_HZ, NEAR_CLOCK = (1.0, 1e3, 1e6, 1e9), 0.1
"""Steps per second of a field that may be a clock, and the relative distance that is as near."""
LEAST_STAMPED, NEAR_RATE = 0.9, 0.2
"""Share of stamps that grow, and distance of their rate from the messages', in which they tell."""


def topic_gaps(series: TopicSeries, begin_ns: int) -> TopicGaps:
    """Return where a topic lacks messages; ``begin_ns``: time from which gaps are counted."""
    order = np.lexsort((series.times, series.parts))
    ordered = _Ordered(series, order, begin_ns)
    rate = steady_rate(ordered.times, ordered.parts)
    missing = ordered.missing()
    is_stamped = rate is not None and ordered.has_stamps(rate)
    gaps = ordered.numbered_gaps(missing) if missing is not None else []
    for hole in rate.holes if rate is not None else ():
        if missing is None or not _is_explained(missing, hole):
            gaps.append(ordered.hole_gap(missing, hole, is_stamped))
    return TopicGaps(
        topic=series.topic,
        publisher=series.publisher,
        wire=series.wire,
        count=len(series.times),
        numbered=series.numbered if missing is not None else "",
        stamped=series.stamped if is_stamped else "",
        period_s=None if rate is None else rate.period_ns / 1e9,
        unit=1 if missing is None else missing.unit,
        first_s=(int(ordered.times.min()) - begin_ns) / 1e9,
        last_s=(int(ordered.times.max()) - begin_ns) / 1e9,
        gaps=sorted(gaps, key=lambda gap: (gap.start_s, gap.duration_s)),
    )


class _Ordered:
    """Columns of a topic in the order of its times, within each part of the recording."""

    def __init__(self, series: TopicSeries, order: np.ndarray, begin_ns: int) -> None:
        self._series = series
        self._begin_ns = begin_ns
        self.times, self.parts = series.times[order], series.parts[order]
        self._files = series.files[order]
        self._numbers = series.numbers[order] if series.numbered else series.numbers
        self._stamps = series.stamps[order] if series.stamped else series.stamps

    def missing(self) -> MissingNumbers | None:
        """Return the missing numbers; None where there are none, or they may be a clock's."""
        if not self._series.numbered:
            return None
        missing = missing_numbers(self._numbers, self._series.bits, self.times)
        if missing is None or self._series.numbered in (ROS1_SEQUENCE, MCAP_SEQUENCE):
            return missing
        near = (abs(missing.per_s / clock_hz - 1) < NEAR_CLOCK for clock_hz in CLOCKS_HZ)
        return None if any(near) else missing

    def has_stamps(self, rate: SteadyRate) -> bool:
        """Say whether the stamps grow at the rate of the messages."""
        if not self._series.stamped:
            return False
        steps = np.diff(self._stamps)
        is_near = abs(float(np.median(steps)) / rate.period_ns - 1) < NEAR_RATE
        return is_near and bool((steps > 0).mean() >= LEAST_STAMPED)

    def numbered_gaps(self, missing: MissingNumbers) -> list[Gap]:
        """Return the gaps in the numbers."""
        return [
            self._gap(min(ends), max(ends), count, LOST, is_exact=True)
            for *ends, count in np.stack(
                (missing.before, missing.after, missing.counts), 1
            ).tolist()
        ]

    def hole_gap(self, missing: MissingNumbers | None, hole: Hole, is_stamped: bool) -> Gap:
        """Return a hole in which no number is missing, or of which no number tells."""
        before, after = hole.before, hole.before + 1
        lacking = max(0, hole.lacking - hole.caught_up)
        if is_stamped:
            first, last = int(self._stamps[before]), int(self._stamps[after])
            came = np.count_nonzero((self._stamps > first) & (self._stamps < last))
            lacking = max(0, round((last - first) / hole.period_ns) - 1 - int(came))
        if missing is not None and after in missing.restarts:
            return self._gap(before, after, 0, RESTARTED)
        if not lacking:
            return self._gap(before, after, 0, LATE, is_caught_up=hole.caught_up > 0)
        if missing is not None and self._series.numbered != MCAP_SEQUENCE:
            return self._gap(before, after, 0, UNPUBLISHED)
        return self._gap(before, after, lacking, UNKNOWN)

    def _gap(
        self,
        before: int,
        after: int,
        missing: int,
        verdict: str,
        *,
        is_exact: bool = False,
        is_caught_up: bool = False,
    ) -> Gap:
        start, end = int(self.times[before]), int(self.times[after])
        return Gap(
            start_s=(start - self._begin_ns) / 1e9,
            duration_s=max(0, end - start) / 1e9,
            missing=missing,
            verdict=verdict,
            is_exact=is_exact,
            is_caught_up=is_caught_up,
            is_split=bool(self._files[before] != self._files[after]),
        )


def _is_explained(missing: MissingNumbers, hole: Hole) -> bool:
    """Say whether numbers are missing in a hole."""
    return bool(((missing.before <= hole.before) & (missing.after > hole.before)).any())
