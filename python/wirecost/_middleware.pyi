# SPDX-License-Identifier: Apache-2.0
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

class Queue:
    """Received messages between the receiving threads and Python.

    They are at most ``max_bytes``; a message that does not fit is dropped and counted.
    """

    def __init__(self, max_bytes: int) -> None: ...
    def take(
        self, max_messages: int, timeout_s: float
    ) -> list[tuple[int, int, int, int, int, bytes]]:
        """Wait for the first message and return all that are there.

        Each is its channel, receive time by CLOCK_REALTIME and by CLOCK_MONOTONIC, source time (0
        unknown), all in ns, how many of its channel are missing directly before it, and the bytes.
        """

    def counts(self) -> dict[int, tuple[int, int, int]]:
        """Return each channel's messages received, dropped ones too, those dropped, and bytes."""

class Sink:
    """Where a message goes. Sending happens outside Python."""

    def send(self, message: bytes) -> None: ...
    def readers(self) -> int: ...

class Tcp:
    """A thread that reads frames of a four-byte length and a message from sockets."""

    def __init__(self, queue: Queue, max_message_bytes: int) -> None: ...
    def add(self, descriptor: int, channel: int) -> None:
        """Take messages from a descriptor, which is owned from now on."""

    def ended(self) -> list[tuple[int, int, str]]:
        """Return channel, descriptor and reason of connections that ended since the last call.

        A descriptor's number is not used again before its end was reported here.
        """

    def close(self) -> None: ...

class TcpSink(Sink):
    """Sends every message to all its sockets, as frames of a four-byte length and a message."""

    def __init__(self, latched: bool, patience_s: float = 10.0) -> None:
        """Make a sink that drops a reader which took no message within ``patience_s``."""

    def add(self, descriptor: int) -> None:
        """Add a reader, owned from now on; it gets the last message if the sink is latched."""

    @property
    def dropped(self) -> int:
        """Readers that were dropped since they did not read."""

class Player:
    """Messages in touched memory, sent at their times by one thread."""

    def __init__(self, messages: Sequence[tuple[int, int, bytes]], lock: bool) -> None:
        """Time in ns, sink, message; in order of time."""

    def play(
        self,
        sinks: Sequence[Sink],
        rate: float,
        first: int,
        last: int,
        spin_ns: int,
        cpu: int | None,
        fifo_priority: int | None,
        origin_ns: int | None = None,
    ) -> NDArray[np.int64]:
        """Send messages ``first`` to ``last`` (exclusive), each when it is due.

        Return for each the time it was due, when the thread was done with the one before and had
        slept enough, the time before and the time after sending, by CLOCK_MONOTONIC in ns (rows of
        four). Releases Python's lock; ``stop`` ends it early (fewer rows), as Ctrl-C does.

        ``origin_ns``: when ``first`` is due, by CLOCK_MONOTONIC; None: at once. ``rate`` may be
        infinite. A reader's absence delays nothing: a message that nobody reads is sent to nobody.

        Raises:
            ValueError: the schedule does not fit the messages.
            OSError: the CPU or the priority is refused.
        """

    def stop(self) -> None: ...
    @property
    def locked(self) -> bool: ...
