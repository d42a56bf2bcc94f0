# SPDX-License-Identifier: Apache-2.0
"""The programs that run under an allocator, and what they tell of themselves."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from wirecost import children
from wirecost.bench.contenders import INSTALLED
from wirecost.bench.heap.allocators import Allocator
from wirecost.errors import UserError

PROGRAMS = INSTALLED / "programs"
LONGEST_S = 600


class ProgramFailedError(Exception):
    """A program ended badly, ran under another allocator, or said something else than it should."""


@dataclass(frozen=True)
class Told:
    """What a program printed: the digest of its results, and rows of numbers, one a callback
    (nanoseconds, minor faults, major faults, context switches) or one in all
    (nanoseconds, nanoseconds of all cores)."""

    result: str
    rows: list[tuple[int, ...]]


def check_installed() -> None:
    """Raises UserError where a program is missing."""
    for name in ("heap_callbacks", "heap_throughput"):
        if not (PROGRAMS / name).is_file():
            raise UserError(f"{name} is not installed; install wirecost with `make run`")


def built() -> str | None:
    """The C library all programs are linked with, None where the system does not say."""
    try:
        return os.confstr("CS_GNU_LIBC_VERSION")
    except (ValueError, OSError):
        return None


def callbacks(allocator: Allocator, mode: str, count: int, warmup: int) -> Told:
    """Raises ProgramFailedError."""
    told = _run(allocator, mode, "heap_callbacks", str(count), str(warmup))
    if count and (len(told.rows) != count or any(len(row) != 4 for row in told.rows)):
        raise ProgramFailedError(f"told of {len(told.rows)} callbacks instead of {count}")
    return told


def throughput(allocator: Allocator, mode: str, pattern: str, threads: int, pairs: int) -> Told:
    """``pairs`` of malloc and free in all threads together. Raises ProgramFailedError."""
    told = _run(allocator, mode, "heap_throughput", pattern, str(threads), str(pairs))
    if len(told.rows) != 1 or len(told.rows[0]) != 2:
        raise ProgramFailedError("told no time")
    return told


def missing(allocator: Allocator) -> str | None:
    """Why an allocator cannot be measured here; None where it can."""
    try:
        callbacks(allocator, "defaults", 0, 0)
    except (ProgramFailedError, UserError) as error:
        return f"{error}; {allocator.install}"
    return None


def _run(allocator: Allocator, mode: str, program: str, *arguments: str) -> Told:
    command = [str(PROGRAMS / program), *arguments]
    environment = allocator.environment(mode, os.environ)
    try:
        done = children.run(command, environment, LONGEST_S)
    except subprocess.TimeoutExpired as error:
        raise ProgramFailedError(f"{program} did not end in {LONGEST_S} s") from error
    if done.returncode != 0:
        last = " ".join(done.stderr.strip().splitlines()[-1:])
        raise ProgramFailedError(f"{program} {children.ending(done.returncode)}: {last}")
    return read(allocator, done.stdout)


def read(allocator: Allocator, text: str) -> Told:
    """A program's output, once it has shown that malloc and free are the allocator's.

    Raises:
        ProgramFailedError: they are another's, or the output is not as it should be.
    """
    result, rows = "", []
    first, *others = text.splitlines() or [""]
    kind, *files = first.split("\t")
    if kind != "allocator" or not files:
        raise ProgramFailedError("did not tell its allocator")
    for file in files:
        if not Path(file).name.startswith(allocator.file):
            raise ProgramFailedError(f"the loader gave it malloc of {file}, not {allocator.file}")
    try:
        for line in others:
            if line.startswith("result\t"):
                result = line.removeprefix("result\t")
            else:
                rows.append(tuple(int(cell) for cell in line.split("\t")))
    except ValueError as error:
        raise ProgramFailedError(f"told what is no number: {error}") from error
    return Told(result, rows)
