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
    """Over all subscribers, but for ``sent``, what the library took, and ``refused``: the publisher
    counts them once."""

    LARGEST = "longest_ns"

    refused: int = 0
    wrong: int = 0
    checked: int = 0
    longest_ns: int = 0
    """The longest call that sends."""


@dataclass(frozen=True)
class Arrivals:
    """Of one subscriber: times of each message that came, in the order of sending. Arrays of equal
    length, nanoseconds."""

    number: Ints
    stages: dict[str, Ints]
    received_ns: Ints
    due_ns: Ints


def published(sent: Rows, received: Sequence[Rows]) -> tuple[TransportCounts, list[Arrivals]]:
    """Of publish and subscribe. Raises ValueError for a message that nobody sent."""
    number, due, begin, end = sent.T
    counts = _sending(sent, end > 0)
    arrivals = []
    for rows in received:
        at, one = _arriving(sent, rows, counts)
        counts.lost += int(np.count_nonzero((end > 0) & ~np.isin(number, one[:, 0])))
        stages = {
            "lateness": begin[at] - due[at],
            "publish": np.abs(end[at]) - begin[at],
            "total": one[:, 1] - begin[at],
        }
        arrivals.append(Arrivals(number[at], stages, one[:, 1], due[at]))
    return counts, arrivals


def answered(sent: Rows, received: Rows) -> tuple[TransportCounts, list[Arrivals]]:
    """Of requests and replies; a request without a reply is lost."""
    number, due, begin, end = sent.T
    counts = _sending(sent, np.ones(len(sent), bool))
    at, one = _arriving(sent, received, counts)
    back = end[at] > 0
    at, one = at[back], one[back]
    counts.received = len(at)
    counts.lost = len(sent) - len(at)
    stages = {
        "lateness": begin[at] - due[at],
        "request": one[:, 1] - begin[at],
        "total": end[at] - begin[at],
    }
    return counts, [Arrivals(number[at], stages, end[at], due[at])]


def _sending(sent: Rows, taken: NDArray[np.bool_]) -> TransportCounts:
    counts = TransportCounts(sent=int(taken.sum()), refused=int((~taken).sum()))
    if len(sent):
        counts.longest_ns = int((np.abs(sent[:, 3]) - sent[:, 2]).max())
    if len(sent) > 1:
        # From when the first one was due: had it started late, the rest would look too quick.
        counts.begun_ns = int(sent[-1, 2] - sent[0, 1])
        counts.intervals = len(sent) - 1
    return counts


def _arriving(sent: Rows, rows: Rows, counts: TransportCounts) -> tuple[Ints, Rows]:
    """Return what came first of each message: the places of their rows in ``sent``, which are
    numbered from 0, and their own rows. Adds to the counts."""
    wrong = rows[:, 2] == WRONG
    counts.wrong += int(wrong.sum())
    counts.checked += int((rows[:, 2] == 1).sum())
    rows = rows[rows[:, 0] >= 0]
    if len(rows) and rows[:, 0].max() >= len(sent):
        raise ValueError(f"message {rows[:, 0].max()} was received, but not sent")
    _, first = np.unique(rows[:, 0], return_index=True)
    counts.duplicates += len(rows) - len(first)
    one = rows[np.sort(first)]
    if len(one):
        counts.reordered += int(np.count_nonzero(one[:, 0] < np.maximum.accumulate(one[:, 0])))
    counts.received += len(one)
    one = one[np.argsort(one[:, 0])]
    return one[:, 0], one
