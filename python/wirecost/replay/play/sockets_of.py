# SPDX-License-Identifier: Apache-2.0
"""Bytes that wait in the sockets of another process."""

from __future__ import annotations

import array
import ctypes
import errno
import fcntl
import os
import termios
from pathlib import Path

PIDFD_GETFD = 438
TABLES = ("tcp", "tcp6", "udp", "udp6")
LISTENING = "0A"

_libc = ctypes.CDLL(None, use_errno=True)


def bytes_wait(pid: int) -> bool:
    """Raise OSError where the process is gone.

    Its sockets are read themselves (pidfd_getfd(2)); where the kernel or a container's filter does
    not allow that, /proc/net shows TCP and UDP, which takes milliseconds.
    """
    sockets = _sockets(pid)
    handle = os.pidfd_open(pid)
    try:
        for descriptor in sockets:
            copy = _libc.syscall(PIDFD_GETFD, handle, descriptor, 0)
            if copy < 0:
                if ctypes.get_errno() == errno.EBADF:  # closed meanwhile
                    continue
                return _by_tables(pid, set(sockets.values()))
            try:
                if _readable(copy):
                    return True
            finally:
                os.close(copy)
    finally:
        os.close(handle)
    return False


def _sockets(pid: int) -> dict[int, str]:
    """Return inodes by descriptor."""
    sockets = {}
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        try:
            target = str(entry.readlink())
        except OSError:  # closed meanwhile
            continue
        if target.startswith("socket:["):
            sockets[int(entry.name)] = target[8:-1]
    return sockets


def _readable(descriptor: int) -> bool:
    count = array.array("i", [0])
    try:
        fcntl.ioctl(descriptor, termios.FIONREAD, count)
    except OSError:  # a listening socket has no bytes
        return False
    return count[0] > 0


def _by_tables(pid: int, inodes: set[str]) -> bool:
    for table in TABLES:
        try:
            lines = Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]
        except FileNotFoundError:  # a kernel without IPv6
            continue
        for line in lines:
            words = line.split()
            listening = table.startswith("tcp") and words[3] == LISTENING
            if words[9] in inodes and not listening and int(words[4].partition(":")[2], 16):
                return True
    return False
