# SPDX-License-Identifier: Apache-2.0
"""The program whose functions are meant, where a command starts it through another one."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from wirecost.probe.run.elf import read_elf
from wirecost.probe.run.target import Target

LAUNCHERS = frozenset(
    {"chrt", "env", "ionice", "nice", "numactl", "setarch", "setsid", "stdbuf", "taskset"}
    | {"time", "timeout"}
)
SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh"})


def meant(target: Target) -> Path | None:
    """The program itself, or the one behind ``taskset`` and the like; None for a script, a shell or
    Python, which may start or load any."""
    if len(target.chain) > 1 or target.is_python or target.program.name in SHELLS:
        return None
    if target.program.name not in LAUNCHERS:
        return target.program
    return _behind(target.command[1:])


def _behind(words: Sequence[str]) -> Path | None:
    for word in words:
        found = shutil.which(word)
        if found is not None and not word.startswith("-"):
            path = Path(found)
            if path.name in LAUNCHERS:
                continue
            return path if read_elf(path) is not None else None
    return None
