# SPDX-License-Identifier: Apache-2.0
"""Standard output whose errors say that it was standard output that could not be written."""

from __future__ import annotations

import codecs
import io
import os
import sys
from contextlib import suppress
from typing import Any, TextIO

NAME = "standard output"
LEGIBLE = "wirecost-legible"
"""Name of the way in which characters are written that an encoding does not have."""
_TYPOGRAPHY = str.maketrans("≈≤≥−–—→←×·…─│µ±“”’", '~<>---><x..-|u+""\'')
"""Characters of tables and sentences, and ASCII that is as wide."""
STANDARD_ERROR = 2


class _Named(io.FileIO):
    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            raise OSError(error.errno, error.strerror, NAME) from error


def name_output() -> None:
    """Name standard output in its errors from now on, unless another file took its place."""
    _fill_closed()
    former = sys.__stdout__
    if sys.stdout is not former:
        return
    if former is not None:
        former.flush()
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(_Named(1 if former is None else former.fileno(), "wb", closefd=False)),
        former.encoding if former is not None else "utf-8",
        _errors(former),
        line_buffering=former is not None and former.line_buffering,
    )


def _errors(stream: TextIO | None) -> str:
    """Return how a stream writes what its encoding does not have: never by an exception."""
    if stream is None:
        return "backslashreplace"
    if codecs.lookup(stream.encoding).name == "utf-8":
        return str(stream.errors)
    codecs.register_error(LEGIBLE, _legible)
    return LEGIBLE


def _legible(error: UnicodeError) -> tuple[str, int]:
    """Return what stands for characters: typography in ASCII, names as ``\\u1234``."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end].translate(_TYPOGRAPHY)
    return text.encode("ascii", "backslashreplace").decode(), error.end


def _fill_closed() -> None:
    """Open something in the place of closed standard streams.

    A file that is opened later would get their numbers, and all that is printed. Writing to
    standard output still fails.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # The system gives the lowest free number.
            os.open(os.devnull, os.O_WRONLY if number == STANDARD_ERROR else os.O_RDONLY)
            os.set_inheritable(number, True)
    if sys.stderr is None:
        sys.stderr = open(STANDARD_ERROR, "w", encoding="utf-8", closefd=False)  # noqa: SIM115


def flush_output() -> None:
    """Flush standard output. Raises OSError.

    It does so once: Python flushes again at its end, and would report the error in its own way.
    """
    output: TextIO | None = sys.stdout
    if output is None:
        return
    try:
        output.flush()
    except OSError:
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), output.fileno())
        raise
