# SPDX-License-Identifier: Apache-2.0
"""The processes of a stand-in: they stay alive while topics are opened, and turns taken."""

from __future__ import annotations

import itertools
import secrets
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wirecost.data.messages.content_file import write_content
from wirecost.measure.standins.account import Account, ProcessAccount
from wirecost.measure.standins.description import ClientLibrary, StandIn
from wirecost.measure.standins.programs import CYCLONE, DDS, PYTHON, end_program, ended
from wirecost.observe.usage import clocks
from wirecost.system import scratch
from wirecost.system.channel.json_stream import JsonObject
from wirecost.system.channel.process import Channel
from wirecost.system.children import ProgramFailedError
from wirecost.system.closing import Closing

TRANSPORTS, UDP = "FASTDDS_BUILTIN_TRANSPORTS", "UDPv4"
"""Variable by which Fast DDS is told how to send, and its word for UDP alone."""
Rows = NDArray[np.int64]
"""Rows of a run, as the protocol of ``bench transport`` has them."""
SENT, RECEIVED = 4, 3
"""Numbers in a row."""
LEAST_BYTES = 24
"""Size of the smallest message that a native client can number."""
START_S, PRIME_S = 20.0, 10.0
JOINS = 4
"""Times that ends look for each other: of many that come and go, Fast DDS may miss one."""
SPARE_S = 10.0
LEAD_NS = 30_000_000
"""Nanoseconds until the first message is due: all ends are about to be ready."""
DRAIN_S = 0.15
"""Seconds after the last message until the turn ends: what is on its way arrives."""
SETTLE_S, SETTLE_AGAIN_S = 0.8, 0.1
"""Seconds that processes still look for each other in, and those of a further topic of theirs."""
MOST_SETTLING_S, WINDOW_S, QUIET = 3.0, 0.05, 0.05
"""Seconds beyond these, seconds between two looks, and the share of a core that is no work."""
IDLE_S = 0.5
"""Seconds for which processes are watched without messages."""


@dataclass(frozen=True)
class _Run:
    """``spent_ns``: processor time of each process in ``took_s`` seconds; rows of ``protocol``."""

    took_s: float
    spent_ns: list[float]
    sent: Rows
    received: list[Rows]


