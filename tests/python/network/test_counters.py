# SPDX-License-Identifier: Apache-2.0
"""The kernel's counters of interfaces."""

from __future__ import annotations

import socket

from wirecost.measure.network import counters
from wirecost.measure.network.counters import Traffic

TEXT = """\
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo \
colls carrier compressed
    lo:    3193      29    0    0    0     0          0         0     3193      29    0    0    0 \
    0       0          0
  eth0:1000  10    1    2    0     0          0         3     2000      20    4    5    0     0   \
    0          0
"""


def test_of_each_interface() -> None:
    assert counters.parse(TEXT) == {
        "lo": Traffic(3193, 29, 0, 3193, 29, 0),
        "eth0": Traffic(1000, 10, 2, 2000, 20, 5),
    }
    assert Traffic(5, 4, 3, 2, 1, 0) - Traffic(1, 1, 1, 1, 1, 0) == Traffic(4, 3, 2, 1, 0, 0)


def test_loopback_counts_what_is_sent_with_its_headers() -> None:
    """Others may use loopback meanwhile: it is at least as much."""
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as inbox,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as outbox,
    ):
        inbox.bind(("127.0.0.1", 0))
        before = counters.loopback()
        for _ in range(100):
            outbox.sendto(bytes(1000), inbox.getsockname())
        passed = counters.loopback() - before
    assert passed.sent_packets >= 100
    assert passed.sent_bytes >= 100 * (1000 + 8 + 20)  # no Ethernet there
    assert passed.received_bytes == passed.sent_bytes
