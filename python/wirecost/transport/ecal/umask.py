# SPDX-License-Identifier: Apache-2.0
"""Puts the process's umask back where eCAL has left it at 0, at which all may write new files.

eCAL sets it to 0 for each file of shared memory that it makes, and then back, in the caller's
thread and in its own. Of two threads that do so at once, the later takes the other's 0 for the
process's umask and leaves it so.
"""

from __future__ import annotations

import os
from pathlib import Path

_STATUS = Path("/proc/self/status")
_REMEMBERED = [0]


def keep_umask() -> None:
    """Remembers the umask if it is not 0, else sets the one remembered, if any."""
    if now := current_umask():
        _REMEMBERED[0] = now
    elif _REMEMBERED[0]:
        os.umask(_REMEMBERED[0])


def current_umask() -> int:
    """Read without setting it, which another thread would see."""
    lines = _STATUS.read_text(errors="replace").splitlines()
    return next((int(line[6:], 8) for line in lines if line.startswith("Umask:")), 0)
