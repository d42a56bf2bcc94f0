# SPDX-License-Identifier: Apache-2.0
"""Standard output whose errors say that it was standard output that could not be written."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import Any, TextIO

NAME = "standard output"


class _Named(io.FileIO):
    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            raise OSError(error.errno, error.strerror, NAME) from error


def name_output() -> None:
    """From now on, unless somebody has put another file in its place."""
    former = sys.__stdout__
    if former is None or sys.stdout is not former:
        return
    former.flush()
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(_Named(former.fileno(), "wb", closefd=False)),
        former.encoding,
        former.errors,
        line_buffering=former.line_buffering,
    )


def flush_output() -> None:
    """Raises OSError, once: Python flushes it again at its end, and would say so in its own way."""
    output: TextIO | None = sys.stdout
    if output is None:
        return
    try:
        output.flush()
    except OSError:
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), output.fileno())
        raise
