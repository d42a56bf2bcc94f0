# SPDX-License-Identifier: Apache-2.0
"""Records of both ends, joined by the messages' numbers: times, losses, duplicates and order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wirecost.measure.bench.engine.deliveries import Deliveries
from wirecost.measure.bench.transport.protocol import Rows

Ints = NDArray[np.int64]
WRONG = -1


@dataclass
class TransportCounts(Deliveries):
    """Counts over all subscribers.

    ``sent``, which the library took, and ``refused`` are counted once, at the publisher.
    """

    LARGEST = "longest_ns"

    refused: int = 0
    wrong: int = 0
    checked: int = 0
    longest_ns: int = 0
    """Nanoseconds of the longest call that sends."""


@dataclass(frozen=True)
class Arrivals:
    """Times of each message that came to a subscriber, in the order of sending.

    They are arrays of equal length, in nanoseconds.
    """

    number: Ints
    stages: dict[str, Ints]
    received_ns: Ints
    due_ns: Ints


def published(sent: Rows, received: Sequence[Rows]) -> tuple[TransportCounts, list[Arrivals]]:
    """Join a block of publish and subscribe. Raises ValueError for a message that nobody sent."""
    number, due, begin, end = sent.T
    counts = _sending(sent, end > 0)
    arrivals = []
    for rows in received:
        at, first = _arriving(sent, rows, counts)
        counts.lost += int(np.count_nonzero((end > 0) & ~np.isin(number, first[:, 0])))
        stages = {
            "lateness": begin[at] - due[at],
            "publish": np.abs(end[at]) - begin[at],
            "total": first[:, 1] - begin[at],
        }
        arrivals.append(Arrivals(number[at], stages, first[:, 1], due[at]))
    return counts, arrivals


def answered(sent: Rows, received: Rows) -> tuple[TransportCounts, list[Arrivals]]:
    """Join a block of requests and replies; a request without a reply is lost."""
    number, due, begin, end = sent.T
    counts = _sending(sent, np.ones(len(sent), bool))
    at, first = _arriving(sent, received, counts)
    back = end[at] > 0
    at, first = at[back], first[back]
    counts.received = len(at)
    counts.lost = len(sent) - len(at)
    stages = {
        "lateness": begin[at] - due[at],
        "request": first[:, 1] - begin[at],
        "total": end[at] - begin[at],
    }
    return counts, [Arrivals(number[at], stages, end[at], due[at])]


def _sending(sent: Rows, accepted: NDArray[np.bool_]) -> TransportCounts:
    counts = TransportCounts(sent=int(accepted.sum()), refused=int((~accepted).sum()))
    if len(sent):
        counts.longest_ns = int((np.abs(sent[:, 3]) - sent[:, 2]).max())
    if len(sent) > 1:
        # From when the first one was due: had it started late, the rest would look too quick.
        counts.begun_ns = int(sent[-1, 2] - sent[0, 1])
        counts.intervals = len(sent) - 1
    return counts


def _arriving(sent: Rows, rows: Rows, counts: TransportCounts) -> tuple[Ints, Rows]:
    """Return the first row of each message, and the places of the messages' rows in ``sent``.

    Messages are numbered from 0. Adds to the counts.
    """
    wrong = rows[:, 2] == WRONG
    counts.wrong += int(wrong.sum())
    counts.checked += int((rows[:, 2] == 1).sum())
    rows = rows[rows[:, 0] >= 0]
    if len(rows) and rows[:, 0].max() >= len(sent):
        raise ValueError(f"message {rows[:, 0].max()} was received, but not sent")
    _, first = np.unique(rows[:, 0], return_index=True)
    counts.duplicates += len(rows) - len(first)
    arrived = rows[np.sort(first)]
    if len(arrived):
        counts.reordered += int(
            np.count_nonzero(arrived[:, 0] < np.maximum.accumulate(arrived[:, 0]))
        )
    counts.received += len(arrived)
    arrived = arrived[np.argsort(arrived[:, 0])]
    return arrived[:, 0], arrived
