# SPDX-License-Identifier: Apache-2.0
"""Losses are counted by what follows each frame; strangers' messages are refused."""

from __future__ import annotations

import pytest

from wirecost.messaging.transport.shared.trailer import MAGIC, TRAILER, Count, StreamCounter, split
from wirecost.system.errors import UserError


def counted(*numbers: int, stream: int = 7) -> Count:
    counter = StreamCounter()
    for number in numbers:
        counter.add(stream, number)
    return counter.count


def test_a_stream_begins_with_the_first_message_seen() -> None:
    assert counted(40, 41, 42) == Count(received=3)


def test_what_never_came_is_lost() -> None:
    assert counted(0, 1, 5, 6) == Count(received=4, lost=3)


def test_a_late_message_is_reordered_not_lost() -> None:
    assert counted(0, 2, 1, 3) == Count(received=4, reordered=1)


def test_a_message_that_came_before_is_a_duplicate() -> None:
    assert counted(0, 1, 1, 0, 2) == Count(received=3, duplicates=2)


def test_a_restarted_publisher_is_a_new_stream() -> None:
    counter = StreamCounter()
    for stream, number in [(1, 0), (1, 1), (2, 0), (2, 1)]:
        counter.add(stream, number)
    assert counter.count == Count(received=4)


def test_a_number_far_ahead_costs_no_memory() -> None:
    counter = StreamCounter()
    for number in [0, 2**63, 2**63 + 2**40, 2**64 - 1]:
        counter.add(1, number)
    assert counter.count.received == 4
    assert sum(map(len, counter._missing.values())) <= StreamCounter.WINDOW


def test_streams_without_end_cost_no_memory() -> None:
    counter = StreamCounter()
    for stream in range(3 * StreamCounter.MOST_STREAMS):
        counter.add(stream, 0)
        counter.add(stream, 2)
    assert len(counter._next) <= StreamCounter.MOST_STREAMS
    assert len(counter._missing) <= StreamCounter.MOST_STREAMS


class Publisher:
    sent = 10
    ended = False


def test_what_a_publisher_is_ahead_is_outstanding_until_it_is_lost() -> None:
    publisher = Publisher()
    counter = StreamCounter({7: publisher}.get)
    for number in 0, 1, 4:
        counter.add(7, number)
    counter.add(8, 0)
    assert counter.total(drained=True) == Count(received=4, lost=2, outstanding=5)
    publisher.ended = True
    assert counter.total(drained=False) == Count(received=4, lost=2, outstanding=5)
    assert counter.total(drained=True) == Count(received=4, lost=7)
    # What was on its way all the same.
    counter.add(7, 9)
    assert counter.total(drained=True) == Count(received=5, lost=6)


def test_the_frame_lies_between_its_start_and_the_trailer() -> None:
    message = b"pad" + b"frame" + TRAILER.pack(3, 9, 3, MAGIC)
    stream, number, frame = split(message)
    assert (stream, number, bytes(frame)) == (3, 9, b"frame")


@pytest.mark.parametrize(
    "message",
    [b"", b"short", b"x" * 100, b"frame" + TRAILER.pack(1, 2, 6, MAGIC), TRAILER.pack(1, 2, 0, 5)],
)
def test_a_strangers_message_is_refused(message: bytes) -> None:
    with pytest.raises(UserError, match=f"a message of {len(message)} bytes is none of wirecost's"):
        split(message)
