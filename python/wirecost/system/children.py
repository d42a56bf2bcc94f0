# SPDX-License-Identifier: Apache-2.0
"""Programs that a command starts.

They end with it, also if it is killed. Ctrl-C does not reach them: the command ends them in order.
"""

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
    """Start a program like ``subprocess.Popen``.

    ``environment``: None for this process's; ``last``: signal that the program gets when this
    process ends before it.
    """
    tied_words, variables = tied(words, environment, last)
    return subprocess.Popen(tied_words, env=variables, start_new_session=True, **options)


def tied(
    words: Sequence[str], environment: Mapping[str, str] | None, last: signal.Signals
) -> tuple[list[str], Mapping[str, str] | None]:
    """Return words and environment with which the program gets ``last`` when this process ends."""
    before, variables = list(_with_us(last.name.removeprefix("SIG"))), environment
    if before and variables and PRELOAD in variables:
        # It is meant for the program alone, not for setpriv.
        before += ["env", f"{PRELOAD}={variables[PRELOAD]}"]
        variables = {name: value for name, value in variables.items() if name != PRELOAD}
    return [*before, *words], variables


def run(
    words: Sequence[str],
    environment: Mapping[str, str] | None = None,
    timeout_s: float | None = None,
) -> subprocess.CompletedProcess[str]:
    """Return output and status of the ended program. Raises subprocess.TimeoutExpired."""
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
    """Kill the program if it still runs, with all that it has started, and close its pipes."""
    if process.poll() is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()


def ending(status: int) -> str:
    """Describe how a program ended, by the status that ``subprocess`` gives."""
    if status < 0:
        return f"was ended by {signal.Signals(-status).name}"
    return f"ended with status {status}"


def failed(name: str, status: int, errors: str) -> ProgramFailedError:
    """Return the error of a program that ended, with the last line of its standard error."""
    last = errors.strip().rpartition("\n")[2]
    return ProgramFailedError(f"{name} {ending(status)}" + (f": {last}" if last else ""))


@cache
def _with_us(last: str) -> tuple[str, ...]:
    """Return words before a command by which the kernel signals it when this process ends."""
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        return ()
    words = (setpriv, "--pdeathsig", last)
    # BusyBox has a setpriv without this option.
    tried = subprocess.run([*words, "true"], capture_output=True, check=False)
    return words if tried.returncode == 0 else ()
