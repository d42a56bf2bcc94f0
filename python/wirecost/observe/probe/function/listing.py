# SPDX-License-Identifier: Apache-2.0
"""Functions of a program and its libraries that patterns mean."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wirecost.observe.probe.run.hook import library
from wirecost.system.errors import UserError

PATTERNS = "WIRECOST_FUNCTIONS"
PROGRAM = "wirecost-functions"
LONGEST_S = 300.0


@dataclass(frozen=True)
class Function:
    """A function that patterns match; offsets are in the file ``object``.

    ``name``: demangled, with parameters; ``section``: what its calls are recorded as. ``refusal``:
    why no means can record it; ``no_jump``: why its entry cannot be patched; ``no_exits``: why
    breakpoints cannot tell when it ends; empty: it can.
    """

    object: str
    name: str
    section: str
    symbol: str
    offset: int
    size: int
    refusal: str
    no_jump: str
    no_exits: str
    returns: tuple[int, ...]
    tail_jumps: tuple[int, ...]


@dataclass(frozen=True)
class ObjectFile:
    """A file that a program loads, and how it was built.

    ``calls_hooks``: with ``-finstrument-functions``; ``has_sleds``: with clang's
    ``-fxray-instrument``; ``opens_libraries``: whether it calls ``dlopen``.
    """

    path: str
    trouble: str
    calls_hooks: bool
    has_sleds: bool
    opens_libraries: bool
    debug_information: bool


@dataclass(frozen=True)
class Listing:
    """``missing``: patterns that match no function; ``nearest``: names that are near to those."""

    objects: tuple[ObjectFile, ...]
    functions: tuple[Function, ...]
    missing: tuple[str, ...]
    nearest: tuple[str, ...]

    @property
    def opens_libraries(self) -> bool:
        """Return whether functions may come with libraries that are opened later."""
        return any(file.opens_libraries for file in self.objects)


def helper() -> Path:
    """Raise UserError: it was not built, as where Zydis is missing."""
    return library(PROGRAM)


def listing(patterns: Sequence[str], objects: Sequence[Path]) -> Listing:
    """Raise UserError where the helper is missing or fails."""
    command = [str(helper()), "list", *map(str, objects)]
    environment = {**os.environ, PATTERNS: "\n".join(patterns)}
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, timeout=LONGEST_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UserError(f"{command[0]}: {error}; functions cannot be listed") from error
    if done.returncode:
        why = done.stderr.decode("utf-8", "replace").strip() or f"status {done.returncode}"
        raise UserError(f"{command[0]}: {why}; functions cannot be listed")
    document = json.loads(done.stdout)
    return Listing(
        tuple(ObjectFile(**fields) for fields in document["objects"]),
        tuple(
            Function(
                **{
                    **fields,
                    "returns": tuple(fields["returns"]),
                    "tail_jumps": tuple(fields["tail_jumps"]),
                }
            )
            for fields in document["functions"]
        ),
        tuple(document["missing"]),
        tuple(document["nearest"]),
    )
