# SPDX-License-Identifier: Apache-2.0
"""The allocator's JSON report; ``docs/heap.md`` explains its fields."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wirecost.system.errors import UserError
from wirecost.system.foreign import shell_line
from wirecost.system.regular_file import read_regular

MEBIBYTE = 1 << 20
LARGEST_REPORT = 64 * MEBIBYTE
SMALLEST_POOL = 16 * MEBIBYTE
MARGIN = 0.25


@dataclass(frozen=True)
class PoolReport:
    """Sizes of the pool of one process, in bytes, and how often it grew."""

    bytes: int
    peak_bytes: int
    growths_in_background: int
    growths_waited_for: int

    @property
    def proposed_bytes(self) -> int:
        """The peak and a quarter, in whole MiB.

        The allocator refills the pool when less than a quarter is free, so a pool of this size
        comes to grow once, in the background, if the next run needs as much as this one.
        """
        size = max(SMALLEST_POOL, int(self.peak_bytes * (1 + MARGIN)))
        return -(-size // MEBIBYTE) * MEBIBYTE


def read_report(path: Path) -> PoolReport:
    """Read the pool of a report that ``wirecost heap run --out`` wrote.

    Raises:
        UserError: the file cannot be read or is not such a report.
    """
    try:
        document: Any = json.loads(read_regular(path, LARGEST_REPORT))
    except OSError as error:
        raise UserError(
            f"{path}: {error.strerror}; profile the program first: "
            f"wirecost heap run --out {shell_line(path)} -- COMMAND"
        ) from error
    except (ValueError, RecursionError) as error:
        raise _not_a_report(path) from error
    if not isinstance(document, dict) or document.get("format") != "wirecost-heap-report":
        raise _not_a_report(path)
    if document.get("version") != 1:
        raise UserError(f"{path}: heap report of another version; write it again with this version")
    pool = document.get("pool")
    names = PoolReport.__dataclass_fields__
    if not isinstance(pool, dict) or not all(_is_count(pool.get(name)) for name in names):
        raise _not_a_report(path)
    return PoolReport(**{name: pool[name] for name in names})


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 46


def _not_a_report(path: Path) -> UserError:
    return UserError(
        f"{path}: not a heap report; write one with wirecost heap run --out {shell_line(path)}"
    )
