# SPDX-License-Identifier: Apache-2.0
"""One process of a program, with what it took and what it printed."""

from __future__ import annotations

import hashlib
import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from wirecost.observe.trial.remedy import Change
from wirecost.system import children
from wirecost.system.errors import UserError

END_S = 5.0
"""Seconds that a program may take to end after SIGINT."""
BLOCK = 1 << 20
ERRORS = "errors"
"""File with the program's errors, beside what it prints."""


@dataclass(frozen=True)
class Process:
    """``elapsed_ns``: from its start to its end. ``output``: SHA-256 of what it printed.

    ``waited_ns``: ready to run without a processor, of its first thread; None: not known.
    """

    elapsed_ns: int
    minor_faults: int
    major_faults: int
    voluntary_switches: int
    involuntary_switches: int
    status: int
    ended_by_us: bool
    output: str
    waited_ns: int | None = None


def run_program(
    words: Sequence[str],
    environment: Mapping[str, str],
    change: Change,
    printed: Path,
    seconds: float | None,
) -> Process:
    """Run a program to its end; after ``seconds`` it is sent SIGINT.

    What it prints goes to the file ``printed``, its errors to one beside it.

    Raises:
        UserError: it cannot be started.
    """

    def place() -> None:
        if change.cpu is not None:
            os.sched_setaffinity(0, {change.cpu})
        if change.fifo is not None:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(change.fifo))

    changed = change.environment(environment)
    with printed.open("wb") as file, printed.with_name(ERRORS).open("wb") as errors:
        begin = time.perf_counter_ns()
        try:
            process = children.start(
                words, changed, stdin=subprocess.DEVNULL, stdout=file, stderr=errors,
                preexec_fn=place,
            )  # fmt: skip
        except OSError as error:
            raise UserError(
                f"{words[0]}: {error.strerror}; give the program to run after --"
            ) from error
        try:
            by_us = not _ended_within(process.pid, seconds)
            if by_us:
                os.killpg(process.pid, signal.SIGINT)
                if not _ended_within(process.pid, END_S):
                    os.killpg(process.pid, signal.SIGKILL)
            waited_ns = _waited_ns(process.pid)
            _, status, usage = os.wait4(process.pid, 0)
            elapsed = time.perf_counter_ns() - begin
            process.returncode = os.waitstatus_to_exitcode(status)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    return Process(
        elapsed,
        usage.ru_minflt,
        usage.ru_majflt,
        usage.ru_nvcsw,
        usage.ru_nivcsw,
        process.returncode,
        by_us,
        _digest(printed),
        waited_ns,
    )


def _ended_within(pid: int, seconds: float | None) -> bool:
    """Return whether the process has ended; it is not waited for."""
    descriptor = os.pidfd_open(pid)
    try:
        ready, _, _ = select.select([descriptor], [], [], seconds)
        return bool(ready)
    finally:
        os.close(descriptor)


def _waited_ns(pid: int) -> int | None:
    """Return how long a process that has ended was ready to run without a processor."""
    try:
        return int(Path("/proc", str(pid), "schedstat").read_text().split()[1])
    except (OSError, IndexError, ValueError):
        return None


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()
