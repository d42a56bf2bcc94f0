# SPDX-License-Identifier: Apache-2.0
"""Contender in a process of its own, as the race sees it."""

from __future__ import annotations

import os
import sys
from typing import Any

import msgspec

from wirecost.measure.bench.engine.allocators import NAMED, check_loaded
from wirecost.measure.bench.osi.verification import Canonical
from wirecost.measure.bench.osi.worker_process import Assignment, OsiTurn, Verified
from wirecost.results.records.probe_log import SUFFIX
from wirecost.system import scratch
from wirecost.system.channel.process import Channel
from wirecost.system.children import ProgramFailedError

MODULE = "wirecost.measure.bench.osi.worker_process"
ANSWER_S = 600.0
"""Seconds to read messages of millions of reflections in full; of each step of a turn as well."""


class OsiWorker:
    """Handle on a worker process. Every call raises ProgramFailedError if it fails or dies."""

    def __init__(self, assignment: Assignment) -> None:
        name = assignment.allocator
        environment = NAMED[name].environment(os.environ) if name else None
        self._assignment = assignment
        self._channel = Channel("its process", [sys.executable, "-P", "-m", MODULE], environment)
        self._channel.send("open", assignment=msgspec.to_builtins(assignment, enc_hook=str))

    @property
    def pid(self) -> int:
        return self._channel.pid

    def ready(self) -> str | None:
        """Wait until its models are loaded; return the file that its malloc lies in."""
        file: str | None = self._channel.receive(ANSWER_S)["answer"]
        if self._assignment.allocator:
            check_loaded(NAMED[self._assignment.allocator].allocator, file)
        # Models report only at their end that they cannot log.
        logs = self._assignment.logs
        if len(list(logs.glob(f"*{SUFFIX}"))) < 2:
            raise ProgramFailedError(f"{logs}: no room for the models' logs; make room")
        return file

    def verify(self, read: dict[str, str]) -> Verified:
        """Make a step and look at its messages.

        ``read``: digests of messages that need not be read again, by fingerprint.
        """
        return msgspec.convert(self._ask("verify", read=read), Verified)

    def look(self, read: dict[str, str]) -> Verified:
        """Look at the messages of the last step."""
        return msgspec.convert(self._ask("look", read=read), Verified)

    def again(self, steps: int) -> list[list[str]]:
        """Make the first frames once more; return the fingerprints of both messages of each."""
        fingerprints: list[list[str]] = self._ask("again", steps=steps)
        return fingerprints

    def advance(self, to: int) -> None:
        """Make ``to`` the next step."""
        self._ask("advance", to=to)

    def canonical(self, step: int, which: int) -> Canonical | None:
        """Return a message of a verified step; None if it was not read."""
        with scratch.folder("canonical") as folder:
            path = folder / "message"
            if not self._ask("canonical", step=step, which=which, path=str(path)):
                return None
            return Canonical(path.read_bytes())

    def forget(self) -> None:
        """Let it give back the memory of what was verified."""
        self._ask("forget")

    def calibrate(self) -> int:
        """Return the nanoseconds of a warm step."""
        return int(self._ask("calibrate"))

    def turn(self, warm: int, steps: int, last: int) -> OsiTurn:
        """Take a turn; ``last``: number of the frame that it ends with."""
        within = ANSWER_S * (warm + steps)
        answer = self._channel.ask("turn", within, warm=warm, steps=steps, last=last)["answer"]
        return msgspec.convert(answer, OsiTurn)

    def finish(self) -> None:
        """Let the models write their logs."""
        self._channel.send("end_models")
        # A call that was interrupted has left its answer unread.
        while self._channel.receive(ANSWER_S)["done"] != "end_models":
            pass

    def close(self) -> None:
        """End the process."""
        self._channel.end()

    def _ask(self, do: str, **more: Any) -> Any:
        return self._channel.ask(do, ANSWER_S, **more)["answer"]
