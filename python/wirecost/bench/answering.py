# SPDX-License-Identifier: Apache-2.0
"""A process that answers lines of JSON (``driven``), as the harness sees it."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from wirecost import children

TIMEOUT_S = 30.0
MOST_LINE = 1 << 26
"""Bytes of an answer."""


class WorkerFailedError(Exception):
    """A worker ended, did not answer, or reported a failure; one line."""


class Answering:
    """Ends with its standard input, and so with the process that made it."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        environment: Mapping[str, str],
        log: Path,
        descriptors: Sequence[int] = (),
    ) -> None:
        """``log`` takes what it prints; ``descriptors`` are inherited."""
        self.name = name
        self._log = log
        with log.open("ab") as printed:
            self._process = children.start(
                command,
                environment,
                signal.SIGTERM,  # it ends in order
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=printed,
                pass_fds=descriptors,
            )
        self._received = b""
        self._killed = False

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, do: str, **more: Any) -> None:
        """Raises WorkerFailedError if it has ended."""
        assert self._process.stdin is not None
        if self._process.stdin.closed:
            raise WorkerFailedError(f"{self.name} has ended")
        try:
            self._process.stdin.write(json.dumps({"do": do, **more}).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise self._ended() from None

    def receive(self, within: float = TIMEOUT_S) -> dict[str, Any]:
        """Its next answer. Raises WorkerFailedError if none comes or it is a failure."""
        deadline = time.monotonic() + within
        while (answer := self.next()) is None:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self], [], [], left)[0]:
                raise WorkerFailedError(f"{self.name}: no answer within {within:.0f} s")
            self.take()
        if answer.get("failure"):
            raise WorkerFailedError(str(answer["failure"]))
        return answer

    def fileno(self) -> int:
        """Readable when ``take`` does not wait."""
        assert self._process.stdout is not None
        return self._process.stdout.fileno()

    def take(self) -> None:
        """Reads what has come. Raises WorkerFailedError if it has ended."""
        content = os.read(self.fileno(), 1 << 20)
        if not content:
            raise self._ended()
        self._received += content
        if len(self._received) > MOST_LINE:
            raise WorkerFailedError(f"{self.name}: an answer is longer than {MOST_LINE} bytes")

    def next(self) -> dict[str, Any] | None:
        """An answer that has been read, if it is whole; it may report a failure."""
        if b"\n" not in self._received:
            return None
        line, _, self._received = self._received.partition(b"\n")
        try:
            answer = json.loads(line)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise WorkerFailedError(f"{self.name}: an answer is not a JSON object")
        return answer

    def ask(self, do: str, within: float = TIMEOUT_S, **more: Any) -> dict[str, Any]:
        self.send(do, **more)
        return self.receive(within)

    def end(self) -> None:
        """In order if it can, else whatever it does."""
        try:
            self.send("close")
            self._process.wait(3)
        except (WorkerFailedError, subprocess.TimeoutExpired):
            pass
        self._kill()

    def _kill(self) -> None:
        """With the processes of its own that Wrapyfi leaves behind. Once only: its number may be
        another process's afterwards."""
        if self._killed:
            return
        self._killed = True
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with suppress(OSError):
                pipe.close()

    def _ended(self) -> WorkerFailedError:
        self._kill()
        last = ""
        for line in self._log.read_text(errors="replace").splitlines():
            last = line.strip() or last
        how = children.ending(self._process.returncode)
        return WorkerFailedError(f"{self.name} {how}" + (f": {last}" if last else ""))
