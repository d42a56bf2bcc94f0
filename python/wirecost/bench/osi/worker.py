# SPDX-License-Identifier: Apache-2.0
"""One contender in a process of its own, as the race sees it."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from multiprocessing import Pipe
from typing import Any

from wirecost import children
from wirecost.bench.allocators import NAMED, check_loaded
from wirecost.bench.osi.worker_process import Assignment, Turn, Verified
from wirecost.bench.program import ProgramFailedError
from wirecost.records.probe_log import SUFFIX
from wirecost.verification import Canonical

MAIN = "import sys; from wirecost.bench.osi.worker_process import serve; serve(int(sys.argv[1]))"


class Worker:
    """A handle on a worker process. Every call raises ProgramFailedError if it fails or dies."""

    def __init__(self, assignment: Assignment) -> None:
        self._calls = 0
        self._connection, theirs = Pipe()
        name = assignment.allocator
        self._process = children.start(
            [sys.executable, "-P", "-c", MAIN, str(theirs.fileno())],
            NAMED[name].environment(os.environ) if name else None,
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
        )
        theirs.close()
        with suppress(OSError):  # it is dead, which the first answer will say
            self._connection.send(assignment)
        self._logs = assignment.logs
        self._allocator = assignment.allocator

    def ready(self) -> str | None:
        """Waits until its models are loaded; the file that its malloc lies in."""
        file: str | None = self._receive()
        if self._allocator:
            check_loaded(NAMED[self._allocator].allocator, file)
        # Models report only at their end that they cannot log.
        if len(list(self._logs.glob(f"*{SUFFIX}"))) < 2:
            raise ProgramFailedError(f"{self._logs}: no room for the models' logs; make room")
        return file

    def verify(self, read: dict[str, str]) -> Verified:
        """``read``: digests of messages that need not be read again, by fingerprint."""
        result: Verified = self._call("verify", read)
        return result

    def look(self, read: dict[str, str]) -> Verified:
        """At the messages of the last step."""
        result: Verified = self._call("look", read)
        return result

    def again(self, steps: int) -> list[tuple[str, str]]:
        result: list[tuple[str, str]] = self._call("again", steps)
        return result

    def advance(self, to: int) -> None:
        self._call("advance", to)

    def canonical(self, index: int) -> tuple[Canonical | None, Canonical | None]:
        """Of a verified step; None for a message that was not read."""
        result: tuple[Canonical | None, Canonical | None] = self._call("canonical", index)
        return result

    def forget(self) -> None:
        self._call("forget")

    def calibrate(self) -> int:
        return int(self._call("calibrate"))

    def turn(self, warm: int, steps: int, last: int) -> Turn:
        result: Turn = self._call("turn", warm, steps, last)
        return result

    def finish(self) -> None:
        """Let the models write their logs."""
        self._call("finish")

    def close(self) -> None:
        self._connection.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(10)
        children.end(self._process)

    def _call(self, method: str, *arguments: Any) -> Any:
        self._calls += 1
        try:
            self._connection.send((self._calls, method, arguments))
        except OSError as error:
            raise ProgramFailedError(self._death()) from error
        return self._receive()

    def _receive(self) -> Any:
        number = -1
        # A call that was interrupted has left its answer unread.
        while number != self._calls:
            try:
                number, ok, value = self._connection.recv()
            except (EOFError, OSError) as error:
                raise ProgramFailedError(self._death()) from error
        if not ok:
            raise ProgramFailedError(value)
        return value

    def _death(self) -> str:
        with suppress(subprocess.TimeoutExpired):
            return f"its process {children.ending(self._process.wait(5))}"
        return "its process does not answer"
