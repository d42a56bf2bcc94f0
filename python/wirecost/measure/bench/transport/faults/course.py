# SPDX-License-Identifier: Apache-2.0
"""A publisher that sends at a steady rate while something happens to it or to others."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from wirecost.measure.bench.transport.faults.fault import Setup
from wirecost.measure.bench.transport.ground import Spot
from wirecost.measure.bench.transport.joining import WRONG
from wirecost.measure.bench.transport.protocol import RECEIVED, SENT, Rows, read_rows
from wirecost.measure.bench.transport.session import LEAD_NS, SPARE_S, START_S, TransportSession
from wirecost.observe.usage import memory
from wirecost.system.channel.json_stream import JsonObject
from wirecost.system.channel.process import Channel
from wirecost.system.children import ProgramFailedError
from wirecost.system.counted import counted

BEFORE_S = 1.0
"""Seconds of undisturbed messages."""
QUIET_S = 0.5
EVERYTHING = 1 << 40
"""More messages than there are: an end that waits for them ends when nothing comes."""


@dataclass(frozen=True)
class Running:
    """Process with a run, and the file of its records."""

    process: Channel
    file: Path
    start_ns: int
    """Time when the first message is due."""


class Course(TransportSession):
    """Session whose processes a fault drives one by one. Methods raise ProgramFailedError."""

    def __init__(self, setup: Setup, subscribers: int) -> None:
        ground, logs = setup.ground, setup.logs
        super().__init__(setup.contender, "pubsub", ground, subscribers, setup.size, logs)
        self._setup = setup
        self._files = 0

    def __enter__(self) -> Course:
        super().__enter__()
        return self

    def another_run(self) -> int:
        """Return the number of a new run."""
        return next(self._runs)

    def listen(self, subscriber: Channel, run: int, hold_ns: int = 0) -> Running:
        """Let a subscriber record from here on, and keep each message for ``hold_ns``."""
        file = self._file()
        subscriber.send("run", **self._order(run, file), seconds=0, hold_ns=hold_ns)
        subscriber.receive(START_S)
        return Running(subscriber, file, 0)

    def speak(self, publisher: Channel, run: int, seconds: float) -> Running:
        """Let a publisher send."""
        file = self._file()
        publisher.ask("run", START_S, **self._order(run, file), seconds=seconds)
        start = time.monotonic_ns() + LEAD_NS
        publisher.send("start", start_ns=start)
        return Running(publisher, file, start)

    def sent(self, speaking: Running, seconds: float) -> Rows:
        """Return the messages it has sent when it ends, ``seconds`` after its begin."""
        speaking.process.receive(seconds + SPARE_S)
        return read_rows(speaking.file, SENT)

    def received(
        self, listening: list[Running], count: int, quiet_s: float = QUIET_S
    ) -> list[Rows]:
        """Return the messages each got, once it has ``count`` or nothing comes any more."""
        quiet_s = max(quiet_s, self.contender.setting.longest_wait_s)
        for running in listening:
            running.process.send("finish", count=count, quiet=quiet_s)
        for running in listening:
            running.process.receive(SPARE_S + quiet_s)
        return [undamaged(read_rows(running.file, RECEIVED)) for running in listening]

    def spare(self, role: str, number: int) -> Channel:
        """Start a process that opens nothing yet, as the time of a start is Python's."""
        process = self._process(f"another {role}", role, self.spot(role, number))
        process.ask("hello", START_S)
        return process

    def open(self, process: Channel, role: str, number: int) -> int:
        """Let a spare process open its end; return when it got the command."""
        sent_ns = time.monotonic_ns()
        process.send("open", **self._opening(role, self.spot(role, number)))
        return sent_ns

    def spot(self, role: str, number: int) -> Spot:
        """Return where an end runs."""
        return self.ground.sender if role == "publisher" else self.ground.receiver(number)

    def memory(self, *more: Channel) -> int:
        """Return the memory of all living processes, in bytes."""
        processes = [self.sender, *self.receivers, *more]
        return memory.held([*(process.pid for process in processes), *self.servers])

    def _order(self, run: int, file: Path) -> JsonObject:
        return {
            "run": run, "count": 0, "rate": self._setup.rate, "size": self._setup.size,
            "check": 1, "records": str(file),
        }  # fmt: skip

    def _file(self) -> Path:
        self._files += 1
        return self._folder / f"fault-{self._files}"


def undamaged(received: Rows) -> Rows:
    """Check the content. Raises ProgramFailedError for messages that are not what was sent."""
    if wrong := int((received[:, 2] == WRONG).sum()):
        raise ProgramFailedError(f"{counted(wrong, 'message')} with other content than was sent")
    return received


def forget(process: Channel) -> None:
    """Remove the pipes and the zombie of a process that was killed."""
    with suppress(ProgramFailedError):
        process.end()
