# SPDX-License-Identifier: Apache-2.0
"""A process that is told what to do and answers, line by line."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from pathlib import Path

from wirecost import children

TIMEOUT_S = 60.0


class ChildFailedError(Exception):
    """A process ended or did not answer; the message says which and how."""


class Child:
    """Ends with its standard input, and so with the process that made it."""

    def __init__(self, name: str, module: str, *arguments: str) -> None:
        self.name = name
        self._process = children.start(
            [sys.executable, "-P", "-m", module, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._heard = b""

    def tell(self, command: str) -> None:
        """Raises ChildFailedError if it has ended."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(command.encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise self._failed() from None

    def hear(self) -> str:
        """Its next line. Raises ChildFailedError if none comes."""
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        deadline = time.monotonic() + TIMEOUT_S
        while b"\n" not in self._heard:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([descriptor], [], [], left)[0]:
                raise ChildFailedError(f"{self.name} did not answer within {TIMEOUT_S:g} s")
            content = os.read(descriptor, 4096)
            if not content:
                raise self._failed()
            self._heard += content
        line, _, self._heard = self._heard.partition(b"\n")
        return line.decode()

    def ask(self, command: str) -> str:
        self.tell(command)
        return self.hear()

    def pss_bytes(self) -> int:
        """Its proportional set size: pages that n processes map count as 1/n. Raises
        ChildFailedError."""
        try:
            text = Path(f"/proc/{self._process.pid}/smaps_rollup").read_text()
        except OSError:
            raise self._failed() from None
        told = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
        return int(told["Pss"].split()[0]) * 1024

    def failure(self, wait_s: float) -> ChildFailedError | None:
        """How it ended, if it has or does within ``wait_s`` seconds."""
        try:
            self._process.wait(wait_s)
        except subprocess.TimeoutExpired:
            return None
        return self._failed()

    def end(self) -> None:
        """Whatever it does."""
        self._process.kill()
        self._process.communicate()

    def _failed(self) -> ChildFailedError:
        self._process.kill()
        _, errors = self._process.communicate()
        last = errors.decode(errors="replace").strip().rpartition("\n")[2]
        how = children.ending(self._process.returncode)
        return ChildFailedError(f"{self.name} {how}" + (f": {last}" if last else ""))
