# SPDX-License-Identifier: Apache-2.0
"""Costs of carrying the messages at a rate: processor time of real senders and receivers."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import psutil

from wirecost.data.messages.content_file import write_content
from wirecost.messaging.transport import find
from wirecost.system import scratch
from wirecost.system.channel.process import Channel

MODULE = "wirecost.measure.at_rate.worker"
SECONDS = 3.0
LEAST_MESSAGES = 50
WARM = 20
"""Messages before those that are measured."""
START_S = 30.0


@dataclass(frozen=True)
class RateRequest:
    """Rate and transport that the user asked for.

    ``rate``: messages per second, None where nobody asks; ``over``: a transport, empty for none.
    """

    rate: float | None = None
    subscribers: int = 1
    over: str = ""

    @property
    def count(self) -> int:
        """Messages that are measured."""
        return max(LEAST_MESSAGES, round((self.rate or 0.0) * SECONDS))


@dataclass(frozen=True)
class CarryingCost:
    """Processor time per message, of all threads.

    ``sender_ns``; ``subscriber_ns`` of each subscriber on average; ``server_ns`` of a process
    between them. ``received``: share of all messages that came.
    """

    over: str
    library: str
    sender_ns: float
    subscriber_ns: float
    server_ns: float
    received: float
    messages: int


def carrying(asked: RateRequest, messages: Sequence[bytes]) -> CarryingCost:
    """Send the messages in turns. Raises ProgramFailedError, UserError."""
    kind = find(asked.over)
    with ExitStack() as stack:
        folder = stack.enter_context(scratch.folder("path"))
        content = folder / "content"
        write_content(content, messages)
        address = stack.enter_context(kind.server())
        servers = psutil.Process().children(recursive=True)
        job = {
            "transport": asked.over,
            "address": address,
            "topic": f"path_{secrets.token_hex(6)}",
            "content": str(content),
            "warm": WARM,
            "count": asked.count,
            "rate": asked.rate,
        }
        # Time for what is sent, and for who has missed its end.
        limit_s = START_S + 2 * (asked.count + WARM) / (asked.rate or 1.0)

        def opened(role: str, name: str) -> Channel:
            end = Channel(f"the {name}", [sys.executable, "-P", "-m", MODULE])
            stack.callback(end.end)
            end.send("open", role=role, **job)
            return end

        receivers = [opened("receive", f"receiver {number}") for number in range(asked.subscribers)]
        for receiver in receivers:
            receiver.receive(START_S)
            receiver.send("run")
        sender = opened("send", "sender")
        sender.receive(START_S)
        before = _processor_ns(servers)
        sent = sender.ask("run", limit_s)
        got = [receiver.receive(limit_s) for receiver in receivers]
        server_ns = _processor_ns(servers) - before
    received = sum(answer["received"] for answer in got)
    return CarryingCost(
        asked.over,
        f"{kind.package.name} {kind.package.version() or 'of unknown version'}",
        sent["ns"] / asked.count,
        sum(answer["ns"] for answer in got) / max(1, received),
        server_ns / (asked.count + WARM),
        received / (asked.count * asked.subscribers),
        asked.count,
    )


def _processor_ns(processes: Sequence[psutil.Process]) -> float:
    total = 0.0
    for process in processes:
        try:
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        total += times.user + times.system
    return total * 1e9
