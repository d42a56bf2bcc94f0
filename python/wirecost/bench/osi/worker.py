# SPDX-License-Identifier: Apache-2.0
"""One contender in a process of its own, as the race sees it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context, resource_tracker
from typing import Any

from wirecost.bench.allocators import NAMED, check_loaded
from wirecost.bench.osi.worker_process import Assignment, Turn, Verified, serve
from wirecost.bench.program import ProgramFailedError
from wirecost.records.probe_log import SUFFIX
from wirecost.verification import Canonical


class Worker:
    """A handle on a worker process. Every call raises ProgramFailedError if it fails or dies."""

    def __init__(self, assignment: Assignment) -> None:
        context = get_context("spawn")
        self._calls = 0
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs, assignment), daemon=True)
        # Ctrl-C is for the race; the process keeps this mask.
        former = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            with _environment(assignment.allocator):
                self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, former)
        theirs.close()
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
        self._process.join(timeout=10)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()

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
        self._process.join(timeout=5)
        code = self._process.exitcode
        if code is not None and code < 0:
            return f"its process was ended by {signal.Signals(-code).name}"
        return f"its process ended with exit code {code}"


@contextmanager
def _environment(allocator: str) -> Iterator[None]:
    """That of processes which are started meanwhile."""
    if not allocator:
        yield
        return
    resource_tracker.ensure_running()  # which would keep the allocator
    former = dict(os.environ)
    wanted = NAMED[allocator].environment(former)
    try:
        for name in former.keys() - wanted.keys():
            del os.environ[name]
        os.environ.update(wanted)
        yield
    finally:
        for name in wanted.keys() - former.keys():
            del os.environ[name]
        os.environ.update(former)
