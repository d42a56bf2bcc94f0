# SPDX-License-Identifier: Apache-2.0
"""Both ends of a way, connected, running blocks of messages."""

from __future__ import annotations

import secrets
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from wirecost.bench.tensor.blocks import Order
from wirecost.bench.tensor.content import DIGITS
from wirecost.bench.tensor.process import TIMEOUT_S, Worker, WorkerFailedError
from wirecost.bench.tensor.ways import Meeting, Way

START_S = 30.0
PRIMING = {
    "plugin": "numpy", "shape": [DIGITS], "dtype": "float64", "content": "ones", "device": "cpu",
    "objects": True, "count": 60, "rate": 20.0,
}  # fmt: skip
"""Small messages for a few seconds; the first ones may be lost."""
PATTERNS = {"pubsub": ("publish", "listen"), "reqrep": ("ask", "answer")}


@dataclass(frozen=True)
class Block:
    """What both ends saw: rows of stamps as ``blocks`` has them."""

    sent: list[list[int]]
    heard: list[list[int]]
    nbytes: int


class Pair:
    """Use as a context manager. Raises WorkerFailedError where an end cannot be had."""

    def __init__(self, way: Way, pattern: str, logs: Path) -> None:
        self._way = way
        self._pattern = pattern
        self._logs = logs
        self._stack = ExitStack()
        self._sender: Worker
        self._listener: Worker | None = None
        self._next = 0

    def __enter__(self) -> Pair:
        try:
            meeting = self._stack.enter_context(self._way.meeting())
            self._start(replace(meeting, topic=f"bench_{secrets.token_hex(6)}"))
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """A second call does nothing."""
        self._stack.close()

    def _start(self, meeting: Meeting) -> None:
        if self._way.one_process:
            self._sender = self._worker("both", meeting)
            self._sender.ask("open", START_S)
            return
        sending, listening = PATTERNS[self._pattern]
        self._listener = self._worker(listening, meeting)
        self._sender = self._worker(sending, meeting)
        for one in (self._listener, self._sender):
            one.ask("open", START_S)
        if not self._sender.ask("wait", 2 * START_S, timeout=START_S)["there"]:
            raise WorkerFailedError(f"no listener was there within {START_S:.0f} s")
        if self._way.primed:
            self.run(PRIMING)

    def _worker(self, role: str, meeting: Meeting) -> Worker:
        log = self._logs / f"{self._way.name}-{role}.txt"
        more = self._way.environment(meeting, role)
        worker = Worker(self._way, role, meeting, log, more)
        self._stack.callback(worker.end)
        return worker

    def run(self, order: dict[str, Any]) -> Block:
        """One block; ``order`` without ``first``. Raises WorkerFailedError."""
        count, rate = order["count"], order["rate"]
        limit = TIMEOUT_S + 10 * (count / rate if rate else 1.0)
        whole = asdict(Order(**order, first=self._next))
        self._next += count
        if self._listener is None:
            both = self._sender.ask("block", limit, order=whole)
            return self._block(both["sent"], both["heard"])
        self._listener.tell("block", order=whole)
        self._listener.hear()
        self._sender.tell("block", order=whole)
        sent = self._sender.hear(limit)
        self._listener.tell("finish")
        return self._block(sent, self._listener.hear(limit))

    def _block(self, sent: dict[str, Any], heard: dict[str, Any]) -> Block:
        for side in (sent, heard):
            if side["failure"]:
                raise WorkerFailedError(side["failure"])
        return Block(sent["stamps"], heard["stamps"], heard["nbytes"] or sent["nbytes"])
