# SPDX-License-Identifier: Apache-2.0
"""Pairs of processes behind one median: pairs that differ, and receivers that fall behind.

Messages are sent on a schedule. A receiver that needs longer for each than lies between them has
ever more of them waiting, so that a message's time is that of the queue before it: it grows with
the number of messages sent, and is no property of the transport.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
PART = 10
"""The first and last of so many parts of a pair's messages show whether times grow."""


@dataclass(frozen=True)
class BacklogPair:
    """One pair of processes. Times in nanoseconds."""

    messages: int
    waited: int
    """Messages that were sent before the receiver had the one before."""
    median_ns: float
    first_ns: float
    """Median of the first tenth."""
    last_ns: float
    """Median of the last tenth."""

    @property
    def fell_behind(self) -> bool:
        """True where most messages waited."""
        return 2 * self.waited > self.messages


def pairs(
    ns: Array, before: Array, sending: Array, processes: NDArray[np.int64]
) -> list[BacklogPair]:
    """Return a pair for each process, in ascending order.

    All of shape (messages,), in the order of sending, in nanoseconds: ``ns``, from the finished
    object until it is received; ``before``, when the object was finished, on any one clock of the
    pair's; ``sending``, from then until the sender's call returned. ``processes``: by which pair.
    """
    return [
        _pair(ns[here], before[here], sending[here])
        for here in (processes == process for process in np.unique(processes))
    ]


def _pair(ns: Array, before: Array, sending: Array) -> BacklogPair:
    part = -(-len(ns) // PART)
    received, sent = before + ns, before + sending
    return BacklogPair(
        len(ns),
        int(np.count_nonzero(received[:-1] > sent[1:])),
        float(np.median(ns)),
        float(np.median(ns[:part])),
        float(np.median(ns[-part:])),
    )
