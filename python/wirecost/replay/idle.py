# SPDX-License-Identifier: Apache-2.0
"""Whether a process has read everything it was sent and has nothing left to do."""

from __future__ import annotations

import time
from pathlib import Path

SOCKET_TABLES = ("tcp", "tcp6", "udp", "udp6")
BETWEEN_LOOKS_S = 0.0005


class Activity:
    """Looks at one process through proc(5).

    It is idle when two looks in a row find all its threads asleep, no byte waiting in its sockets,
    and no thread that ran in between: a message handed from one thread to another wakes the other.
    """

    def __init__(self, pid: int) -> None:
        self._folder = Path(f"/proc/{pid}")

    def wait_idle(self, timeout_s: float) -> bool:
        """False where it was still busy after ``timeout_s``, or is gone."""
        deadline = time.monotonic() + timeout_s
        former: tuple[int, ...] | None = None
        while time.monotonic() < deadline:
            now = self._quiet()
            if now is not None and now == former:
                return True
            former = now
            time.sleep(BETWEEN_LOOKS_S)
        return False

    def _quiet(self) -> tuple[int, ...] | None:
        """How often each thread ran so far; None while one runs or bytes wait."""
        try:
            if self._waiting_bytes():
                return None
            ran = []
            for task in sorted((self._folder / "task").iterdir()):
                if (task / "stat").read_bytes().rpartition(b")")[2].split()[0] not in {b"S", b"Z"}:
                    return None
                ran.append(int((task / "schedstat").read_bytes().split()[2]))
        except (OSError, IndexError):
            return None
        return tuple(ran) or None

    def _waiting_bytes(self) -> bool:
        inodes = set()
        for descriptor in (self._folder / "fd").iterdir():
            try:
                target = str(descriptor.readlink())
            except OSError:  # closed meanwhile
                continue
            if target.startswith("socket:["):
                inodes.add(target[8:-1])
        for table in SOCKET_TABLES:
            try:
                lines = (self._folder / "net" / table).read_text().splitlines()[1:]
            except OSError:  # a kernel without IPv6
                continue
            for line in lines:
                words = line.split()
                listening = table.startswith("tcp") and words[3] == "0A"
                if words[9] in inodes and not listening and int(words[4].partition(":")[2], 16):
                    return True
        return False
