# SPDX-License-Identifier: Apache-2.0
"""Sharing: the map is made in memory that all processes map, sealed, and only its descriptor sent.

The seals are what a subscriber's safety rests on: nobody can shrink the memory, which would kill a
reader, nor change it any more.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import socket
from collections.abc import Callable

from wirecost import scratch

SEALS = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SEAL
MESSAGE = b"map"


class SharedPublisher:
    """Subscribers connect to a socket in the file system, over which descriptors can be sent."""

    def __init__(self) -> None:
        self.address = str(scratch.make("map") / "socket")
        self._listening = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._listening.bind(self.address)
        self._listening.listen(64)
        self._connections: list[socket.socket] = []
        self._descriptor = -1
        self._mapped: mmap.mmap | None = None

    def load(self, size: int, fill: Callable[[memoryview], None]) -> memoryview:
        self._descriptor = os.memfd_create("wirecost-map", os.MFD_ALLOW_SEALING | os.MFD_CLOEXEC)
        os.ftruncate(self._descriptor, size)
        with mmap.mmap(self._descriptor, size) as writable, memoryview(writable) as view:
            fill(view)
        # Sealing needs that nobody can write: the publisher, too, reads from now on.
        fcntl.fcntl(self._descriptor, fcntl.F_ADD_SEALS, SEALS)
        self._mapped = mmap.mmap(self._descriptor, size, prot=mmap.PROT_READ)
        view = memoryview(self._mapped)
        touch(view)
        return view

    def accept(self, count: int) -> None:
        self._connections += [self._listening.accept()[0] for _ in range(count)]

    def publish(self) -> None:
        for connection in self._connections:
            socket.send_fds(connection, [MESSAGE], [self._descriptor])


class SharedSubscriber:
    """Maps what it is sent, read-only."""

    def __init__(self, address: str) -> None:
        self._connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._connection.connect(address)
        self._mapped: mmap.mmap | None = None

    def receive(self) -> memoryview:
        message, descriptors, _, _ = socket.recv_fds(self._connection, len(MESSAGE), 1)
        if message != MESSAGE or not descriptors:
            raise ConnectionError("the publisher hung up")
        (descriptor,) = descriptors
        try:
            if fcntl.fcntl(descriptor, fcntl.F_GET_SEALS) & SEALS != SEALS:
                raise ValueError("the shared memory is not sealed")
            self._mapped = mmap.mmap(descriptor, os.fstat(descriptor).st_size, prot=mmap.PROT_READ)
        finally:
            os.close(descriptor)
        return memoryview(self._mapped)

    def release(self) -> None:
        if self._mapped is not None:
            self._mapped.close()
            self._mapped = None


def touch(view: memoryview) -> int:
    """Reads one byte of every page; their sum."""
    return sum(view[:: mmap.PAGESIZE])
