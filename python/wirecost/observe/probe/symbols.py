# SPDX-License-Identifier: Apache-2.0
"""Functions and source lines of addresses, by ``llvm-symbolizer`` or ``addr2line``."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from wirecost.results.records.probe_stacks import Address, SourceLine
from wirecost.system.regular_file import open_regular

LLVM, BINUTILS = "llvm-symbolizer", "addr2line"
REMEDY = "install binutils for functions and lines of stacks"
LONGEST_S = 120.0
"""Seconds for one file: much debug information takes long."""
DEBUG_SERVERS = "DEBUGINFOD_URLS"
UNKNOWN = "??"
_PLACE = re.compile(r"(?P<file>.*):(?P<line>\d+)(?: \(discriminator \d+\))?(?::\d+)?")


def source_lines(
    addresses: Iterable[Address], recorded_ns: int
) -> tuple[dict[Address, tuple[SourceLine, ...]], list[str]]:
    """Return each address's functions, inlined ones first, and notes about what is unknown.

    ``recorded_ns``: when the addresses were recorded, since 1970. A file that has changed since
    then would give wrong lines: its functions are unknown.
    """
    by_module: dict[str, list[Address]] = {}
    for address in dict.fromkeys(addresses):
        by_module.setdefault(address.module, []).append(address)
    program = shutil.which(LLVM) or shutil.which(BINUTILS)
    notes = [] if program else [REMEDY]
    lines_of: dict[Address, tuple[SourceLine, ...]] = {}
    for module, within in by_module.items():
        state = _state(module, recorded_ns)
        if state == "changed":
            notes.append(f"{module}: changed since it was recorded, so its lines are not shown")
        lines = _asked(program, module, within) if program and state == "same" else {}
        lines_of |= {address: lines.get(address) or (_unknown(address),) for address in within}
    return lines_of, notes


def _state(module: str, recorded_ns: int) -> str:
    """Return ``same``, ``changed`` or ``absent``."""
    if not module.startswith("/"):  # the kernel's own object
        return "absent"
    try:
        with open_regular(Path(module)) as file:
            return "changed" if os.fstat(file.fileno()).st_mtime_ns > recorded_ns else "same"
    except (OSError, ValueError):  # ValueError: a NUL in its name
        return "absent"


def _asked(
    program: str, module: str, addresses: Sequence[Address]
) -> Mapping[Address, tuple[SourceLine, ...]]:
    words = [program, "-f", "-i", "-C", "-a", "-e", module]
    if program.endswith(LLVM):
        words.append("--output-style=GNU")
    text = "".join(f"{address.offset:#x}\n" for address in addresses)
    # Servers of debug information would be asked over the network.
    environment = {name: value for name, value in os.environ.items() if name != DEBUG_SERVERS}
    try:
        done = subprocess.run(
            words,
            input=text.encode(),
            capture_output=True,
            env=environment,
            timeout=LONGEST_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return {}
    return dict(zip(addresses, _blocks(done.stdout.decode("utf-8", "replace")), strict=False))


def _blocks(output: str) -> Iterable[tuple[SourceLine, ...]]:
    """Return the functions of each address: after the address, pairs of function and place."""
    lines = output.splitlines()
    starts = [i for i, line in enumerate(lines) if re.fullmatch(r"0x[0-9a-fA-F]+", line)]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        pairs = zip(lines[start + 1 : end : 2], lines[start + 2 : end : 2], strict=False)
        functions = [_line(name, place) for name, place in pairs if name != UNKNOWN]
        # binutils gives an inlined function of internal linkage the name of the one around it all.
        if len(functions) > 1 and functions[0].function == functions[-1].function:
            functions[0] = replace(functions[0], function="inlined")
        yield tuple(functions)


def _line(name: str, place: str) -> SourceLine:
    match = _PLACE.fullmatch(place)
    if match is None or match["file"] == UNKNOWN or int(match["line"]) == 0:
        return SourceLine(name)
    return SourceLine(name, os.path.normpath(match["file"]), int(match["line"]))


def _unknown(address: Address) -> SourceLine:
    module = address.module.rpartition("/")[2] or "unknown"
    return SourceLine(f"{module}+{address.offset:#x}")
