# SPDX-License-Identifier: Apache-2.0
"""Datagrams that the kernel dropped since sockets of processes were first looked at."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

PROC = Path("/proc")
TABLES = ("udp", "udp6")
INODE, DROPS = 9, -1
"""Columns of a table of the kernel's."""
SOCKET = "socket:["
USUAL_BUFFER = Path("/proc/sys/net/core/rmem_default")


class SocketDrops:
    """Drops at the UDP sockets of each process, because their buffers were full."""

    def __init__(self) -> None:
        self._owners: dict[str, int] = {}
        self._first: dict[str, int] = {}
        self._last: dict[str, int] = {}
        self._readable: set[int] = set()

    def look(self, pids: Iterable[int]) -> None:
        """Find the sockets of processes, and note how much each has dropped until now."""
        drops = _drops()
        for pid in pids:
            with suppress(OSError):
                for inode in sockets_of(pid):
                    if inode in drops:
                        self._owners[inode] = pid
                        self._first.setdefault(inode, drops[inode])
                        self._last[inode] = drops[inode]
                self._readable.add(pid)

    def of(self, pid: int) -> int | None:
        """Return how many datagrams a process's sockets dropped; None: nobody may look."""
        if pid not in self._readable:
            return None
        own = [inode for inode, owner in self._owners.items() if owner == pid]
        return sum(self._last[inode] - self._first[inode] for inode in own)


def sockets_of(pid: int) -> set[str]:
    """Return the inodes of a process's sockets. Raises OSError."""
    inodes = set()
    for link in (PROC / str(pid) / "fd").iterdir():
        with suppress(OSError):  # closed meanwhile
            name = str(link.readlink())
            if name.startswith(SOCKET):
                inodes.add(name[len(SOCKET) : -1])
    return inodes


def _drops() -> dict[str, int]:
    """Return the drops of each UDP socket of this network, by its inode."""
    drops = {}
    for name in TABLES:
        with suppress(OSError):
            for line in (PROC / "net" / name).read_text().splitlines()[1:]:
                columns = line.split()
                drops[columns[INODE]] = int(columns[DROPS])
    return drops


def usual_buffer() -> int | None:
    """Return the bytes that a socket's buffer has unless its program asks for others."""
    with suppress(OSError, ValueError):
        return int(USUAL_BUFFER.read_text())
    return None
