# SPDX-License-Identifier: Apache-2.0
"""Shared memory that killed processes left behind, which Fast DDS itself never removes."""

from __future__ import annotations

import fcntl
import os
import re
import time
from contextlib import suppress
from pathlib import Path

from wirecost.transport.shared.shared_memory import FOLDER

_LOCK = re.compile(r"(fastrtps|fastdds)_[0-9a-f]{16}_el")
"""Of the memory that one participant writes messages into; it holds the lock as long as it lives.
Those of ports are everybody's who writes to them, and the next participant takes them over."""
_OLD_S = 2
"""Younger files may be somebody's who is about to lock them."""


def sweep(folder: Path = FOLDER) -> None:
    """Remove what this user's dead participants have left."""
    for lock in folder.glob("fast*_el"):
        if _LOCK.fullmatch(lock.name) and _is_dead(lock):
            with suppress(OSError):
                lock.with_name(lock.name.removesuffix("_el")).unlink(missing_ok=True)
                lock.unlink()


def _is_dead(lock: Path) -> bool:
    try:
        descriptor = os.open(lock, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        found = os.fstat(descriptor)
        if found.st_uid != os.getuid() or time.time() - found.st_ctime < _OLD_S:
            return False
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
    return True
