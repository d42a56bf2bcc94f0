# SPDX-License-Identifier: Apache-2.0
"""Bytes that wait in TCP's sockets between two processes of this machine."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress

from wirecost.measure.lost.live.sockets import PROC, sockets_of

TABLES = ("tcp", "tcp6")
LOCAL, REMOTE, QUEUES, INODE = 1, 2, 4, 9
"""Columns of a table of the kernel's."""


class TcpQueues:
    """Connections among some processes, as they were when last looked at."""

    def __init__(self, pids: Collection[int]) -> None:
        self._owners: dict[str, int] = {}
        for pid in pids:
            with suppress(OSError):
                self._owners |= dict.fromkeys(sockets_of(pid), pid)
        self._waiting: dict[tuple[int, int], int] = {}
        self.look()

    def look(self) -> None:
        """Note what waits now, by who sends and who reads."""
        owners: dict[tuple[str, str], int] = {}
        bytes_of: dict[tuple[str, str], tuple[int, int]] = {}
        for name in TABLES:
            with suppress(OSError):
                for line in (PROC / "net" / name).read_text().splitlines()[1:]:
                    columns = line.split()
                    if columns[INODE] in self._owners:
                        ends = columns[LOCAL][-13:], columns[REMOTE][-13:]
                        owners[ends] = self._owners[columns[INODE]]
                        unsent, unread = columns[QUEUES].split(":")
                        bytes_of[ends] = int(unsent, 16), int(unread, 16)
        self._waiting = {}
        for (local, remote), pid in owners.items():
            if (peer := owners.get((remote, local))) is not None:
                between = (pid, peer)
                waiting = bytes_of[local, remote][0] + bytes_of[remote, local][1]
                self._waiting[between] = self._waiting.get(between, 0) + waiting

    def between(self, sender: int | None, reader: int | None) -> int | None:
        """Return the bytes that wait on the way, None where no connection is seen."""
        if sender is None or reader is None:
            return None
        return self._waiting.get((sender, reader))
