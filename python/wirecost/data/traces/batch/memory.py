# SPDX-License-Identifier: Apache-2.0
"""The memory that this process may take, held by the kernel."""

from __future__ import annotations

import re
import resource
from pathlib import Path

from wirecost.system.errors import UserError

MIB = 1 << 20
MAPPED_WINDOW = 64 * MIB
"""Bytes of mapped files: traces release their pages once so much was read (``files.RELEASED``)."""
LEAST_ROOM = 64 * MIB
_STATUS = re.compile(r"^(\w+):\s+(\d+) kB$", re.MULTILINE)

_limited: int | None = None


def limit(memory: int) -> None:
    """Keep this process below ``memory`` bytes from here on: more raises MemoryError.

    A second call with the same number does nothing. The kernel counts private memory that can be
    written, also what was reserved and never used. So the limit adds what is left of ``memory``
    now, less a window for pages of mapped files. Raises UserError where that is too little to work
    with.
    """
    global _limited  # noqa: PLW0603 - the limit is the process's
    if _limited == memory:
        return
    now = _status()
    room = memory - now["VmRSS"] - MAPPED_WINDOW
    if room < LEAST_ROOM:
        least = -(-(now["VmRSS"] + MAPPED_WINDOW + LEAST_ROOM) // MIB)
        raise UserError(f"--memory: too little to begin with; give at least {least}MiB")
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    soft = now["VmData"] + room
    if hard != resource.RLIM_INFINITY:
        soft = min(soft, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
    _limited = memory


def peak() -> int:
    """Return this process's largest physical memory so far, in bytes, pages of files included."""
    return _status()["VmHWM"]


def _status() -> dict[str, int]:
    text = Path("/proc/self/status").read_text(encoding="utf-8", errors="replace")
    return {name: int(kilobytes) * 1024 for name, kilobytes in _STATUS.findall(text)}
