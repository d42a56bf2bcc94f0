# SPDX-License-Identifier: Apache-2.0
"""Bytes in the queues of one TCP socket, asked of the kernel by its addresses (sock_diag(7)).

The kernel's tables hold all sockets, and to read them takes milliseconds.
"""

from __future__ import annotations

import re
import socket
import struct

NETLINK_SOCK_DIAG = 4
SOCK_DIAG_BY_FAMILY = 20
ANY = 0xFFFFFFFF
"""Every state, interface and cookie."""
HEAD = struct.Struct("=IHHII")
"""Of a netlink message: its length, kind, flags, number, port."""
ADDRESSES = 4
"""Place of addresses in an answer, behind family, state and timers."""
QUEUES = struct.Struct("=II")
QUEUES_AT = HEAD.size + ADDRESSES + 48 + 4
PATIENCE_S = 1.0

Ends = tuple[str, str]
"""Local and remote address, as the kernel's tables have them."""


def queues_of(every: list[Ends]) -> list[tuple[int, int]]:
    """Return how many bytes each socket has to send, and to read. Raises OSError.

    It also is raised where a socket is no more, or the kernel has no such answers.
    """
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_SOCK_DIAG) as netlink:
        netlink.settimeout(PATIENCE_S)
        netlink.connect((0, 0))
        return [_asked(netlink, ends) for ends in every]


def _asked(netlink: socket.socket, ends: Ends) -> tuple[int, int]:
    (local, local_port), (remote, remote_port) = (_parsed(end) for end in ends)
    family = socket.AF_INET if len(local) == 4 else socket.AF_INET6
    request = struct.pack("=BBBBI", family, socket.IPPROTO_TCP, 0, 0, ANY)
    request += struct.pack("!HH16s16s", local_port, remote_port, local, remote)
    request += struct.pack("=III", 0, ANY, ANY)
    netlink.send(HEAD.pack(HEAD.size + len(request), SOCK_DIAG_BY_FAMILY, 1, 0, 0) + request)
    answer = netlink.recv(1 << 13)
    if len(answer) < QUEUES_AT + QUEUES.size or HEAD.unpack_from(answer)[1] != SOCK_DIAG_BY_FAMILY:
        raise OSError("no such socket")
    unread, unsent = QUEUES.unpack_from(answer, QUEUES_AT)
    return unsent, unread


def _parsed(end: str) -> tuple[bytes, int]:
    """Return the address and port of a table's text: words in this machine's order."""
    address, _, port = end.partition(":")
    words = (int(word, 16) for word in re.findall(".{8}", address))
    return b"".join(struct.pack("=I", word) for word in words), int(port, 16)
