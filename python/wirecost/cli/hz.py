# SPDX-License-Identifier: Apache-2.0
"""``wirecost hz``: rate, periods, bytes and losses of a topic's messages.

They are counted and not decoded.
"""

from __future__ import annotations

import math
import time
from collections import deque
from dataclasses import dataclass
from itertools import pairwise
from statistics import pstdev
from typing import TYPE_CHECKING, Annotated

from wirecost.cli.options import option
from wirecost.cli.topic_options import Address, Count, Topic, TransportName, check_count
from wirecost.results.report.shared import units
from wirecost.system.errors import UserError

if TYPE_CHECKING:
    from wirecost.messaging.transport import Subscriber

EXAMPLE = "wirecost hz camera --seconds 10"

EVERY_S = 1.0
SLICE_S = 0.1
"""Seconds of the longest single wait for the transport: Ctrl-C need not interrupt it."""
HEADINGS = ("rate", "min", "max", "std", "window", "bytes/s", "lost")
WIDTH = 10


def command(
    topic: Topic,
    transport: TransportName = None,
    address: Address = None,
    window: Annotated[
        int, option("Compute the numbers over the last N messages.", metavar="N")
    ] = 10_000,
    count: Count = None,
    seconds: Annotated[
        float | None, option("Stop after S seconds; default: at Ctrl-C.", metavar="S")
    ] = None,
) -> None:
    """Print once a second how often a topic's messages come."""
    from wirecost.messaging.api.topics import find_topic
    from wirecost.messaging.transport import open_transport

    if window < 2:
        raise UserError(f"--window {window}: at least 2 messages are needed")
    check_count("--count", count)
    check_count("--seconds", seconds)
    name, place = find_topic(topic, transport, address)
    with open_transport(name, place) as opened, opened.subscriber(topic) as messages:
        _measure(messages, window, count or math.inf, seconds or math.inf)


def _measure(messages: Subscriber, window: int, count: float, seconds: float) -> None:
    came = _Came(deque(maxlen=window), deque(maxlen=window))
    begin = time.monotonic()
    end, due, printed, headed = begin + seconds, begin + EVERY_S, 0, False
    while came.total < count and (now := time.monotonic()) < end:
        sample = messages.receive(min(SLICE_S, max(0.0, min(due, end) - now)))
        if sample is not None:
            came.add(time.monotonic(), len(sample.buffer))
            sample.release()
        if time.monotonic() < due:
            continue
        due += EVERY_S
        if came.total == printed:
            _say("no message")
        else:
            _say_rate(came, messages, headed)
            printed, headed = came.total, headed or len(came.times) > 1
    if came.total > printed:
        _say_rate(came, messages, headed)


@dataclass
class _Came:
    """Times and bytes of the latest messages."""

    times: deque[float]
    sizes: deque[int]
    total: int = 0

    def add(self, now: float, size: int) -> None:
        self.times.append(now)
        self.sizes.append(size)
        self.total += 1


def _say_rate(came: _Came, messages: Subscriber, headed: bool) -> None:
    if len(came.times) < 2:
        _say("1 message")
        return
    periods = [later - former for former, later in pairwise(came.times)]
    whole = max(came.times[-1] - came.times[0], 1e-9)
    # Each message but the first came within.
    moved = sum(came.sizes) - came.sizes[0]
    cells = [
        f"{units.significant(len(periods) / whole)} Hz",
        *(units.time(1e9 * period) for period in (min(periods), max(periods), pstdev(periods))),
        str(len(came.times)),
        units.size(round(moved / whole)),
        str(messages.count.lost),
    ]
    if not headed:
        _say("".join(f"{heading:>{WIDTH}}" for heading in HEADINGS))
    _say("".join(f"{cell:>{WIDTH}}" for cell in cells))


def _say(line: str) -> None:
    print(line, flush=True)
