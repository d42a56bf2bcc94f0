# SPDX-License-Identifier: Apache-2.0
"""The program between wirecost and the node: the node ends with it, however wirecost ends.

Run by its path, on the standard library alone. It reads one line of JSON (``Start`` in
``node.py``), starts the program, and reports what becomes of it in lines of JSON:
``{"pid": …}`` or ``{"error": …, "step": …}``, then ``{"exit": …}`` (negative: the signal). The line
``end`` ends the program and all it started; so does the end of the input, but sooner.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import select
import shutil
import signal
import time
from pathlib import Path
from typing import Any

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
INPUT = 0
ORPHAN_GRACE_S = 1.0
"""Between signals once wirecost is gone: enough to remove shared memory, as Fast DDS does."""


def main() -> None:
    start = json.loads(_first_line())
    # Processes that the program leaves behind become ours, to be ended with it.
    _prctl(PR_SET_CHILD_SUBREAPER, 1)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    failed, fail = os.pipe()
    program = os.fork()
    if program == 0:
        _become(start, fail)
    os.close(fail)
    error = os.read(failed, 4096)
    if error:
        step, _, reason = error.decode("utf-8", "replace").partition(":")
        _report({"error": reason, "step": step})
        return
    _report({"pid": program})
    status = _watch(program, woken, float(start["grace_s"]))
    _kill_all()
    if status is None:
        for path in start["remove"]:
            shutil.rmtree(path, ignore_errors=True)
    _report({"exit": status})


def _first_line() -> bytes:
    """Without reading ahead: what follows is waited for by descriptor."""
    with os.fdopen(INPUT, "rb", buffering=0, closefd=False) as file:
        return file.readline()


def _become(start: dict[str, Any], fail: int) -> None:
    """Turn this process into the program. Never returns."""
    step = "start"
    try:
        supervisor = os.getppid()
        os.setsid()
        _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != supervisor:
            os._exit(1)
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        step = "output"
        nothing = os.open(os.devnull, os.O_RDONLY)
        output = 2
        if start["output"] is not None:
            output = os.open(start["output"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        for descriptor, target in ((nothing, 0), (output, 1), (output, 2)):
            os.dup2(descriptor, target)
        step = "directory"
        os.chdir(start["directory"])
        step = "limits"
        for name, limit in start["limits"].items():
            which = getattr(resource, name)
            hard = resource.getrlimit(which)[1]
            fits = hard < 0 or 0 <= limit <= hard  # unlimited is negative
            resource.setrlimit(which, (limit if fits else hard, hard))
        step = "cpus"
        if start["cpus"] is not None:
            os.sched_setaffinity(0, start["cpus"])
        step = "fifo"
        if start["fifo"] is not None:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(start["fifo"]))
        step = "start"
        run = os.execve if "/" in start["executable"] else os.execvpe
        run(start["executable"], start["arguments"], start["environment"])
    except OSError as error:
        os.write(fail, f"{step}:{error.strerror}".encode())
    except BaseException as error:  # this process must not go on as a second supervisor
        os.write(fail, f"{step}:{error}".encode())
    os._exit(127)


def _watch(program: int, woken: int, grace_s: float) -> int | None:
    """Wait for the program's end, or bring it about.

    Return its status; None where it was ended because nothing reads our output any more.
    """
    signals = [signal.SIGINT, signal.SIGTERM, signal.SIGKILL]
    deadline: float | None = None
    orphaned = False
    while True:
        with contextlib.suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == program:
                    return None if orphaned else os.waitstatus_to_exitcode(status)
                if pid == 0:
                    break
        remaining_s = None if deadline is None else max(0.0, deadline - time.monotonic())
        if remaining_s == 0.0 and signals:
            _signal_group(program, signals.pop(0))
            deadline = time.monotonic() + grace_s
            continue
        # Until its end is read, but no longer than the last signal takes.
        ended = orphaned or (deadline is not None and not signals)
        inputs = [woken] if ended else [woken, INPUT]
        ready, _, _ = select.select(inputs, [], [], remaining_s)
        if woken in ready:
            os.read(woken, 4096)
        if INPUT in ready:
            if not os.read(INPUT, 64):
                orphaned, grace_s = True, ORPHAN_GRACE_S
            deadline = time.monotonic()


def _kill_all() -> None:
    """End what is left of the program's processes, in its group or not."""
    while True:
        for child in _children():
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _children() -> list[int]:
    parent = str(os.getpid())
    children = []
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError, IndexError):
            if folder.name.isdigit():
                fields = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()
                if fields[1] == parent:
                    children.append(int(folder.name))
    return children


def _signal_group(program: int, which: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(program, which)


def _prctl(option: int, value: int) -> None:
    ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def _report(message: dict[str, Any]) -> None:
    with contextlib.suppress(OSError):  # the reader has ended
        os.write(1, (json.dumps(message) + "\n").encode())


if __name__ == "__main__":
    main()
