# SPDX-License-Identifier: Apache-2.0
"""Shared memory that killed eCAL processes left behind, which eCAL itself never removes."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Container
from contextlib import suppress
from pathlib import Path

_NAME = re.compile(r"ecal_[0-9a-f]+(_(mtx|\d+(_ack)?_evt))?")
_OLD_S = 2
"""Younger files may be somebody's who is about to map them."""


def sweep(
    folder: Path = Path("/dev/shm"),
    processes: Path = Path("/proc"),
    ours: Container[Path] = frozenset(),
) -> int:
    """Remove this user's files of publishers that no process has mapped, and return how many.

    ``ours``: files that this process has just given up, which may be young.
    """
    by_publisher: dict[str, list[Path]] = {}
    for file in folder.glob("ecal_*"):
        if _NAME.fullmatch(file.name):
            by_publisher.setdefault(file.name.split("_")[1], []).append(file)
    old = [
        files
        for files in by_publisher.values()
        if all(file in ours or _is_old(file) for file in files)
    ]
    used = _mapped(folder, processes) if old else set()
    removed = 0
    for files in old:
        if not used.isdisjoint(map(str, files)):
            continue
        for file in files:
            with suppress(OSError):
                file.unlink()
                removed += 1
    return removed


def _is_old(file: Path) -> bool:
    try:
        status = file.lstat()
    except OSError:
        return False
    return (
        status.st_uid == os.getuid()
        and time.time() - max(status.st_mtime, status.st_ctime) > _OLD_S
    )


def _mapped(folder: Path, processes: Path) -> set[str]:
    start = f"{folder}/ecal_"
    used = set()
    for maps in processes.glob("[0-9]*/maps"):
        # Other users' processes cannot be looked into; nobody publishes what they map of ours.
        with suppress(OSError):
            used |= {
                line[line.index(start) :].removesuffix(" (deleted)")
                for line in maps.read_text(errors="replace").splitlines()
                if start in line
            }
    return used
