# SPDX-License-Identifier: Apache-2.0
"""Runs of a command: elapsed and processor time, instructions, and what its imports take."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from .rows import Row

RUNS = 5
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
    words: Sequence[str], folder: Path, *, is_counted: bool, cache: Path | None, is_cold: bool
) -> Waited:
    """Run a command in a folder ``RUNS`` times, after one run that fills what is cached."""
    environment = dict(os.environ)
    if cache is not None:
        environment["XDG_CACHE_HOME"] = str(cache)
    if not is_cold:
        _run(words, folder, environment)
    pairs = []
    for _ in range(RUNS):
        if is_cold and cache is not None:
            shutil.rmtree(cache, ignore_errors=True)
        pairs.append(_run(words, folder, environment))
    elapsed, processor = zip(*pairs, strict=True)
    counted = _instructions(words) if is_counted else None
    return Waited(median(elapsed), median(processor), counted)


def _run(words: Sequence[str], folder: Path, environment: Mapping[str, str]) -> tuple[float, float]:
    """Return elapsed and processor seconds. Raises CalledProcessError."""
    begun = time.perf_counter()
    process = subprocess.Popen(
        words, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    elapsed = time.perf_counter() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, words)
    return elapsed, usage.ru_utime + usage.ru_stime


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
