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
"""Of undisturbed messages."""
QUIET_S = 0.5
EVERYTHING = 1 << 40
"""More messages than there are: who waits for them ends when nothing comes."""


@dataclass(frozen=True)
class Running:
    """A process with a run, and where it writes what happened."""

    process: Channel
    file: Path
    start_ns: int
    """When the first message is due."""


class Course(TransportSession):
    """Faults drive its processes one by one. Methods raise ProgramFailedError."""

    def __init__(self, setup: Setup, subscribers: int) -> None:
        ground, logs = setup.ground, setup.logs
        super().__init__(setup.contender, "pubsub", ground, subscribers, setup.size, logs)
        self._setup = setup
        self._files = 0

    def __enter__(self) -> Course:
        super().__enter__()
        return self

    def another_run(self) -> int:
        return next(self._runs)

    def listen(self, one: Channel, run: int, hold_ns: int = 0) -> Running:
        """Let a subscriber record from here on, and keep each message for ``hold_ns``."""
        file = self._file()
        one.send("run", **self._order(run, file), seconds=0, hold_ns=hold_ns)
        one.receive(START_S)
        return Running(one, file, 0)

    def speak(self, one: Channel, run: int, seconds: float) -> Running:
        """Let a publisher send."""
        file = self._file()
        one.ask("run", START_S, **self._order(run, file), seconds=seconds)
        start = time.monotonic_ns() + LEAD_NS
        one.send("start", start_ns=start)
        return Running(one, file, start)

    def sent(self, speaking: Running, seconds: float) -> Rows:
        """Return what it has sent when it ends, ``seconds`` after its begin."""
        speaking.process.receive(seconds + SPARE_S)
        return read_rows(speaking.file, SENT)

    def heard(self, listening: list[Running], count: int, quiet_s: float = QUIET_S) -> list[Rows]:
        """Return what each got, once it has ``count`` messages or nothing comes any more."""
        quiet_s = max(quiet_s, self.contender.setting.longest_wait_s)
        for one in listening:
            one.process.send("finish", count=count, quiet=quiet_s)
        for one in listening:
            one.process.receive(SPARE_S + quiet_s)
        return [undamaged(read_rows(one.file, RECEIVED)) for one in listening]

    def spare(self, role: str, number: int) -> Channel:
        """Start a process that opens nothing yet: what a start takes is Python's."""
        spot = self.spot(role, number)
        mware, client = self.contender.mware, self.contender.client
        log = self._logs / f"{mware}-{client.kind}-{role}.txt"
        made = client.start(f"another {role}", spot, log, self._meeting.environment_at(spot))
        self._stack.callback(made.end)
        made.ask("hello", START_S)
        return made

    def open(self, one: Channel, role: str, number: int) -> int:
        """Lets a spare process open its end; when it was asked to."""
        asked = time.monotonic_ns()
        one.send("open", **self._opening(role, self.spot(role, number)))
        return asked

    def spot(self, role: str, number: int) -> Spot:
        return self.ground.sender if role == "publisher" else self.ground.receiver(number)

    def memory(self, *more: Channel) -> int:
        """Of all that lives, in bytes."""
        processes = [self.sender, *self.receivers, *more]
        return memory.held([*(one.pid for one in processes), *self.servers])

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


def forget(one: Channel) -> None:
    """Of a process that was killed: its pipes and its zombie."""
    with suppress(ProgramFailedError):
        one.end()
