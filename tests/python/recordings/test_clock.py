# SPDX-License-Identifier: Apache-2.0
"""Rates of topics, whatever the recording's clock does."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirecost.data.recordings.clock import (
    FASTEST_HZ,
    RecordingClock,
    TopicTimes,
    together_ns,
    without_outliers,
)

SECOND = 10**9
START = 1_790_000_000 * SECOND


def rate(times: list[int]) -> float | None:
    """Return the rate of a recording of one topic."""
    clock, topic = RecordingClock(), TopicTimes()
    for time_ns in times:
        topic.note(time_ns, clock.part(time_ns))
    topic.watched_ns = together_ns(without_outliers(clock.parts))
    return topic.rate_hz(2)


def regular(count: int, hz: float, start: int = START) -> list[int]:
    return [start + round(number * SECOND / hz) for number in range(count)]


@pytest.mark.parametrize(
    "times",
    [
        regular(1000, 100),
        [0, *regular(1000, 100)],
        [*regular(500, 100), 0, *regular(500, 100, START + 5 * SECOND)],
        [*regular(500, 100), *regular(500, 100, START - 3600 * SECOND)],
        [*regular(500, 100), *regular(500, 100, START + 7200 * SECOND)],
        [*regular(1000, 100), 2**64 - 1],
    ],
    ids=["regular", "zero", "zero within", "set back", "pause", "overflow"],
)
def test_a_rate_is_that_of_the_messages_not_of_the_clock(times: list[int]) -> None:
    assert rate(times) == pytest.approx(100, rel=0.01)


@pytest.mark.parametrize("times", [[5] * 100, [START + 3 * number for number in range(100)]])
def test_times_that_are_the_same_give_no_rate(times: list[int]) -> None:
    assert rate(times) is None


def test_two_lone_messages_years_apart_give_no_rate() -> None:
    assert rate([0, START]) is None


def test_a_topic_slower_than_the_longest_pause_has_its_rate() -> None:
    assert rate(regular(50, 1 / 120)) == pytest.approx(1 / 120, rel=0.001)


times_ns = st.integers(0, 2**64 - 1)


@given(st.lists(times_ns, max_size=50))
def test_any_times_give_a_possible_rate_or_none(times: list[int]) -> None:
    found = rate(times)
    assert found is None or (math.isfinite(found) and 0 < found <= FASTEST_HZ)


@given(st.lists(times_ns, max_size=3), st.integers(0, 1000))
def test_outliers_do_not_change_a_rate(outliers: list[int], place: int) -> None:
    times = regular(1000, 50)
    times[place:place] = outliers
    assert rate(times) == pytest.approx(50, rel=0.02)


STEPS = st.sampled_from([0, 1, SECOND, -SECOND, -SECOND - 1, 60 * SECOND, 60 * SECOND + 1])


@given(st.lists(st.lists(st.tuples(STEPS, st.integers(0, 1)), max_size=9), max_size=9))
def test_many_messages_at_once_count_as_they_do_alone(runs: list[list[tuple[int, int]]]) -> None:
    path, now = Path("drive.mcap"), START
    clock, clock_of_many = RecordingClock(), RecordingClock()
    topics, topics_of_many = [TopicTimes(), TopicTimes()], [TopicTimes(), TopicTimes()]
    for run in runs:
        times = np.cumsum([now, *(step for step, _ in run)])[1:]
        now = int(times[-1]) if run else now
        topic_of = np.array([topic for _, topic in run], np.int64)
        parts = np.array([clock.part(int(time_ns)) for time_ns in times], np.int64)
        assert clock_of_many.parts_of(times).tolist() == parts.tolist()
        for time_ns, part, topic in zip(times.tolist(), parts.tolist(), topic_of, strict=True):
            topics[topic].note(time_ns, (path, part))
        for topic in np.unique(topic_of):
            mine = topic_of == topic
            topics_of_many[topic].note_all(path, times[mine], parts[mine])
    assert clock_of_many == clock
    assert topics_of_many == topics
