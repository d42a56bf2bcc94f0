# SPDX-License-Identifier: Apache-2.0
"""Bytes that wait in TCP's sockets between two processes of this machine."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress

from wirecost.measure.lost.live.sock_diag import Ends, queues_of
from wirecost.measure.lost.live.sockets import PROC, sockets_of

TABLES = ("tcp", "tcp6")
LOCAL, REMOTE, QUEUES, INODE = 1, 2, 4, 9
"""Columns of a table of the kernel's."""
SHORT = 13
"""Characters of an address of IPv4 and a port."""


class TcpQueues:
    """Connections among some processes, as they were when last looked at."""

    def __init__(self, pids: Collection[int]) -> None:
        self._pids: dict[str, int] = {}
        for pid in pids:
            with suppress(OSError):
                self._pids |= dict.fromkeys(sockets_of(pid), pid)
        self._owners: dict[Ends, int] = {}
        self._waiting: dict[tuple[int, int], int] = {}
        self._note(self._listed())

    def look(self) -> None:
        """Note what waits now, by who sends and who reads."""
        ends = list(self._owners)
        try:
            self._note(dict(zip(ends, queues_of(ends), strict=True)))
        except OSError:
            self._note(self._listed())

    def _listed(self) -> dict[Ends, tuple[int, int]]:
        """Return what all sockets of the processes have to send and to read, by the tables."""
        listed: dict[Ends, tuple[int, int]] = {}
        self._owners = {}
        for name in TABLES:
            with suppress(OSError):
                for line in (PROC / "net" / name).read_text().splitlines()[1:]:
                    columns = line.split()
                    if columns[INODE] in self._pids:
                        ends = columns[LOCAL], columns[REMOTE]
                        self._owners[ends] = self._pids[columns[INODE]]
                        unsent, unread = columns[QUEUES].split(":")
                        listed[ends] = int(unsent, 16), int(unread, 16)
        return listed

    def _note(self, queues: Mapping[Ends, tuple[int, int]]) -> None:
        """Note what waits between two ends that both are known."""
        # A socket of IPv6 may have a peer of IPv4.
        short = {(local[-SHORT:], remote[-SHORT:]): (local, remote) for local, remote in queues}
        self._waiting = {}
        for (local, remote), ends in short.items():
            if (peer := short.get((remote, local))) is not None:
                between = (self._owners[ends], self._owners[peer])
                waiting = queues[ends][0] + queues[peer][1]
                self._waiting[between] = self._waiting.get(between, 0) + waiting

    def between(self, sender: int | None, reader: int | None) -> int | None:
        """Return the bytes that wait on the way, None where no connection is seen."""
        if sender is None or reader is None:
            return None
        return self._waiting.get((sender, reader))
