# SPDX-License-Identifier: Apache-2.0
"""A process that is driven by lines of JSON on its standard input, and answers on its standard
output. What libraries print goes to standard error."""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any, Protocol

from wirecost.errors import UserError

CLOSE_S = 2.0
"""Less than the harness waits before it kills."""


class Lines:
    """Commands in, answers out; nothing is read ahead, so that waiting input can be noticed."""

    def __init__(self) -> None:
        self._in = os.dup(0)
        self._out = os.dup(1)
        os.dup2(2, 1)
        sys.stdout = sys.stderr  # which keeps no lines back: nothing is flushed at the end
        self._rest = b""

    def next(self) -> dict[str, Any]:
        """Raises EOFError when whoever drives this is gone."""
        while b"\n" not in self._rest:
            content = os.read(self._in, 65536)
            if not content:
                raise EOFError
            self._rest += content
        line, _, self._rest = self._rest.partition(b"\n")
        command: dict[str, Any] = json.loads(line)
        return command

    def waiting(self) -> bool:
        return b"\n" in self._rest or bool(select.select([self._in], [], [], 0)[0])

    def send(self, answer: dict[str, Any]) -> None:
        content = json.dumps(answer).encode() + b"\n"
        while content:
            content = content[os.write(self._out, content) :]


class Driven(Protocol):
    """What carries out the commands, but for ``finish`` and ``close``."""

    def do(self, command: dict[str, Any]) -> dict[str, Any]:
        """The answer. What it raises is answered as a failure."""

    def close(self) -> None: ...


class Ended(BaseException):
    """Whoever drives this was killed, or somebody ends this."""


def _end(number: int, frame: FrameType | None) -> None:
    del number, frame
    raise Ended


def drive(make: Callable[[Lines], Driven]) -> None:
    """The whole process: does not return."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the harness
    signal.signal(signal.SIGTERM, _end)
    driven, status = None, 0
    try:
        lines = Lines()
        driven = make(lines)
        _serve(lines, driven)
    except (EOFError, BrokenPipeError):  # nobody drives this any more
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
    """Returns at ``close``. Raises EOFError, BrokenPipeError."""
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
        lines.send(answer)
