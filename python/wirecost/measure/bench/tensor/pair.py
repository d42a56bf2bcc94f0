# SPDX-License-Identifier: Apache-2.0
"""A contender's two ends, connected, running blocks of messages."""

from __future__ import annotations

import os
import secrets
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from wirecost.measure.bench.engine import other_python
from wirecost.measure.bench.tensor import clocks
from wirecost.measure.bench.tensor.arrays import DIGITS
from wirecost.measure.bench.tensor.choices import PATTERNS
from wirecost.measure.bench.tensor.commands import RefusedCommandError, check_side
from wirecost.measure.bench.tensor.contenders.base import TensorContender, TensorMeeting
from wirecost.measure.bench.tensor.interpreters import Interpreter
from wirecost.measure.bench.tensor.remote import Remote, RemoteEnd
from wirecost.measure.bench.tensor.task import TensorOrder
from wirecost.system import scratch
from wirecost.system.channel.json_stream import JsonObject
from wirecost.system.channel.process import ANSWER_S, Channel
from wirecost.system.children import ProgramFailedError

MODULE = "wirecost.measure.bench.tensor.worker"
ENVIRONMENT = {"JAX_ENABLE_X64": "1", "TF_CPP_MIN_LOG_LEVEL": "3", "RUST_LOG": "error"}
START_S = 30.0
PRIMING = {
    "plugin": "numpy", "shape": [DIGITS], "dtype": "float64", "content": "ones", "device": "cpu",
    "objects": True, "count": 60, "rate": 20.0,
}  # fmt: skip
"""Block of small messages for a few seconds; the first ones may be lost."""
_LISTENER_STAMPS = 4
"""Numbers in each of a listener's rows."""


@dataclass(frozen=True)
class TensorBlock:
    """Records of both ends: rows of stamps, see ``blocks``, all by the sender's clock."""

    sent: list[list[int]]
    received: list[list[int]]
    nbytes: int
    clock: clocks.ClockReading | None = None
    """Reading of the other machine's clock, where the listener is on another machine."""


class TensorPair:
    """Two ends of a contender, as a context manager.

    Raises ProgramFailedError where an end does not start, LostListenerError where the other machine
    cannot be reached any more.
    """

    def __init__(
        self,
        contender: TensorContender,
        pattern: str,
        logs: Path,
        address: str | None = None,
        remote: Remote | None = None,
        interpreter: Interpreter | None = None,
    ) -> None:
        """Prepare a pair.

        ``address``: where the ends meet, if the contender does not decide. ``remote``: where the
        listener is, if not here. ``interpreter``: instead of the contender's.
        """
        self._interpreter = interpreter
        self._contender = contender
        self._address = address
        self._remote = remote
        self._pattern = pattern
        self._logs = logs
        self._stack = ExitStack()
        self._ends_here: list[Channel] = []
        self._sender: Channel
        self._listener: Channel | RemoteEnd | None = None
        self._next = 0

    def __enter__(self) -> TensorPair:
        try:
            if self._address is not None:
                meeting = TensorMeeting(self._address)
            else:
                meeting = self._stack.enter_context(self._contender.meeting())
            self._start(replace(meeting, topic=f"bench_{secrets.token_hex(6)}"))
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def begin_to_end(self) -> None:
        """Ask the ends on this machine to close, and do not wait for them."""
        for end in self._ends_here:
            with suppress(ProgramFailedError):
                end.send("close")

    def end(self) -> None:
        """End it. A second call does nothing."""
        self._stack.close()

    def _start(self, meeting: TensorMeeting) -> None:
        if self._contender.one_process:
            self._sender = self._end_here("both", meeting)
            self._sender.ask("open", START_S)
            return
        sending, listening = PATTERNS[self._pattern]
        if self._remote is None:
            self._listener = self._end_here(listening, meeting)
        else:
            self._listener = self._remote.end_there(self._contender, listening, meeting)
            self._stack.callback(self._listener.end)
        self._sender = self._end_here(sending, meeting)
        self._listener.ask("open", START_S)
        self._sender.ask("open", START_S)
        if not self._sender.ask("wait", 2 * START_S, timeout=START_S)["there"]:
            raise ProgramFailedError(f"no listener was there within {START_S:.0f} s")
        if self._contender.primed:
            self.run(PRIMING, timed=False)

    def _end_here(self, role: str, meeting: TensorMeeting) -> Channel:
        log = self._logs / f"{self._contender.name}-{role}.txt"
        end = start_end(self._contender, role, meeting, log, self._interpreter)
        self._ends_here.append(end)
        self._stack.callback(end.end)
        return end

    def run(self, order: JsonObject, timed: bool = True) -> TensorBlock:
        """Run a block; ``order`` without ``first``. ``timed``: whether its times are of interest.

        Raises ProgramFailedError, LostListenerError.
        """
        count, rate = order["count"], order["rate"]
        limit = ANSWER_S + 10 * (count / rate if rate else 1.0)
        whole = asdict(TensorOrder(**order, first=self._next, seed=secrets.randbits(31)))
        self._next += count
        if self._listener is None:
            both = self._sender.ask("block", limit, order=whole)
            return _block(both["sent"], both["received"])
        remote = self._remote
        before = remote.clock() if remote is not None and timed else None
        sent, received = self._exchange(self._listener, whole, limit)
        if remote is None:
            return _block(sent, received)
        try:
            check_side(received, count, _LISTENER_STAMPS)
        except RefusedCommandError as error:
            raise ProgramFailedError(f"listener: {error}") from None
        if before is None:
            return _block(sent, received)
        clock = clocks.between(before, remote.clock())
        for row in received["stamps"]:
            row[1:] = (stamp - clock.offset_ns for stamp in row[1:])
        return _block(sent, received, clock)

    def _exchange(
        self, listener: Channel | RemoteEnd, order: JsonObject, limit: float
    ) -> tuple[JsonObject, JsonObject]:
        """Run a block at both ends and return what sender and listener recorded.

        The listener starts first, and ends when it has all messages, or soon after the sender has
        finished.
        """
        listener.ask("block", order=order)
        sent = self._sender.ask("block", limit, order=order)
        listener.send("finish")
        return sent, listener.receive(limit)


def _block(
    sent: JsonObject, received: JsonObject, clock: clocks.ClockReading | None = None
) -> TensorBlock:
    """Return both ends' ``Side``, as JSON has it. Raises ProgramFailedError where one failed."""
    for side in (sent, received):
        if side["failure"]:
            raise ProgramFailedError(side["failure"])
    nbytes = received["nbytes"] or sent["nbytes"]
    return TensorBlock(sent["stamps"], received["stamps"], nbytes, clock)


def start_end(
    contender: TensorContender,
    role: str,
    meeting: TensorMeeting,
    log: Path,
    interpreter: Interpreter | None = None,
) -> Channel:
    """Start an end of a contender on this machine. ``interpreter``: instead of the contender's."""
    python = interpreter.path if interpreter else contender.python
    environment = other_python.environment(contender.packages) if interpreter else dict(os.environ)
    more = contender.environment(meeting, role)
    return Channel(
        f"{contender.name} {role}",
        [
            str(python), "-P", "-m", MODULE, contender.name, role, str(contender.size),
            meeting.topic, meeting.address or "", " ".join(map(str, meeting.descriptors)),
        ],
        {**environment, **ENVIRONMENT, "TMPDIR": str(scratch.make("worker")), **more},
        log,
        meeting.descriptors,
    )  # fmt: skip
