# SPDX-License-Identifier: Apache-2.0
"""The environment in which the loader puts the allocator before a program."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from wirecost import _core
from wirecost.observe.heap.report import read_report
from wirecost.system.byte_sizes import parse_size
from wirecost.system.errors import UserError

LIBRARY = "libwirecost-heap.so"
COUNTING = "libwirecost-hook-allocations.so"
SMALLEST_POOL, LARGEST_POOL = 1_000_000, 1 << 43


@dataclass(frozen=True)
class Options:
    """Options of ``wirecost heap run``; ``warmup_s`` seconds pass before faults count."""

    pool_bytes: int
    lock: bool
    huge: bool
    report: bool
    out: Path | None
    warmup_s: int


def pool_bytes(text: str, profile: Path) -> int:
    """Return the bytes of a size such as ``64MiB``, or for ``auto`` what ``profile`` proposes.

    Raises:
        UserError: the text is no size of a pool, or ``auto`` finds no report.
    """
    if text == "auto":
        return read_report(profile).proposed_bytes
    size = parse_size("--pool", text, "64MiB or 2GiB, or auto")
    if not SMALLEST_POOL <= size <= LARGEST_POOL:
        raise UserError(f"--pool {text}: must be from 1MB to 8TiB; give 64MiB, 2GiB or auto")
    return size


def library() -> Path:
    """Return the installed allocator, or the one that ``WIRECOST_HEAP_LIBRARY`` names.

    Raises:
        UserError: it is not there, or the loader cannot take its path.
    """
    named = os.environ.get("WIRECOST_HEAP_LIBRARY")
    path = Path(named) if named else Path(_core.__file__).parent / "lib" / LIBRARY
    if not path.is_file():
        raise UserError(f"{path}: the allocator is missing; install wirecost again")
    if re.search(r"[\s:]", str(path.absolute())):
        raise UserError(
            f"{path}: LD_PRELOAD does not accept a path with spaces or colons; install elsewhere"
        )
    return path.absolute()


def environment(options: Options, inherited: Mapping[str, str]) -> dict[str, str]:
    """Return ``inherited`` with the allocator first in ``LD_PRELOAD``, and its options.

    Only what counts allocations and hands them on comes before it. The report goes to
    ``options.out`` for this process, to names with a process number for others.
    """
    settings = {
        name: value for name, value in inherited.items() if not name.startswith("WIRECOST_HEAP_")
    }
    others = settings.get("LD_PRELOAD", "").replace(":", " ").split()
    counting = [path for path in others if Path(path).name == COUNTING]
    rest = [path for path in others if path not in counting]
    settings["LD_PRELOAD"] = ":".join([*counting, str(library()), *rest])
    settings["WIRECOST_HEAP_POOL"] = str(options.pool_bytes)
    settings["WIRECOST_HEAP_WARMUP"] = str(options.warmup_s)
    for name in ("lock", "huge", "report"):
        if getattr(options, name):
            settings[f"WIRECOST_HEAP_{name.upper()}"] = "1"
    if options.out is not None:
        settings["WIRECOST_HEAP_OUT"] = str(options.out.absolute())
        settings["WIRECOST_HEAP_PID"] = str(os.getpid())
    return settings
