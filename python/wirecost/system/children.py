# SPDX-License-Identifier: Apache-2.0
"""Programs that a command starts. They end with it, also if it is killed, and Ctrl-C is not theirs:
the command ends them in order."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any

PRELOAD = "LD_PRELOAD"


class ProgramFailedError(Exception):
    """A program failed or answered wrongly; the message says how."""


def start(
    words: Sequence[str],
    environment: Mapping[str, str] | None = None,
    last: signal.Signals = signal.SIGKILL,
    **options: Any,
) -> subprocess.Popen[Any]:
    """As ``subprocess.Popen``. ``environment``: None for this process's; ``last``: what the program
    is sent when this process ends before it."""
    tied_words, variables = tied(words, environment, last)
    return subprocess.Popen(tied_words, env=variables, start_new_session=True, **options)


def tied(
    words: Sequence[str], environment: Mapping[str, str] | None, last: signal.Signals
) -> tuple[list[str], Mapping[str, str] | None]:
    """What to start instead, so that the program is sent ``last`` when this process ends."""
    before, variables = list(_with_us(last.name.removeprefix("SIG"))), environment
    if before and variables and PRELOAD in variables:
        # That is for the program alone, not for what starts it.
        before += ["env", f"{PRELOAD}={variables[PRELOAD]}"]
        variables = {name: value for name, value in variables.items() if name != PRELOAD}
    return [*before, *words], variables


def run(
    words: Sequence[str],
    environment: Mapping[str, str] | None = None,
    timeout_s: float | None = None,
) -> subprocess.CompletedProcess[str]:
    """The program's output and status once it has ended. Raises subprocess.TimeoutExpired."""
    process = start(
        words, environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL, text=True, errors="replace",
    )  # fmt: skip
    try:
        output, errors = process.communicate(timeout=timeout_s)
    finally:
        end(process)
    return subprocess.CompletedProcess(process.args, process.returncode, output, errors)


def end(process: subprocess.Popen[Any]) -> None:
    """Kills it if it still runs, with all that it has started, and takes its pipes back."""
    if process.poll() is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()


def ending(status: int) -> str:
    """How a program ended, by the status that ``subprocess`` gives."""
    if status < 0:
        return f"was ended by {signal.Signals(-status).name}"
    return f"ended with status {status}"


def failed(name: str, status: int, errors: str) -> ProgramFailedError:
    """Return the error of a program that ended, with the last line of its standard error."""
    last = errors.strip().rpartition("\n")[2]
    return ProgramFailedError(f"{name} {ending(status)}" + (f": {last}" if last else ""))


@cache
def _with_us(last: str) -> tuple[str, ...]:
    """Words before a command by which the kernel sends it the signal when this process ends."""
    found = shutil.which("setpriv")
    if found is None:
        return ()
    words = (found, "--pdeathsig", last)
    # BusyBox has a setpriv that cannot.
    tried = subprocess.run([*words, "true"], capture_output=True, check=False)
    return words if tried.returncode == 0 else ()
