# SPDX-License-Identifier: Apache-2.0
"""Evaluation of both ends' records of a fault. Times are CLOCK_MONOTONIC's, in nanoseconds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wirecost.measure.bench.transport.faults.fault import Message
from wirecost.measure.bench.transport.protocol import Rows


def arrivals(received: Rows) -> dict[int, int]:
    """Return when each message came first, by its number."""
    first: dict[int, int] = {}
    for number, at, _ in received.tolist():
        if number >= 0:
            first.setdefault(number, at)
    return first


def lost(sent: Rows, received: Rows, since_ns: int = 0, until_ns: int | None = None) -> int:
    """Return how many messages that the library took in a time did not come."""
    there = arrivals(received)
    return sum(
        end > 0 and begin >= since_ns and (until_ns is None or begin < until_ns)
        and number not in there
        for number, _, begin, end in sent.tolist()
    )  # fmt: skip


def duplicates(received: Rows) -> int:
    """Return how many messages came again."""
    numbers = received[received[:, 0] >= 0, 0]
    return int(len(numbers) - len(np.unique(numbers)))


def first_after(sent: Rows, received: Rows, since_ns: int) -> int | None:
    """Return when the first message came that was sent after a moment."""
    begun = {number: begin for number, _, begin, _ in sent.tolist()}
    times = [at for number, at in arrivals(received).items() if begun.get(number, 0) >= since_ns]
    return min(times, default=None)


def timeline(
    sent: Rows, received: Sequence[tuple[int, Rows]], fault_ns: int, every: int = 1
) -> list[Message]:
    """Return every ``every``-th message for each subscriber.

    Roles of subscribers: 0 has no fault, 1 has it, 2 came in its place. Messages that the library
    refused do not arrive either.
    """
    rows: list[Message] = []
    for role, rows_received in received:
        there = arrivals(rows_received)
        for number, _, begin, _ in sent[::every].tolist():
            at = there.get(number)
            rows.append([begin - fault_ns, None if at is None else at - begin, role])
    return rows


def worst(sent: Rows, received: Rows, since_ns: int, until_ns: int) -> int | None:
    """Return the longest latency of what was sent in a time."""
    there = arrivals(received)
    latencies = [
        there[number] - begin
        for number, _, begin, _ in sent.tolist()
        if number in there and since_ns <= begin < until_ns
    ]
    return max(latencies, default=None)


def longest_call(sent: Rows, since_ns: int, until_ns: int) -> int | None:
    """Return the longest call that sends."""
    calls = [abs(end) - begin for _, _, begin, end in sent.tolist() if since_ns <= begin < until_ns]
    return max(calls, default=None)


def in_ms(value_ns: int | None) -> str:
    """Return a time in words, from a second on in seconds."""
    if value_ns is None:
        return "–"
    return f"{value_ns / 1e6:.3g} ms" if value_ns < 999.5e6 else f"{value_ns / 1e9:.3g} s"


def others(sent: Rows, received: Rows, fault_ns: int) -> str:
    """Return the effect of a fault on the publisher and on a subscriber that had none."""
    begin, end = (int(sent[0, 2]), int(sent[-1, 2]) + 1) if len(sent) else (0, 0)
    latencies = [
        in_ms(worst(sent, received, *span)) for span in ((begin, fault_ns), (fault_ns, end))
    ]
    calls = [in_ms(longest_call(sent, *span)) for span in ((begin, fault_ns), (fault_ns, end))]
    return (
        f"the other subscriber lost {lost(sent, received)}; its worst latency was {latencies[0]} "
        f"before and {latencies[1]} after; sending took at most {calls[0]} and {calls[1]}"
    )
