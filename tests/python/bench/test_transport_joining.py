# SPDX-License-Identifier: Apache-2.0
"""Records of both ends, joined: each fault shows in its own number and in no other."""

from __future__ import annotations

import numpy as np
import pytest

from wirecost.measure.bench.transport.joining import TransportCounts, answered, published
from wirecost.measure.bench.transport.protocol import Rows

PERIOD = 1_000_000
COUNT = 10


def sent(refused: tuple[int, ...] = ()) -> Rows:
    rows = [
        (number, due, due + 10, -(due + 30) if number in refused else due + 30)
        for number in range(COUNT)
        for due in [number * PERIOD + PERIOD]
    ]
    return np.array(rows, np.int64)


def received(*numbers: int, whole: int = 0) -> Rows:
    """Half a period after they were due, in this order."""
    rows = [
        (number, COUNT * PERIOD + place * PERIOD, whole) for place, number in enumerate(numbers)
    ]
    return np.array(rows, np.int64).reshape(-1, 3)


def counts(*numbers: int) -> TransportCounts:
    return published(sent(), [received(*numbers)])[0]


def faults(counts: TransportCounts) -> tuple[int, int, int, int, int]:
    return counts.received, counts.lost, counts.duplicates, counts.reordered, counts.wrong


def test_a_good_one_has_no_faults() -> None:
    joined = counts(*range(COUNT))
    assert faults(joined) == (COUNT, 0, 0, 0, 0)
    assert joined.rate == pytest.approx(1000, rel=1e-4)


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ((0, 1, 2, 3, 5, 6, 7, 8, 9), (9, 1, 0, 0, 0)),
        ((0, 1, 2, 3, 4, 5, 6, 7, 8), (9, 1, 0, 0, 0)),
        ((0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9), (10, 0, 2, 0, 0)),
        ((0, 2, 1, 3, 4, 5, 6, 7, 8, 9), (10, 0, 0, 1, 0)),
        ((9, 0, 1, 2, 3, 4, 5, 6, 7, 8), (10, 0, 0, 9, 0)),
        ((), (0, 10, 0, 0, 0)),
    ],
    ids=["one lost", "the last lost", "two doubled", "one late", "the last first", "none"],
)
def test_each_fault_has_its_number(numbers: tuple[int, ...], expected: tuple[int, ...]) -> None:
    assert faults(counts(*numbers)) == expected


def test_what_was_refused_is_not_lost() -> None:
    joined, _ = published(sent(refused=(3, 4)), [received(0, 1, 2, 5, 6, 7, 8, 9)])
    assert (joined.sent, joined.refused, joined.lost) == (8, 2, 0)


def test_losses_count_for_each_subscriber_and_times_are_each_ones_own() -> None:
    joined, arrivals = published(sent(), [received(*range(COUNT)), received(0, 1)])
    assert (joined.sent, joined.received, joined.lost) == (COUNT, COUNT + 2, 8)
    assert [len(of_subscriber.number) for of_subscriber in arrivals] == [COUNT, 2]
    assert arrivals[1].stages["lateness"].tolist() == [10, 10]
    assert arrivals[1].stages["publish"].tolist() == [20, 20]
    begin = sent()[:2, 2]
    assert arrivals[1].stages["total"].tolist() == (arrivals[1].received_ns - begin).tolist()


def test_times_are_those_of_the_first_copy() -> None:
    _, (once,) = published(sent(), [received(*range(COUNT))])
    _, (twice,) = published(sent(), [received(*range(COUNT), 0)])
    assert twice.stages["total"].tolist() == once.stages["total"].tolist()


def test_wrong_content_is_counted() -> None:
    rows = received(*range(COUNT), whole=1)
    rows[4, 2] = -1
    rows = np.concatenate([rows, np.array([(-2, 5, -1)], np.int64)])
    joined, _ = published(sent(), [rows])
    assert (joined.wrong, joined.checked) == (2, 9)


def test_a_message_that_nobody_sent_is_refused() -> None:
    with pytest.raises(ValueError, match="message 10 was received, but not sent"):
        counts(10)


def test_a_request_without_reply_is_lost() -> None:
    rows = sent()
    rows[2, 3] = 0
    joined, (arrivals,) = answered(rows, received(*range(COUNT)))
    assert (joined.sent, joined.received, joined.lost) == (COUNT, COUNT - 1, 1)
    assert arrivals.stages["total"].tolist() == [20] * (COUNT - 1)
    assert set(arrivals.stages) == {"lateness", "request", "total"}
