# SPDX-License-Identifier: Apache-2.0
"""Keeps sockets on loopback that a library opens on other interfaces, whatever its settings.

The kernel hands a socket that is bound to the device ``lo`` nothing that came by another. Since
Linux 5.7 every user may bind one so.
"""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_SO_BINDTODEVICE = 25
_NAME_BYTES = 16
_DEVICE = b"lo\0"


@contextmanager
def kept_on_loopback() -> Iterator[None]:
    """Bind to loopback what listens on other interfaces and was opened inside, by any thread."""
    before = {number for number, _ in own_sockets()}
    yield
    for number, own_socket in own_sockets():
        if number not in before and may_become_open(own_socket):
            # Before Linux 5.7 only root may.
            with suppress(PermissionError):
                own_socket.setsockopt(socket.SOL_SOCKET, _SO_BINDTODEVICE, _DEVICE)


def may_become_open(one: socket.socket) -> bool:
    """Return whether a packet from another machine could reach it.

    That is now, or once it has a port, which a datagram socket gets with what it first sends.
    """
    if one.family not in {socket.AF_INET, socket.AF_INET6}:
        return False
    if one.type == socket.SOCK_STREAM and not one.getsockopt(
        socket.SOL_SOCKET, socket.SO_ACCEPTCONN
    ):
        return False
    device = one.getsockopt(socket.SOL_SOCKET, _SO_BINDTODEVICE, _NAME_BYTES)
    address = ipaddress.ip_address(one.getsockname()[0].partition("%")[0].removeprefix("::ffff:"))
    return not (address.is_loopback or address.is_multicast) and device != _DEVICE


def own_sockets() -> Iterator[tuple[int, socket.socket]]:
    """Yield this process's sockets, by their descriptors; each is valid until the next."""
    for entry in list(Path("/proc/self/fd").iterdir()):
        with suppress(OSError):
            if entry.readlink().name.startswith("socket:"):
                with _as_it_is(os.dup(int(entry.name))) as own_socket:
                    yield int(entry.name), own_socket


def _as_it_is(descriptor: int) -> socket.socket:
    """Return the object of a socket that others use, and leave it blocking if it is.

    A default timeout, which rospy sets, would make it nonblocking: YARP's thread that accepts
    connections would then ask again and again.
    """
    default = socket.getdefaulttimeout()
    socket.setdefaulttimeout(None)
    try:
        return socket.socket(fileno=descriptor)
    finally:
        socket.setdefaulttimeout(default)
