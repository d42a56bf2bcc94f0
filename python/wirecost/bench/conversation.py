# SPDX-License-Identifier: Apache-2.0
"""A program that is asked while it runs."""

from __future__ import annotations

import os
import select
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

from wirecost import children
from wirecost.bench.program import ProgramFailedError, failed


class Conversation:
    """A program that answers commands line by line. It ends with its standard input, and so with
    the process that started it. Methods raise ProgramFailedError."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        environment: Mapping[str, str] | None = None,
        timeout_s: float | None = None,
    ) -> None:
        """``timeout_s``: the longest that an answer may take."""
        self.name = name
        self._timeout_s = timeout_s
        self._received = b""
        self._process: subprocess.Popen[bytes] = children.start(
            command,
            environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, command: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(command.encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise self.failure() from None

    def receive(self) -> str:
        """Its next line."""
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        deadline = None if self._timeout_s is None else time.monotonic() + self._timeout_s
        while b"\n" not in self._received:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            if not select.select([descriptor], [], [], left)[0]:
                raise ProgramFailedError(f"{self.name} did not answer within {self._timeout_s:g} s")
            content = os.read(descriptor, 4096)
            if not content:
                raise self.failure()
            self._received += content
        line, _, self._received = self._received.partition(b"\n")
        return line.decode()

    def ask(self, command: str) -> str:
        self.send(command)
        return self.receive()

    def finish(self) -> list[str]:
        """Lets it end in order; the words that it prints until then."""
        output, errors = self._process.communicate(timeout=60)
        if self._process.returncode != 0:
            raise failed(self.name, self._process.returncode, errors.decode(errors="replace"))
        return (self._received + output).decode().split()

    def has_ended(self, within_s: float) -> bool:
        """Whether it has, or does so within some seconds."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(within_s)
        return self._process.returncode is not None

    def failure(self) -> ProgramFailedError:
        """How it ended, which it does if it has not yet."""
        if not self.has_ended(within_s=1):
            self._process.kill()
        _, errors = self._process.communicate()
        return failed(self.name, self._process.returncode, errors.decode(errors="replace"))

    def end(self) -> None:
        """Whatever it does."""
        children.end(self._process)
