# SPDX-License-Identifier: Apache-2.0
"""Starts the user's program in this terminal and ends with its status; signals are passed on."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

from wirecost.system.children import tied
from wirecost.system.errors import UserError

FORWARDED = frozenset(
    {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2}
)
END_S = 5.0
"""Seconds that a program may take to end after SIGINT."""
SI_KERNEL = 0x80
"""Origin of a signal from the terminal: the kernel has sent it to the program as well."""


def run(
    command: Sequence[str],
    environment: Mapping[str, str],
    output: int = 1,
    seconds: float | None = None,
) -> int:
    """Run a program; return its status, 128 + n if signal n ended it.

    After ``seconds`` it is ended by SIGINT, and by SIGKILL ``END_S`` later; the status is then 0.
    It shares this process's terminal and process group, and gets SIGTERM if this process is
    killed. ``output``: the file descriptor that is its standard output.

    Raises:
        UserError: it cannot be started.
    """
    watched = FORWARDED | {signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, watched)
    # Python ignores SIGPIPE, and a program would inherit that.
    try:
        words, variables = tied(command, environment, signal.SIGTERM)
        process = os.posix_spawn(
            shutil.which(words[0]) or words[0],
            words,
            variables or {},
            file_actions=[(os.POSIX_SPAWN_DUP2, output, 1)],
            setsigmask=before,
            setsigdef=[signal.SIGPIPE],
        )
        ending = _Ending(process, seconds)
        while (status := _ended(process)) is None:
            _pass_on(process, watched, ending.seconds_left())
            ending.look()
    except OSError as error:
        raise UserError(
            f"{command[0]}: {error.strerror}; give the program to run after --"
        ) from error
    finally:
        while signal.sigpending() & watched:
            signal.sigwaitinfo(watched)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    if ending.begun:
        return 0
    return 128 - status if status < 0 else status


class _Ending:
    """Ends a program after so long: first by SIGINT, then by SIGKILL."""

    def __init__(self, process: int, seconds: float | None) -> None:
        self._process = process
        self._signals = [signal.SIGINT, signal.SIGKILL]
        self._at = None if seconds is None else time.monotonic() + seconds
        self.begun = False

    def seconds_left(self) -> float | None:
        return None if self._at is None else max(0.0, self._at - time.monotonic())

    def look(self) -> None:
        if self._at is None or time.monotonic() < self._at:
            return
        self.begun = True
        with suppress(ProcessLookupError):
            os.kill(self._process, self._signals.pop(0))
        self._at = time.monotonic() + END_S if self._signals else None


def _ended(process: int) -> int | None:
    ended, status = os.waitpid(process, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if ended else None


def _pass_on(process: int, watched: frozenset[signal.Signals], seconds: float | None) -> None:
    """Wait for one signal, at most so long."""
    if seconds is None:
        received: signal.struct_siginfo | None = signal.sigwaitinfo(watched)
    else:
        received = signal.sigtimedwait(watched, seconds)
    if received is None or received.si_signo == signal.SIGCHLD:
        return
    with suppress(ProcessLookupError):
        if received.si_code != SI_KERNEL or os.getpgrp() != os.getpgid(process):
            os.kill(process, received.si_signo)
