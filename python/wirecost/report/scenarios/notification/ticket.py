# SPDX-License-Identifier: Apache-2.0
"""The table of RSB ticket 997 (J. Moringen, 2012-06-14), to print beside ours."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TicketRow:
    """Bytes of a message and seconds of a million round trips with new objects."""

    factor: int
    protobuf_bytes: int
    protobuf_s: float
    ros_bytes: int
    ros_s: float


TICKET = (
    TicketRow(4, 55, 1.953, 104, 1.154),
    TicketRow(8, 83, 2.005, 132, 1.129),
    TicketRow(16, 139, 2.047, 188, 1.216),
    TicketRow(32, 251, 2.476, 300, 1.211),
    TicketRow(64, 477, 2.401, 524, 1.281),
    TicketRow(128, 933, 2.519, 972, 1.497),
)
