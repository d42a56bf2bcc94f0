# SPDX-License-Identifier: Apache-2.0
"""A process that is asked, and answers, in JSON lines over its two streams (``serving``)."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from wirecost.system import children
from wirecost.system.channel.json_stream import CHUNK, JsonObject, JsonStream
from wirecost.system.children import ProgramFailedError, failed

ANSWER_S = 30.0
"""Seconds that an answer may take, by default."""
CLOSE_S = 3.0
QUOTED = 4096
"""Bytes at the end of the process's output, of which the last line is quoted."""


class Channel(JsonStream):
    """A process that ends with its standard input, and so with the one that started it.

    Methods raise ProgramFailedError, which names the process, where it ended, did not answer, or
    answered with a failure.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        environment: Mapping[str, str] | None = None,
        log: Path | None = None,
        descriptors: Sequence[int] = (),
        last: signal.Signals = signal.SIGTERM,
    ) -> None:
        """Start the process.

        ``environment``: None for this process's. ``log`` takes what it prints; its end is quoted
        where it fails. ``descriptors`` are inherited. ``last`` is sent to it where this process
        ends first; by default it then ends in order.
        """
        super().__init__()
        self.name = name
        self._log: IO[bytes] = TemporaryFile() if log is None else log.open("a+b")  # noqa: SIM115
        self._process: subprocess.Popen[bytes] = children.start(
            command,
            environment,
            last,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            pass_fds=descriptors,
            bufsize=0,
        )
        self._killed = False
        self._printed = ""

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, do: str, **more: Any) -> None:
        """Send a command."""
        self._check_alive()
        self.put({"do": do, **more})

    def receive(self, within: float = ANSWER_S) -> JsonObject:
        """Return its next answer, which must come within ``within`` seconds."""
        self._check_alive()
        answer = self.wait(within)
        if answer is None:
            raise ProgramFailedError(f"{self.name}: no answer within {within:g} s")
        if answer.get("failure"):
            raise ProgramFailedError(str(answer["failure"]))
        return answer

    def ask(self, do: str, within: float = ANSWER_S, **more: Any) -> JsonObject:
        """Send a command and return the answer."""
        self.send(do, **more)
        return self.receive(within)

    def end(self) -> None:
        """End the process: in order if it can. A second call does nothing."""
        with suppress(ProgramFailedError, subprocess.TimeoutExpired):
            self.send("close")
            self._process.wait(CLOSE_S)
        self._kill()

    def _check_alive(self) -> None:
        if self._killed:
            raise ProgramFailedError(f"{self.name} has ended")

    def fileno(self) -> int:
        assert self._process.stdout is not None
        return self._process.stdout.fileno()

    def _read(self) -> bytes:
        return os.read(self.fileno(), CHUNK)

    def _write(self, content: bytes) -> None:
        assert self._process.stdin is not None
        while content:
            content = content[self._process.stdin.write(content) :]

    def _error(self, reason: str) -> ProgramFailedError:
        return ProgramFailedError(f"{self.name}: {reason}")

    def _ended(self, error: OSError | None) -> ProgramFailedError:
        del error
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        self._kill()
        return failed(self.name, self._process.returncode, self._printed)

    def _kill(self) -> None:
        """Kill the process with those of its own that it leaves behind.

        A second call does nothing: its number may be another process's by then.
        """
        if self._killed:
            return
        self._killed = True
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        children.end(self._process)
        with self._log as log:
            log.seek(-min(QUOTED, log.seek(0, os.SEEK_END)), os.SEEK_END)
            self._printed = log.read().decode(errors="replace")