class StandInProcesses(Closing):
    """A publisher's process and subscribers' processes of a client library.

    Methods raise UserError, ProgramFailedError.
    """

    def __init__(self, library: ClientLibrary, subscribers: int) -> None:
        """Start the processes, which open nothing yet."""
        self.library = library
        self._stack = ExitStack()
        self._numbers = itertools.count(1)
        self._idle: list[float] = []
        """Nanoseconds a second that each process takes without messages."""
        self._stand_in: StandIn | None = None
        self._is_new = True
        try:
            self._folder = self._stack.enter_context(scratch.folder("stand-in"))
            log = self._folder / "log"
            self._program = self._stack.enter_context(end_program(library))
            self._receivers = [self._started("subscriber", log) for _ in range(subscribers)]
            self._sender = self._started("publisher", log)
        except BaseException:
            self.close()
            raise

    def _started(self, role: str, log: Path) -> Channel:
        end = self._program.start(role, log)
        self._stack.callback(end.end)
        return end

    @property
    def _ends(self) -> list[Channel]:
        return [self._sender, *self._receivers]

    def close(self) -> None:
        self._stack.close()

    def open(self, stand_in: StandIn) -> None:
        """Open a topic in the place of the one before, and wait until its messages arrive."""
        self._stand_in = stand_in
        content = self._folder / "content"
        write_content(content, stand_in.messages)
        what = {**self._opening(stand_in), "content": str(content)}
        try:
            for _ in range(JOINS):
                if self._joined(what):
                    break
            else:
                raise ProgramFailedError(
                    f"{self.library.name}: not all subscribers got anything, in {JOINS} times of "
                    f"{PRIME_S:g} s"
                )
        except ProgramFailedError as error:
            raise ended(self.library, error) from error
        # A native client joins its domain anew for each topic.
        is_known = not self._is_new and self.library.name in PYTHON
        self._settle(SETTLE_AGAIN_S if is_known else SETTLE_S)
        self._is_new = False
        done = self._run(IDLE_S, is_silent=True)
        # A publisher waits for each message's time while it publishes, and not while others drain.
        self._idle = [
            spent_ns / (done.took_s if place else IDLE_S)
            for place, spent_ns in enumerate(done.spent_ns)
        ]

    def _joined(self, what: JsonObject) -> bool:
        """Open a new topic at all ends; return whether its messages arrive everywhere."""
        topic = f"stand_in_{secrets.token_hex(6)}"
        # One after another: of two that join at once, Fast DDS may give both the same port.
        for end in reversed(self._ends):
            role = "publisher" if end is self._sender else "subscriber"
            end.ask("open", START_S, role=role, topic=topic, **what)
        return self._prime()

    def _opening(self, stand_in: StandIn) -> JsonObject:
        own: JsonObject = {}
        if self.library.name in (DDS, CYCLONE):
            own = {"keep_last": True}
        if self.library.name == DDS and self.library.environment.get(TRANSPORTS) != UDP:
            own["shared_memory"] = True  # as Fast DDS does by itself
        return {
            "type": stand_in.type,
            "transport": self.library.name,
            "address": self._program.address,
            "size": self._size(stand_in),
            "queue": stand_in.depth,
            "depth": stand_in.depth,
            "reliable": stand_in.reliable,
            "settings": {**own, **self.library.settings},
        }

    @staticmethod
    def _size(stand_in: StandIn) -> int:
        return max(LEAST_BYTES, round(stand_in.mean_bytes))

    def _prime(self) -> bool:
        size = self._size(self._stand_in) if self._stand_in is not None else 0
        for receiver in self._receivers:
            receiver.send("prime", timeout=PRIME_S)
        self._sender.send("prime", timeout=PRIME_S + 1, size=size)
        there = [receiver.receive(PRIME_S + START_S)["there"] for receiver in self._receivers]
        self._sender.send("finish", count=0, quiet=0)
        self._sender.receive(START_S)
        return all(there)

    def turn(self, seconds: float) -> Account:
        """Publish for so long; return what each process paid."""
        assert self._stand_in is not None
        done = self._run(seconds)
        accounts = [
            ProcessAccount(len(rows), spent_ns, idle_ns * (done.took_s if place else seconds))
            for place, (rows, spent_ns, idle_ns) in enumerate(
                zip((done.sent, *done.received), done.spent_ns, self._idle, strict=True)
            )
        ]
        sizes = [len(message) for message in self._stand_in.messages]
        byte_count = sum(sizes[number % len(sizes)] for number in range(len(done.sent)))
        latencies = [latencies_ns(done.sent, rows) for rows in done.received]
        return Account(
            seconds, byte_count, accounts[0], tuple(accounts[1:]), np.concatenate(latencies)
        )

    def _run(self, seconds: float, *, is_silent: bool = False) -> _Run:
        """Publish, or do all but that."""
        assert self._stand_in is not None
        what: JsonObject = {
            "run": next(self._numbers), "count": 0, "check": 0, "seconds": seconds,
            "rate": self._stand_in.rate_hz, "size": self._size(self._stand_in),
            "silent": is_silent,
        }  # fmt: skip
        files = [self._folder / f"{what['run']}-{place}" for place in range(len(self._ends))]
        # A native publisher that sends nothing only waits.
        running = self._receivers if is_silent and self.library.name not in PYTHON else self._ends
        for end, file in zip(self._ends, files, strict=True):
            if end in running:
                end.send("run", records=str(file), **what)
                end.receive(START_S)
        before = self._clocks()
        if self._sender in running:
            start_ns = time.monotonic_ns() + LEAD_NS
            self._sender.ask("start", seconds + SPARE_S, start_ns=start_ns)
        else:
            time.sleep(seconds)
        if not is_silent:
            self._settle(DRAIN_S)
        after = self._clocks()
        for end in self._receivers:
            end.send("finish", count=0, quiet=0.0)
            end.receive(START_S)
        widths = (SENT, *[RECEIVED] * len(self._receivers))
        rows = [
            np.fromfile(file, "<i8").astype(np.int64).reshape(-1, width)
            if file.exists()
            else np.zeros((0, width), np.int64)
            for file, width in zip(files, widths, strict=True)
        ]
        for file in files:
            file.unlink(missing_ok=True)
        spent_ns = [float(then - now) for then, now in zip(after[1:], before[1:], strict=True)]
        return _Run((after[0] - before[0]) / 1e9, spent_ns, rows[0], rows[1:])

    def _settle(self, least_s: float) -> None:
        """Wait so long, and until all that was sent is taken."""
        end = time.monotonic() + least_s
        latest, before = end + MOST_SETTLING_S, self._clocks()
        while True:
            time.sleep(WINDOW_S)
            after = self._clocks()
            spent_ns = sum(after[1:]) - sum(before[1:])
            if after[0] / 1e9 >= end and spent_ns < QUIET * (after[0] - before[0]):
                return
            if after[0] / 1e9 >= latest:
                return
            before = after

    def _clocks(self) -> list[int]:
        """Return the time, and the processor time of each process. Raises ProgramFailedError."""
        read = [clocks.scheduled(end.pid) for end in self._ends]
        if None in read:
            raise ProgramFailedError(f"{self.library.name}: an end is no more")
        return [time.monotonic_ns(), *(spent for spent in read if spent is not None)]


def latencies_ns(sent: Rows, received: Rows) -> Rows:
    """Return nanoseconds from the begin of the publish call to the callback.

    A message without a number is the last one that its publisher had begun when the middleware
    took it, or, where the middleware does not say when, the one in its place if all came.
    """
    if not len(sent) or not len(received):
        return np.zeros(0, np.int64)
    numbers, begins = received[:, 0], sent[:, 2]
    if numbers[0] < 0:
        sources = received[:, 2]
        if sources.all():
            numbers = np.searchsorted(begins, sources, side="right") - 1
        elif len(sent) == len(received):
            numbers = np.arange(len(sent))
        else:
            return np.zeros(0, np.int64)
    is_known = (numbers >= 0) & (numbers < len(begins))
    latencies: Rows = received[is_known, 1] - begins[numbers[is_known]]
    return latencies
