# SPDX-License-Identifier: Apache-2.0
"""What the processes of a stand-in paid in a turn, by the kernel's account."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ProcessAccount:
    """``messages``: sent or received; ``cpu_ns``: processor time of all threads in the turn.

    ``idle_ns``: what the same process takes in as much time without messages.
    """

    messages: int
    cpu_ns: float
    idle_ns: float

    @property
    def paid_ns(self) -> float:
        """Nanoseconds of processor time for all messages."""
        return max(0.0, self.cpu_ns - self.idle_ns)

    @property
    def message_ns(self) -> float:
        """Nanoseconds of processor time per message; not a number where none came."""
        return self.paid_ns / self.messages if self.messages else float("nan")


@dataclass(frozen=True)
class Account:
    """A turn. ``seconds``: from its begin to its end; ``byte_count``: of all messages sent.

    ``latencies_ns``: from the begin of the publish call to the callback, of all subscribers; empty
    where the middleware does not say which message came.
    """

    seconds: float
    byte_count: float
    publisher: ProcessAccount
    subscribers: tuple[ProcessAccount, ...]
    latencies_ns: NDArray[np.int64]

    @property
    def publisher_share(self) -> float:
        """Share of a core that the publisher's process pays for the topic."""
        return self.publisher.paid_ns / 1e9 / self.seconds

    @property
    def subscriber_share(self) -> float:
        """Share of a core that all subscribers' processes pay together."""
        return sum(usage.paid_ns for usage in self.subscribers) / 1e9 / self.seconds

    @property
    def bytes_per_s(self) -> float:
        return self.byte_count / self.seconds

    @property
    def received(self) -> float:
        """Share of the sent messages that each subscriber got, on average."""
        sent = self.publisher.messages * len(self.subscribers)
        return sum(usage.messages for usage in self.subscribers) / sent if sent else 0.0
