# SPDX-License-Identifier: Apache-2.0
"""The programs that run under an allocator, and what they print."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass

from wirecost.measure.bench.engine.allocators import DEFAULTS, Allocator, AllocatorContender, loaded
from wirecost.measure.bench.engine.program import Program
from wirecost.system import children
from wirecost.system.children import ProgramFailedError, failed
from wirecost.system.errors import UserError
from wirecost.system.parts import BENCHMARKS

CALLBACKS, THROUGHPUT = (
    Program("heap_callbacks", BENCHMARKS),
    Program("heap_throughput", BENCHMARKS),
)
LONGEST_S = 600


@dataclass(frozen=True)
class HeapOutput:
    """Output of a program: the digest of its results, and rows of numbers.

    There is a row for each callback (nanoseconds, minor faults, major faults, context switches), or
    one in all (nanoseconds, nanoseconds of all cores).
    """

    result: str
    rows: list[tuple[int, ...]]


def check_installed() -> None:
    """Check that all programs are there. Raises UserError where one is missing."""
    CALLBACKS.check_installed()
    THROUGHPUT.check_installed()


def built() -> str | None:
    """Return the C library all programs are linked with, None where the system does not say."""
    try:
        return os.confstr("CS_GNU_LIBC_VERSION")
    except (ValueError, OSError):
        return None


def callbacks(contender: AllocatorContender, count: int, warmup: int) -> HeapOutput:
    """Run callbacks in a process. Raises ProgramFailedError."""
    output = _run(contender, CALLBACKS, str(count), str(warmup))
    if count and (len(output.rows) != count or any(len(row) != 4 for row in output.rows)):
        raise ProgramFailedError(f"reported {len(output.rows)} callbacks instead of {count}")
    return output


def throughput(contender: AllocatorContender, pattern: str, threads: int, pairs: int) -> HeapOutput:
    """Run ``pairs`` of malloc and free in all threads together. Raises ProgramFailedError."""
    output = _run(contender, THROUGHPUT, pattern, str(threads), str(pairs))
    if len(output.rows) != 1 or len(output.rows[0]) != 2:
        raise ProgramFailedError("reported no time")
    return output


def missing(allocator: Allocator) -> str | None:
    """Return why an allocator cannot be measured here; None where it can."""
    try:
        callbacks(AllocatorContender(allocator, DEFAULTS), 0, 0)
    except (ProgramFailedError, UserError) as error:
        return str(error)
    return None


def _run(contender: AllocatorContender, program: Program, *arguments: str) -> HeapOutput:
    environment = contender.environment(os.environ)
    try:
        done = children.run([str(program.path), *arguments], environment, LONGEST_S)
    except subprocess.TimeoutExpired as error:
        raise ProgramFailedError(f"{program.name} did not end in {LONGEST_S} s") from error
    if done.returncode != 0:
        raise failed(program.name, done.returncode, done.stderr)
    return read(contender.allocator, done.stdout)


def read(allocator: Allocator, text: str) -> HeapOutput:
    """Return a program's output, once it has shown that malloc and free are the allocator's.

    Raises:
        ProgramFailedError: they are another's, or the output is not as it should be.
    """
    result, rows = "", []
    first, *others = text.splitlines() or [""]
    loaded(first, allocator)
    try:
        for line in others:
            if line.startswith("result\t"):
                result = line.removeprefix("result\t")
            else:
                rows.append(tuple(int(cell) for cell in line.split("\t")))
    except ValueError as error:
        raise ProgramFailedError(f"printed what is no number: {error}") from error
    return HeapOutput(result, rows)
