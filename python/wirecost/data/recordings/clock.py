# SPDX-License-Identifier: Apache-2.0
"""The clock of a recording, which may jump: set back, not yet set, or stopped with the recorder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

PAUSE_NS = 60 * 10**9
"""Nanoseconds between two messages of a recording from which on it paused, or its clock jumped."""
BACK_NS = 10**9
"""Nanoseconds by which messages may stand out of order in a recording."""
LONGEST_NS = 30 * 24 * 3600 * 10**9
"""Nanoseconds beyond which two lone messages say nothing about a rate."""
FASTEST_HZ = 1e6
"""Rate above which times are no times: those of many messages are the same, or nearly."""
MOST_PARTS = 10_000
"""Parts that are remembered; a clock that jumps more often gives no rate."""
LEAST_OF_LARGEST = 0.1
"""Share of the largest part's messages below which a part is an outlier."""


@dataclass
class Part:
    """Messages between two jumps of a clock: how many, from when to when."""

    count: int
    low_ns: int
    high_ns: int

    def add(self, time_ns: int) -> None:
        """Count a message."""
        self.count += 1
        if time_ns > self.high_ns:
            self.high_ns = time_ns
        elif time_ns < self.low_ns:
            self.low_ns = time_ns

    def add_all(self, times: npt.NDArray[np.int64]) -> None:
        """Count messages."""
        self.count += len(times)
        self.low_ns = min(self.low_ns, int(times.min()))
        self.high_ns = max(self.high_ns, int(times.max()))


def without_outliers(parts: list[Part]) -> list[Part]:
    """Return the parts that have several messages, and not far fewer than the largest."""
    least = max(2.0, LEAST_OF_LARGEST * max((part.count for part in parts), default=0))
    return [part for part in parts if part.count >= least]


def together_ns(parts: Iterable[Part]) -> int:
    """Return the nanoseconds that parts cover, of several recordings at once counted once."""
    covered, end = 0, 0
    for part in sorted(parts, key=lambda part: part.low_ns):
        covered += max(0, part.high_ns - max(part.low_ns, end))
        end = max(end, part.high_ns)
    return covered


@dataclass
class RecordingClock:
    """Parts of a recording between jumps of its clock; pauses are jumps, too."""

    jumps: int = 0
    parts: list[Part] = field(default_factory=list)
    _last_ns: int | None = None

    def part(self, time_ns: int) -> int:
        """Return the number of the part that a message lies in, the next in the recording."""
        last, self._last_ns = self._last_ns, time_ns
        if last is not None and -BACK_NS <= time_ns - last <= PAUSE_NS:
            if self.jumps < MOST_PARTS:
                self.parts[-1].add(time_ns)
            return self.jumps
        self.jumps += last is not None
        if self.jumps < MOST_PARTS:
            self.parts.append(Part(1, time_ns, time_ns))
        return self.jumps

    def parts_of(self, times: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the same for the next messages."""
        if not len(times):
            return times
        first = self.part(int(times[0]))
        steps = np.diff(times)
        numbers = first + np.cumsum(np.r_[0, (steps < -BACK_NS) | (steps > PAUSE_NS)])
        for begin, end in _stretches(numbers):
            if begin:
                self.part(int(times[begin]))
            if end > begin + 1 and self.jumps < MOST_PARTS:
                self.parts[-1].add_all(times[begin + 1 : end])
            self._last_ns = int(times[end - 1])
        return numbers


def _stretches(numbers: npt.NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Yield where equal numbers begin and end."""
    return pairwise([0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(numbers)])


@dataclass
class TopicTimes:
    """Times of a topic's messages, as far as a rate follows from them.

    ``watched_ns``: nanoseconds of the recordings that have the topic.
    """

    count: int = 0
    watched_ns: int = 0
    _parts: list[Part] = field(default_factory=list)
    _part: object = None
    _whole: Part | None = None

    def note(self, time_ns: int, part: object = 0) -> None:
        """Count a message of a part of a recording."""
        self.count += 1
        if self._whole is None:
            self._whole = Part(0, time_ns, time_ns)
        self._whole.add(time_ns)
        if part == self._part:
            self._parts[-1].add(time_ns)
            return
        self._part = part
        if len(self._parts) == MOST_PARTS:
            self._parts = without_outliers(self._parts)
        self._parts.append(Part(1, time_ns, time_ns))

    def note_all(
        self, path: Path, times: npt.NDArray[np.int64], parts: npt.NDArray[np.int64]
    ) -> None:
        """Count messages of a recording; ``parts``: the number of each one's part."""
        for begin, end in _stretches(parts):
            self.note(int(times[begin]), (path, int(parts[begin])))
            if end > begin + 1:
                rest = times[begin + 1 : end]
                self.count += len(rest)
                for part in (self._whole, self._parts[-1]):
                    assert part is not None
                    part.add_all(rest)

    def rate_hz(self, missed: int) -> float | None:
        """Return messages per second, None where the times do not say.

        It is the rate while messages came, if at most ``missed`` are lacking in the recordings at
        that rate; else the mean over the recordings.
        """
        parts = without_outliers(self._parts)
        covered_ns = sum(part.high_ns - part.low_ns for part in parts)
        own = per_second(sum(part.count - 1 for part in parts), covered_ns)
        if own is None:
            rate = None if parts else self._lone_rate_hz()
        elif (self.watched_ns - covered_ns) / 1e9 * own <= missed:
            rate = own
        else:
            rate = per_second(self.count, self.watched_ns)
        return rate if rate is not None and rate <= FASTEST_HZ else None

    def _lone_rate_hz(self) -> float | None:
        """Return the rate of messages of which no two lie in the same part of a recording."""
        if self._whole is None or self.count < 2:
            return None
        span_ns = self._whole.high_ns - self._whole.low_ns
        return per_second(self.count - 1, span_ns) if span_ns <= LONGEST_NS else None


def per_second(count: int, ns: int) -> float | None:
    """Return a rate in Hz; None where nothing came, or in no time."""
    return count * 1e9 / ns if count > 0 and ns > 0 else None
