# SPDX-License-Identifier: Apache-2.0
"""The process of a ``Channel``.

It is driven by lines of JSON on its standard input, and answers on its standard output. What
libraries print goes to standard error.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Protocol

from wirecost.system.channel.json_stream import CHUNK, JsonObject, JsonStream
from wirecost.system.errors import UserError

CLOSE_S = 2.0
"""Seconds to close, less than the harness waits before it kills."""


class Lines(JsonStream):
    """Commands in, answers out. Raises EOFError when the driving process is gone."""

    def __init__(self) -> None:
        super().__init__()
        self._in = os.dup(0)
        self._out = os.dup(1)
        os.dup2(2, 1)
        sys.stdout = sys.stderr  # which keeps no lines back: nothing is flushed at the end

    def next(self) -> JsonObject:
        """Return the next command."""
        command = self.wait(None)
        assert command is not None
        return command

    def fileno(self) -> int:
        return self._in

    def _read(self) -> bytes:
        return os.read(self._in, CHUNK)

    def _write(self, content: bytes) -> None:
        while content:
            content = content[os.write(self._out, content) :]

    def _error(self, reason: str) -> ValueError:
        return ValueError(reason)

    def _ended(self, error: OSError | None) -> EOFError:
        return EOFError(error)


class Driven(Protocol):
    """Object that carries out the commands, except ``finish`` and ``close``."""

    def do(self, command: JsonObject) -> JsonObject:
        """Return the answer. What this raises is answered as a failure."""

    def close(self) -> None: ...


class Ended(BaseException):
    """End of this process: its driver was killed, or a signal ends it."""


def _end(number: int, frame: FrameType | None) -> None:
    del number, frame
    raise Ended


def drive(make: Callable[[Lines], Driven]) -> None:
    """Run the whole process, without returning."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the harness
    signal.signal(signal.SIGTERM, _end)
    driven, status = None, 0
    try:
        lines = Lines()
        driven = make(lines)
        _serve(lines, driven)
    except EOFError:  # nobody drives this any more
        pass
    except Ended:
        status = 128 + signal.SIGTERM
    except BaseException:
        traceback.print_exc()
        status = 1
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    # Some middlewares hang when they are closed, and their threads at exit.
    threading.Timer(CLOSE_S, os._exit, (status,)).start()
    if driven is not None:
        with suppress(Exception):
            driven.close()
    sys.stderr.flush()
    os._exit(status)


def _serve(lines: Lines, driven: Driven) -> None:
    """Carry out commands until ``close``. Raises EOFError."""
    while (command := lines.next())["do"] != "close":
        if command["do"] == "finish":  # of what has ended by itself
            continue
        try:
            answer = driven.do(command)
        except UserError as error:
            answer = {"failure": str(error)}
        except Exception as error:
            traceback.print_exc()
            answer = {"failure": f"{type(error).__name__}: {error}".splitlines()[0]}
        lines.put(answer)
