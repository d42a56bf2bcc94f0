# SPDX-License-Identifier: Apache-2.0
"""The C importer: a process that exchanges as often as it is asked, and says how long it took."""

from __future__ import annotations

import select
import subprocess
from collections.abc import Sequence
from contextlib import suppress

from wirecost.system import children
from wirecost.system.children import ProgramFailedError, failed

from .archive import LIBRARY, PROGRAM

ANSWER_S = 60.0
"""Seconds that a batch of exchanges may take."""
END_S = 5.0
"""Seconds that a process may take to end in order."""


class CImporter:
    """C importer with two FMUs. Methods raise ProgramFailedError with what the FMU reported."""

    def __init__(self, words: Sequence[str]) -> None:
        command = [str(PROGRAM.path), words[0], "--library", str(LIBRARY), *words[1:]]
        self._process = children.start(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._line()

    @property
    def pid(self) -> int:
        return self._process.pid

    def run(self, exchanges: int) -> list[float]:
        """Return the nanoseconds of each part of an exchange, and the bytes that FMUs copied."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{exchanges}\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # its status says why
        return [float(word) for word in self._line().split("\t")]

    def _line(self) -> str:
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        # Nothing is buffered here: it answers each request with one line.
        ready, _, _ = select.select([self._process.stdout], [], [], ANSWER_S)
        if not ready:
            raise ProgramFailedError(f"the C importer did not answer within {ANSWER_S:.0f} s")
        line: str = self._process.stdout.readline()
        if not line.endswith("\n"):
            errors = self._process.stderr.read()
            self._process.wait()
            raise failed("the C importer", self._process.returncode, errors)
        return line[:-1]

    def close(self) -> None:
        """End the process, which removes its memory regions first."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError, subprocess.TimeoutExpired):
            self._process.stdin.close()
            self._process.wait(END_S)
        children.end(self._process)
