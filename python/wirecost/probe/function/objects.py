# SPDX-License-Identifier: Apache-2.0
"""A program's file and the libraries that the loader would load with it."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from wirecost.probe.run.elf import read_elf

LOADED = re.compile(r"^\s*(?:\S+ => )?(/.+) \(0x[0-9a-f]+\)$")
TRACE = "LD_TRACE_LOADED_OBJECTS"
LONGEST_S = 20.0


def objects_of(program: Path, environment: Mapping[str, str]) -> list[Path]:
    """The program first. A static program is alone; so is one whose loader does not answer."""
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
    found = (match[1] for line in listed.splitlines() if (match := LOADED.match(line)))
    return list(dict.fromkeys([program, *map(Path, found)]))
