# SPDX-License-Identifier: Apache-2.0
"""What the programs are asked, and what they print. Functions raise ProgramFailedError where one
fails, and UserError where wirecost's allocator is not installed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from wirecost.bench.allocators import loaded
from wirecost.bench.classes.contender import CURRENT, PROGRAMS, Contender, Work, allocator
from wirecost.bench.entry import Sample
from wirecost.bench.program import ProgramFailedError, Report, rounds
from wirecost.errors import UserError

COUNTED = ("", "glibc")
"""Allocators under which the memory of a message is known: glibc counts what it gives."""
WITHOUT_CACHE = {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"}
"""So that freed blocks do not count as given, which a thread's cache keeps."""


def contenders(allocators: tuple[str, ...]) -> tuple[list[Contender], dict[str, str]]:
    """Under each allocator, and those that are left out, with the reason. Raises UserError where a
    program is missing that is installed with the package."""
    found: list[Contender] = []
    not_run: dict[str, str] = {}
    for library, program in PROGRAMS.items():
        if library == CURRENT and not program.path.is_file():
            not_run[library] = "`make rivals` in a checkout builds it"
            continue
        program.check_installed()
        (version,), *modes = program.rows("list")
        for name in allocators:
            try:
                (line,) = program.lines("allocator", environment=_environment(name))
                malloc = loaded(line, allocator(name).allocator)
            except (ProgramFailedError, UserError) as error:
                not_run[name] = str(error)
                continue
            found += [Contender(library, version, mode, name, malloc) for (mode,) in modes]
    return found, not_run


def encoded(contender: Contender, work: Work, path: Path) -> bytes:
    """What a new object comes to; ``path``: of a file that may be written over."""
    _lines(contender, "verify", *work.arguments, "--message", str(path))
    return path.read_bytes()


def measure(
    contender: Contender, work: Work, message: Path, repetitions: int, report: Report
) -> Iterator[list[Sample]]:
    """A fresh process's samples, a list per repetition. ``message``: the file with the bytes that
    every operation must come to, before and after it is timed."""
    arguments = (*work.arguments, "--mode", contender.mode, "--message", str(message))
    printed = contender.program.lines(
        "measure",
        *arguments,
        "--repetitions",
        str(repetitions),
        environment=_environment(contender.allocator),
    )
    loaded(next(printed, ""), allocator(contender.allocator).allocator)
    cells = (line.split("\t") for line in printed)
    samples = (Sample(contender.key, int(n), stage, float(ns)) for n, stage, ns in cells)
    yield from rounds(samples, report)


def memory(contender: Contender, work: Work) -> tuple[int, int]:
    """Bytes that malloc has given for one message, its own headers included, and those that stay
    given when it is destroyed. In a process of its own."""
    (line,) = _lines(contender, "memory", *work.arguments, settings=WITHOUT_CACHE)
    _, held, kept = line.split("\t")
    return int(held), int(kept)


def _lines(
    contender: Contender, *arguments: str, settings: dict[str, str] | None = None
) -> list[str]:
    environment = _environment(contender.allocator) | (settings or {})
    command, *options = arguments
    words = (command, "--mode", contender.mode, *options)
    return list(contender.program.lines(*words, environment=environment))


def _environment(name: str) -> dict[str, str]:
    return allocator(name).environment(os.environ)
