# SPDX-License-Identifier: Apache-2.0
"""Compilers that run at the same time."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from types import MappingProxyType

from wirecost.measure.serializers.cpp.tools import TIMEOUT_S, first_error
from wirecost.system import children

POLL_S = 0.05


@dataclass(frozen=True)
class _Compiling:
    """One object; what the compiler says goes into ``errors``."""

    object: Path
    process: subprocess.Popen[bytes]
    errors: Path
    begun_s: float


def compiled(
    commands: Mapping[Path, Sequence[str]],
    jobs: int,
    report: Callable[[int], None],
    limit_s: float = inf,
    after: Mapping[Path, Path] = MappingProxyType({}),
) -> dict[Path, str]:
    """Run the command of each object, in their order; return why some are missing.

    ``report``: called with the number that remain, again and again; ``limit_s``: for all of them;
    ``after``: by object, the one whose command must have ended before. Compilers end with this
    function, however it ends.
    """
    waiting, running = list(commands), list[_Compiling]()
    failed: dict[Path, str] = {}
    end_s = time.monotonic() + limit_s
    try:
        while waiting or running:
            unfinished = {*waiting, *(item.object for item in running)}
            ready = [target for target in waiting if after.get(target) not in unfinished]
            for target in ready[: jobs - len(running)]:
                waiting.remove(target)
                running.append(_start(target, commands[target]))
            report(len(waiting) + len(running))
            time.sleep(POLL_S)
            if time.monotonic() > end_s:
                late = [*(item.object for item in running), *waiting]
                return failed | dict.fromkeys(late, f"no end after {limit_s:.0f} s")
            for item in [item for item in running if _has_ended(item)]:
                running.remove(item)
                if item.process.returncode != 0:
                    failed[item.object] = _complaint(item)
    finally:
        for item in running:
            children.end(item.process)
    return failed


def _start(made: Path, command: Sequence[str]) -> _Compiling:
    errors = made.with_name(f"{made.name}.errors")
    with errors.open("wb") as file:
        process = children.start(command, stdin=subprocess.DEVNULL, stdout=file, stderr=file)
    return _Compiling(made, process, errors, time.monotonic())


def _has_ended(compiling: _Compiling) -> bool:
    if time.monotonic() - compiling.begun_s > TIMEOUT_S:
        children.end(compiling.process)
    return compiling.process.poll() is not None


def _complaint(compiling: _Compiling) -> str:
    text = compiling.errors.read_text(encoding="utf-8", errors="replace")
    return f"it does not compile: {first_error(text)}"
