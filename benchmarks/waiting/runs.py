# SPDX-License-Identifier: Apache-2.0
"""Runs of a command: elapsed and processor time, instructions, and what its imports take."""

from __future__ import annotations

import os
import pty
import re
import shutil
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

from .rows import Row

RUNS = 5
ENDED = 130
"""Exit status of a command that is interrupted."""
NAMED = 3
"""Packages that are named, of those that take longest to import."""
_COLLECTED = re.compile(r"Collected : (\d+)")
_IMPORTED = re.compile(r"^import time: +(\d+) \| +\d+ \| +([\w.]+)", re.MULTILINE)


@dataclass(frozen=True)
class Waited:
    """Medians of a command's runs, in seconds; the processor time is that of all its processes."""

    elapsed_s: float
    processor_s: float
    instructions: int | None


def waited(
    words: Sequence[str],
    folder: Path,
    *,
    is_counted: bool,
    cache: Path | None,
    is_cold: bool,
    awaited: str,
) -> Waited:
    """Run a command in a folder ``RUNS`` times, after one run that fills what is cached.

    ``awaited``: text that ends the elapsed time, empty for the command's end.
    """
    environment = dict(os.environ)
    if cache is not None:
        environment["XDG_CACHE_HOME"] = str(cache)
    if not is_cold:
        _run(words, folder, environment, "")
    pairs = []
    for _ in range(RUNS):
        if is_cold and cache is not None:
            shutil.rmtree(cache, ignore_errors=True)
        pairs.append(_run(words, folder, environment, awaited))
    elapsed, processor = zip(*pairs, strict=True)
    counted = _instructions(words) if is_counted else None
    return Waited(median(elapsed), median(processor), counted)


def _run(
    words: Sequence[str], folder: Path, environment: Mapping[str, str], awaited: str
) -> tuple[float, float]:
    """Return elapsed and processor seconds, until ``awaited`` comes. Raises CalledProcessError."""
    begun = time.perf_counter()
    errors, terminal = pty.openpty() if awaited else (None, subprocess.DEVNULL)
    process = subprocess.Popen(
        words, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=terminal
    )
    elapsed = None
    if errors is not None:
        os.close(terminal)
        elapsed = until(awaited, errors, begun, partial(process.send_signal, signal.SIGINT))
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if elapsed is None:
        elapsed = time.perf_counter() - begun
    elif process.returncode == ENDED:
        return elapsed, usage.ru_utime + usage.ru_stime
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, words)
    return elapsed, usage.ru_utime + usage.ru_stime


def until(awaited: str, terminal: int, begun: float, end: Callable[[], None]) -> float | None:
    """Read a terminal to its end; return when a text came, None where it did not.

    ``end``: called when it came.
    """
    text, elapsed = b"", None
    with open(terminal, "rb", buffering=0) as printed, suppress(OSError):  # it has been closed
        while part := printed.read(1 << 16):
            text += part
            if elapsed is None and awaited.encode() in text:
                elapsed = time.perf_counter() - begun
                end()
    return elapsed


def _instructions(words: Sequence[str]) -> int | None:
    """Return the instructions of the command's own process; None where there is no callgrind."""
    if not shutil.which("valgrind"):
        return None
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    total = _COLLECTED.search(done.stderr)
    return int(total[1]) if total else None


def imports(row: Row) -> str:
    """Return what a command of ours imports, and the packages that take longest."""
    python, *words = row.words
    done = subprocess.run(
        [python, "-X", "importtime", *words], capture_output=True, text=True, check=True
    )
    packages: Counter[str] = Counter()
    for microseconds, module in _IMPORTED.findall(done.stderr):
        packages[module.partition(".")[0]] += int(microseconds)
    longest = ", ".join(f"{name} {us / 1e6:.2f}" for name, us in packages.most_common(NAMED))
    return f"imports {packages.total() / 1e6:.2f} s ({longest})"
