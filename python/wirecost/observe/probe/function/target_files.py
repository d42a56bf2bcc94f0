# SPDX-License-Identifier: Apache-2.0
"""Program whose functions are meant, and the libraries that the loader would load with it.

A command may start it through another program.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from wirecost.observe.probe.run.elf import read_elf
from wirecost.observe.probe.run.target import Target, find

LAUNCHERS = frozenset(
    {"chrt", "env", "ionice", "nice", "numactl", "setarch", "setsid", "stdbuf", "taskset"}
    | {"time", "timeout"}
)
SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh"})


def meant(target: Target) -> Path | None:
    """Return the program itself, or the one behind ``taskset`` and the like.

    None for a script, a shell or Python, which may start or load any.
    """
    if len(target.chain) > 1 or target.is_python or target.program.name in SHELLS:
        return None
    if target.program.name not in LAUNCHERS:
        return target.program
    return _behind(target.command[1:])


def refusal(target: Target, program: Path | None) -> str | None:
    """Return why nothing can be preloaded into the command, or the program that is meant."""
    if target.refusal is not None or program is None:
        return target.refusal
    return find([str(program.absolute())]).refusal


def _behind(words: Sequence[str]) -> Path | None:
    for word in words:
        located = shutil.which(word)
        if located is not None and not word.startswith("-"):
            path = Path(located)
            if path.name in LAUNCHERS:
                continue
            return path if read_elf(path) is not None else None
    return None


LOADED = re.compile(r"^\s*(?:\S+ => )?(/.+) \(0x[0-9a-f]+\)$")
TRACE = "LD_TRACE_LOADED_OBJECTS"
LONGEST_S = 20.0


def objects_of(program: Path, environment: Mapping[str, str]) -> list[Path]:
    """Return the program, then its libraries.

    A static program is alone; so is one whose loader does not answer.
    """
    elf = read_elf(program)
    if elf is None or elf.loader is None or not Path(elf.loader).is_file():
        return [program]
    try:
        listed = subprocess.run(
            [elf.loader, str(program.absolute())],
            env={**environment, TRACE: "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=LONGEST_S,
            check=False,
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return [program]
    libraries = (match[1] for line in listed.splitlines() if (match := LOADED.match(line)))
    return list(dict.fromkeys([program, *map(Path, libraries)]))
