# SPDX-License-Identifier: Apache-2.0
"""A contender's two ends, connected, running blocks of messages."""

from __future__ import annotations

import os
import secrets
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from wirecost.measure.bench.engine import other_python
from wirecost.measure.bench.tensor.arrays import DIGITS
from wirecost.measure.bench.tensor.choices import PATTERNS
from wirecost.measure.bench.tensor.contenders.base import TensorContender, TensorMeeting
from wirecost.measure.bench.tensor.interpreters import Interpreter
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


@dataclass(frozen=True)
class TensorBlock:
    """Records of both ends: rows of stamps, see ``blocks``."""

    sent: list[list[int]]
    received: list[list[int]]
    nbytes: int


class TensorPair:
    """Two ends of a contender, as a context manager.

    Raises ProgramFailedError where an end does not start.
    """

    def __init__(
        self,
        contender: TensorContender,
        pattern: str,
        logs: Path,
        interpreter: Interpreter | None = None,
    ) -> None:
        """Prepare a pair. ``interpreter``: instead of the contender's."""
        self._interpreter = interpreter
        self._contender = contender
        self._pattern = pattern
        self._logs = logs
        self._stack = ExitStack()
        self._ends: list[Channel] = []
        self._sender: Channel
        self._listener: Channel | None = None
        self._next = 0

    def __enter__(self) -> TensorPair:
        try:
            meeting = self._stack.enter_context(self._contender.meeting())
            self._start(replace(meeting, topic=f"bench_{secrets.token_hex(6)}"))
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def begin_to_end(self) -> None:
        """Ask the ends to close, and do not wait for them."""
        for end in self._ends:
            with suppress(ProgramFailedError):
                end.send("close")

    def end(self) -> None:
        """End it. A second call does nothing."""
        self._stack.close()

    def _start(self, meeting: TensorMeeting) -> None:
        if self._contender.one_process:
            self._sender = self._end("both", meeting)
            self._sender.ask("open", START_S)
            return
        sending, listening = PATTERNS[self._pattern]
        self._listener = self._end(listening, meeting)
        self._sender = self._end(sending, meeting)
        self._listener.ask("open", START_S)
        self._sender.ask("open", START_S)
        if not self._sender.ask("wait", 2 * START_S, timeout=START_S)["there"]:
            raise ProgramFailedError(f"no listener was there within {START_S:.0f} s")
        if self._contender.primed:
            self.run(PRIMING)

    def _end(self, role: str, meeting: TensorMeeting) -> Channel:
        log = self._logs / f"{self._contender.name}-{role}.txt"
        end = _start_end(self._contender, role, meeting, log, self._interpreter)
        self._ends.append(end)
        self._stack.callback(end.end)
        return end

    def run(self, order: JsonObject) -> TensorBlock:
        """Run a block; ``order`` without ``first``. Raises ProgramFailedError."""
        count, rate = order["count"], order["rate"]
        limit = ANSWER_S + 10 * (count / rate if rate else 1.0)
        whole = asdict(TensorOrder(**order, first=self._next, seed=secrets.randbits(31)))
        self._next += count
        if self._listener is None:
            both = self._sender.ask("block", limit, order=whole)
            return _block(both["sent"], both["received"])
        return _block(*self._exchange(self._listener, whole, limit))

    def _exchange(
        self, listener: Channel, order: JsonObject, limit: float
    ) -> tuple[JsonObject, JsonObject]:
        """Run a block at both ends and return what sender and listener recorded.

        The listener starts first, and ends when it has all messages, or soon after the sender has
        finished.
        """
        listener.ask("block", order=order)
        sent = self._sender.ask("block", limit, order=order)
        listener.send("finish")
        return sent, listener.receive(limit)


def _block(sent: JsonObject, received: JsonObject) -> TensorBlock:
    """Return both ends' ``Side``, as JSON has it. Raises ProgramFailedError where one failed."""
    for side in (sent, received):
        if side["failure"]:
            raise ProgramFailedError(side["failure"])
    nbytes = received["nbytes"] or sent["nbytes"]
    return TensorBlock(sent["stamps"], received["stamps"], nbytes)


def _start_end(
    contender: TensorContender,
    role: str,
    meeting: TensorMeeting,
    log: Path,
    interpreter: Interpreter | None = None,
) -> Channel:
    """Start an end of a contender. ``interpreter``: instead of the contender's."""
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
