# SPDX-License-Identifier: Apache-2.0
"""Parquet files that others wrote, held against the columns that they must have.

They are decoded in a process of their own, which lives as long as this one: of some files Polars
ends its process.
"""

from __future__ import annotations

import atexit
import io
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import msgspec
import polars as pl

from wirecost.results.records.table_columns import Columns
from wirecost.results.records.table_decoder import ANSWER, OK, REQUEST
from wirecost.system.errors import UserError
from wirecost.system.regular_file import read_regular

LARGEST_FILE = 1 << 31
PATIENCE_S = 1.0
"""A decoder ends with its standard input; one that is busy with a file is ended."""


def read_table(path: Path, columns: Columns, remedy: str) -> pl.DataFrame:
    """Return the columns that ``columns`` declares.

    Whole numbers are Int64, other ones Float64, and every text is printable on one line. Raises
    UserError, one line: file, column, what is wrong with it, and the remedy.
    """
    try:
        content = read_regular(path, LARGEST_FILE)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; {remedy}") from error
    with _using:
        kind, answer = _asked(content, columns)
    if kind != OK:
        raise UserError(f"{path}: {answer.decode()}; {remedy}")
    return pl.read_ipc(io.BytesIO(answer))


def _asked(content: bytes, columns: Columns) -> tuple[bytes, bytes]:
    global _decoder  # noqa: PLW0603 - one serves the whole process
    if _decoder is None or not _decoder.lives():
        _decoder = _Decoder()
    try:
        return _decoder.ask(content, columns)
    except BaseException as error:
        ending = _decoder.end()
        _decoder = None
        if isinstance(error, EOFError | BrokenPipeError):
            return b"", f"cannot be read (its decoder ended by {ending})".encode()
        raise


class _Decoder:
    """A process of ``table_decoder.py``."""

    def __init__(self) -> None:
        # -P: not what lies in this folder by that name. One thread: it reads small files.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "wirecost.results.records.table_decoder"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"POLARS_MAX_THREADS": "1"},
        )
        atexit.register(self.end)

    def lives(self) -> bool:
        return self._process.poll() is None

    def ask(self, content: bytes, columns: Columns) -> tuple[bytes, bytes]:
        """Return status and content of its answer.

        Raises EOFError, BrokenPipeError where the process ended of it.
        """
        assert self._process.stdin is not None
        declaration = msgspec.json.encode(dict(columns))
        for part in (REQUEST.pack(len(declaration), len(content)), declaration, content):
            self._process.stdin.write(part)
        self._process.stdin.flush()
        kind, length = ANSWER.unpack(self._read(ANSWER.size))
        return kind, self._read(length)

    def end(self) -> str:
        """Return the exit code, after its end."""
        atexit.unregister(self.end)
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):  # where it ended before it had read everything
                pipe.close()  # type: ignore[union-attr]
        try:
            status = self._process.wait(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            status = self._process.wait()
        return signal.Signals(-status).name if status < 0 else f"exit status {status}"

    def _read(self, count: int) -> bytes:
        assert self._process.stdout is not None
        content = self._process.stdout.read(count)
        if len(content) < count:
            raise EOFError
        return content


_using = threading.Lock()
_decoder: _Decoder | None = None
