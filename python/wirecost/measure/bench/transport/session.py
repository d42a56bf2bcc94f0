# SPDX-License-Identifier: Apache-2.0
"""A contender's processes: a publisher and its subscribers, connected, that run blocks."""

from __future__ import annotations

import itertools
import secrets
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wirecost.measure.bench.transport.choices import PATTERNS
from wirecost.measure.bench.transport.contender import TransportContender
from wirecost.measure.bench.transport.ground import Ground, Spot, WireBytes
from wirecost.measure.bench.transport.joining import Arrivals, TransportCounts, answered, published
from wirecost.measure.bench.transport.meeting import meeting
from wirecost.measure.bench.transport.price import Price, Pricing
from wirecost.measure.bench.transport.protocol import RECEIVED, SENT, read_rows
from wirecost.system import scratch
from wirecost.system.channel.json_stream import JsonObject
from wirecost.system.channel.process import Channel
from wirecost.system.children import ProgramFailedError
from wirecost.system.errors import UserError

START_S = 30.0
PRIME_S = 20.0
LEAD_NS = 30_000_000
"""Nanoseconds until the first message is due: all ends are about to be ready."""
SPARE_S = 30.0
"""Seconds that a block may take beyond its messages."""


@dataclass(frozen=True)
class TransportOrder:
    """Block of messages to send.

    ``rate`` 0 is as fast as they can be sent; of ``count`` and ``seconds`` one may be 0. Every
    ``check``-th is checked in whole.
    """

    size: int
    rate: float
    count: int = 0
    seconds: float = 0.0
    check: int = 1
    quiet_s: float = 0.5
    """Seconds that a subscriber waits for a further message when all were sent."""


@dataclass(frozen=True)
class TransportBlock:
    """Result of an order."""

    order: TransportOrder
    counts: TransportCounts
    arrivals: list[Arrivals]
    """Arrivals at each subscriber."""
    price: Price
    wire: WireBytes
    took_s: float


class TransportSession:
    """Processes of a contender, as a context manager.

    Raises ProgramFailedError where an end does not start.
    """

    def __init__(
        self,
        contender: TransportContender,
        pattern: str,
        ground: Ground,
        subscribers: int,
        size: int,
        logs: Path,
    ) -> None:
        """Prepare a session; ``size``: the most bytes of a message."""
        self.contender = contender
        self.ground = ground
        self._pattern = pattern
        self._size = size
        self._logs = logs
        self._count = subscribers
        self._stack = ExitStack()
        self._runs = itertools.count(1)
        self.sender: Channel
        self.receivers: list[Channel] = []
        self.servers: tuple[int, ...] = ()

    def __enter__(self) -> TransportSession:
        try:
            self._start()
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """End it. A second call does nothing."""
        # All at once, for some take long.
        for end in (*self.receivers, *([self.sender] if hasattr(self, "sender") else [])):
            with suppress(ProgramFailedError):
                end.send("close")
        self._stack.close()

    def _start(self) -> None:
        self._folder = self._stack.enter_context(scratch.folder("records"))
        mware, setting = self.contender.mware, self.contender.setting
        log = self._logs / f"{mware}-server.txt"
        self._meeting = self._stack.enter_context(
            meeting(mware, self.ground, self._pattern, setting.router, log)
        )
        self.servers = self._meeting.servers
        self._topic = f"bench_{secrets.token_hex(6)}"
        sending, receiving = PATTERNS[self._pattern]
        self.receivers = [
            self._end(receiving, self.ground.receiver(number), f"-{number}")
            for number in range(self._count)
        ]
        self.sender = self._end(sending, self.ground.sender, "")
        for end in (*self.receivers, self.sender):
            end.receive(START_S)
        self.prime()

    def _end(self, role: str, spot: Spot, suffix: str) -> Channel:
        """Start a process, which then opens its end."""
        process = self._process(f"{self.contender.mware} {role}{suffix}", role, spot)
        process.send("open", **self._opening(role, spot))
        return process

    def _process(self, name: str, role: str, spot: Spot) -> Channel:
        """Start a process that opens nothing yet."""
        mware, client = self.contender.mware, self.contender.client
        log = self._logs / f"{mware}-{client.kind}-{role}.txt"
        process = client.start(name, spot, log, self._meeting.environment_at(spot))
        self._stack.callback(process.end)
        return process

    def _opening(self, role: str, spot: Spot) -> JsonObject:
        """Return the command's keys for an end that opens there."""
        address = self._meeting.address_at(spot)
        return {
            "role": role,
            "topic": self._topic,
            **self.contender.opening(address, self._size),
        }

    def prime(self) -> None:
        """Send until messages arrive everywhere. Raises ProgramFailedError."""
        if self._pattern == "reqrep":
            (replier,) = self.receivers
            replier.send("prime", timeout=PRIME_S)
            self.sender.ask("prime", PRIME_S + START_S, timeout=PRIME_S)
            replier.send("finish", count=0, quiet=0)
            replier.receive(START_S)
            return
        for receiver in self.receivers:
            receiver.send("prime", timeout=PRIME_S)
        self.sender.send("prime", timeout=PRIME_S + 1)
        there = [receiver.receive(PRIME_S + START_S)["there"] for receiver in self.receivers]
        self.sender.send("finish", count=0, quiet=0)
        self.sender.receive(START_S)
        if not all(there):
            raise ProgramFailedError(
                f"{there.count(False)} of {len(there)} subscribers got nothing within {PRIME_S:g} s"
            )

    def run(self, order: TransportOrder) -> TransportBlock:
        """Run a block. Raises ProgramFailedError."""
        run = next(self._runs)
        begun = time.monotonic()
        what: JsonObject = {
            "run": run,
            "count": order.count,
            "seconds": order.seconds,
            "rate": order.rate,
            "size": order.size,
            "check": order.check,
        }
        files = [self._folder / f"{run}-{number}" for number in range(self._count)]
        sent_file = self._folder / f"{run}-sent"
        for end, file in zip(self.receivers, files, strict=True):
            end.send("run", **what, records=str(file))
        self.sender.send("run", **what, records=str(sent_file))
        # They prepare their run before anything is counted.
        for end in (*self.receivers, self.sender):
            end.receive(START_S)
        limit = (order.seconds or order.count / (order.rate or 1.0)) + SPARE_S
        servers = self.servers
        with Pricing(self.sender.pid, [end.pid for end in self.receivers], servers) as pricing:
            wire = self.ground.wire()
            start_ns = time.monotonic_ns() + LEAD_NS
            with self.ground.disturbed():
                done = self.sender.ask("start", limit, start_ns=start_ns)
                for end in self.receivers:
                    end.send("finish", count=done["messages"], quiet=order.quiet_s)
                for end in self.receivers:
                    end.receive(limit)
            price, after = pricing.end(), self.ground.wire()
        sent = read_rows(sent_file, SENT)
        received = [read_rows(file, RECEIVED) for file in files]
        for file in (sent_file, *files):
            file.unlink()
        counts, arrivals = self._joined(sent, received)
        passed = WireBytes(
            after.there - wire.there,
            None if after.back is None or wire.back is None else after.back - wire.back,
        )
        return TransportBlock(order, counts, arrivals, price, passed, time.monotonic() - begun)

    def _joined(self, sent: Any, received: list[Any]) -> tuple[TransportCounts, list[Arrivals]]:
        try:
            if self._pattern == "reqrep":
                return answered(sent, received[0])
            return published(sent, received)
        except (ValueError, UserError) as error:
            raise ProgramFailedError(str(error)) from error
