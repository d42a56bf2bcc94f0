# SPDX-License-Identifier: Apache-2.0
"""Gaps that several topics have at the same time, and the cause that all of them can have."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from wirecost.results.records.lost import (
    CACHE,
    CLOCK,
    COMMON,
    LATE,
    LOST,
    RECORDER,
    SHARED,
    SPLIT,
    SYSTEM,
    UNPUBLISHED,
    Gap,
    SharedGap,
    TopicGaps,
)

SHOWN_BY = 1.5
"""Intervals of a topic from which on it shows a gap."""
ABOVE_CHANCE = 10
"""Times as many gaps together as would be by chance."""


@dataclass
class _Together:
    """Gaps that can begin and end at one time: both times, as far as they are known.

    A gap begins up to an interval after the last message, and ends as long before the next.
    """

    gaps: dict[int, Gap]
    begin_s: tuple[float, float]
    end_s: tuple[float, float]

    def joins(self, topic: int, other: _Together) -> bool:
        return topic not in self.gaps and all(
            mine[0] <= theirs[1] and theirs[0] <= mine[1]
            for mine, theirs in ((self.begin_s, other.begin_s), (self.end_s, other.end_s))
        )

    def add(self, topic: int, other: _Together) -> None:
        self.gaps[topic] = other.gaps[topic]
        self.begin_s = _both(self.begin_s, other.begin_s)
        self.end_s = _both(self.end_s, other.end_s)


def _both(one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    return max(one[0], other[0]), min(one[1], other[1])


def shared_gaps(topics: Sequence[TopicGaps]) -> list[SharedGap]:
    """Return gaps that topics have together, more often than by chance."""
    by_topics: dict[frozenset[int], list[_Together]] = defaultdict(list)
    for together in _together(topics):
        by_topics[frozenset(together.gaps)].append(together)
    shared = []
    for numbers, every in by_topics.items():
        if len(numbers) > 1 and len(every) >= ABOVE_CHANCE * _by_chance(topics, numbers):
            shared += [_shared(topics, together) for together in every]
    return sorted(shared, key=lambda gap: gap.start_s)


def _together(topics: Sequence[TopicGaps]) -> list[_Together]:
    """Return every gap of a topic with a rate, with those of others that it can be one with."""
    alone = []
    for number, topic in enumerate(topics):
        period_s = topic.period_s
        for gap in topic.gaps if period_s is not None else ():
            start_s, end_s = gap.start_s, gap.start_s + gap.duration_s
            assert period_s is not None
            if gap.duration_s >= SHOWN_BY * period_s:
                begins, ends = (start_s, start_s + period_s), (end_s - period_s, end_s)
                alone.append((number, _Together({number: gap}, begins, ends)))
    alone.sort(key=lambda item: item[1].begin_s)
    every: list[_Together] = []
    current: list[_Together] = []
    for number, gap_alone in alone:
        current = [each for each in current if each.begin_s[1] >= gap_alone.begin_s[0]]
        joined = next((each for each in current if each.joins(number, gap_alone)), None)
        if joined is None:
            every.append(gap_alone)
            current.append(gap_alone)
        else:
            joined.add(number, gap_alone)
    return every


def _by_chance(topics: Sequence[TopicGaps], numbers: frozenset[int]) -> float:
    """Return how many gaps of these topics would begin together if none had to do with another."""
    chosen = [topics[number] for number in numbers]
    span_s = max(topic.last_s for topic in chosen) - min(topic.first_s for topic in chosen)
    within_s = 2 * max(topic.period_s or 0.0 for topic in chosen)
    counts = [sum(each.gaps for each in topic.sums.values()) for topic in chosen]
    return prod(counts) * (within_s / span_s) ** (len(counts) - 1) if span_s > 0 else 0.0


def _shared(topics: Sequence[TopicGaps], together: _Together) -> SharedGap:
    start_s = max(gap.start_s for gap in together.gaps.values())
    end_s = min(gap.start_s + gap.duration_s for gap in together.gaps.values())
    able = {
        number
        for number, topic in enumerate(topics)
        if topic.period_s is not None
        and SHOWN_BY * topic.period_s < end_s - start_s
        and topic.first_s < start_s
        and topic.last_s > end_s
    }
    return SharedGap(
        start_s=start_s,
        duration_s=max(0.0, end_s - start_s),
        topics=[topics[number].topic for number in sorted(together.gaps)],
        able=len(able | set(together.gaps)),
        cause=_cause(list(together.gaps.values()), is_of_all=able <= set(together.gaps)),
    )


def _cause(gaps: Sequence[Gap], *, is_of_all: bool) -> str:
    if all(gap.is_split for gap in gaps):
        return SPLIT
    if not is_of_all:
        return SHARED
    if any(gap.verdict in (CACHE, LOST) or gap.is_caught_up for gap in gaps):
        return RECORDER
    if all(gap.verdict == LATE for gap in gaps):
        return CLOCK
    return SYSTEM if all(gap.verdict in (LATE, UNPUBLISHED) for gap in gaps) else COMMON
