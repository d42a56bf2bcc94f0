# SPDX-License-Identifier: Apache-2.0
"""The clock of a recording, which may jump: set back, not yet set, or stopped with the recorder."""

from __future__ import annotations

from dataclasses import dataclass, field

PAUSE_NS = 60 * 10**9
"""Nanoseconds between two messages of a recording from which on it paused, or its clock jumped."""
BACK_NS = 10**9
"""Nanoseconds by which messages may stand out of order in a recording."""
LONGEST_NS = 30 * 24 * 3600 * 10**9
"""Nanoseconds beyond which two lone messages say nothing about a rate."""
FASTEST_HZ = 1e6
"""Rate above which times are no times: those of many messages are the same, or nearly."""


@dataclass
class RecordingClock:
    """Parts of a recording between jumps of its clock; pauses are jumps, too.

    ``jumps``: how often the time jumped; ``covered_ns``: nanoseconds of all parts together.
    """

    jumps: int = 0
    covered_ns: int = 0
    _last_ns: int | None = None
    _low_ns: int = 0
    _high_ns: int = 0

    def part(self, time_ns: int) -> int:
        """Return the number of the part that a message lies in, the next in the recording."""
        last, self._last_ns = self._last_ns, time_ns
        if last is None:
            self._low_ns = self._high_ns = time_ns
        elif time_ns - last > PAUSE_NS or time_ns - last < -BACK_NS:
            self.jumps += 1
            self._low_ns = self._high_ns = time_ns
        elif time_ns > self._high_ns:
            self.covered_ns += time_ns - self._high_ns
            self._high_ns = time_ns
        elif time_ns < self._low_ns:
            self.covered_ns += self._low_ns - time_ns
            self._low_ns = time_ns
        return self.jumps


@dataclass
class TopicTimes:
    """Times of a topic's messages, as far as a rate follows from them.

    ``count``: messages; ``gaps``: those that follow another in the same part of a recording;
    ``covered_ns``: nanoseconds from the first to the last message of each part; ``watched_ns``:
    nanoseconds of the recordings that have the topic.
    """

    count: int = 0
    gaps: int = 0
    covered_ns: int = 0
    watched_ns: int = 0
    _part: object = field(default=None, repr=False)
    _low_ns: int = 0
    _high_ns: int = 0
    _first_ns: int = 0
    _last_ns: int = 0

    def note(self, time_ns: int, part: object = 0) -> None:
        """Count a message of a part of a recording."""
        if not self.count:
            self._first_ns = self._last_ns = time_ns
        self.count += 1
        self._first_ns = min(self._first_ns, time_ns)
        self._last_ns = max(self._last_ns, time_ns)
        if part != self._part:
            self._part = part
            self._low_ns = self._high_ns = time_ns
            return
        self.gaps += 1
        self.covered_ns += max(time_ns - self._high_ns, 0) + max(self._low_ns - time_ns, 0)
        self._low_ns, self._high_ns = min(self._low_ns, time_ns), max(self._high_ns, time_ns)

    def rate_hz(self, missed: int) -> float | None:
        """Return messages per second, None where the times do not say.

        It is the rate while messages came, if at most ``missed`` are lacking in the recordings at
        that rate; else the mean over the recordings.
        """
        own = _per_second(self.gaps, self.covered_ns)
        if own is None:
            return self._lone_rate_hz()
        lacking = (self.watched_ns - self.covered_ns) / 1e9 * own
        rate = own if lacking <= missed else _per_second(self.count, self.watched_ns)
        return rate if rate is not None and rate <= FASTEST_HZ else None

    def _lone_rate_hz(self) -> float | None:
        """Return the rate of messages of which no two lie in the same part of a recording."""
        span_ns = self._last_ns - self._first_ns
        if self.gaps or not 0 < span_ns <= LONGEST_NS:
            return None
        return _per_second(self.count - 1, span_ns)


def _per_second(count: int, ns: int) -> float | None:
    return count * 1e9 / ns if count and ns > 0 else None
