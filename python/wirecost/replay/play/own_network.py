# SPDX-License-Identifier: Apache-2.0
"""A network that holds loopback and nothing else, for a replay and the node it starts.

roscpp listens for its XML-RPC calls on all addresses, and no variable of ROS changes that.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import socket
import struct

from wirecost.system.errors import UserError

CLONE_NEWNET = 0x40000000
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1
REQUEST = struct.Struct("16sh22x")
"""``struct ifreq`` with flags, netdevice(7)."""


def enter() -> None:
    """Give this thread, and all that it starts, a network of its own from now on.

    Raises UserError where that is not permitted.
    """
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET) != 0:
        reason = os.strerror(ctypes.get_errno() or errno.EPERM)
        raise UserError(f"--own-network: {reason}; run as root, or leave it out")
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
            _, flags = REQUEST.unpack(fcntl.ioctl(any_socket, SIOCGIFFLAGS, REQUEST.pack(b"lo", 0)))
            fcntl.ioctl(any_socket, SIOCSIFFLAGS, REQUEST.pack(b"lo", flags | IFF_UP))
    except OSError as error:
        raise UserError(f"--own-network: loopback: {error.strerror}; leave it out") from error
