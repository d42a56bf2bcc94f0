# SPDX-License-Identifier: Apache-2.0
"""A domain: its number, this machine's addresses, what brings a program into one of its own."""

from __future__ import annotations

import os
import socket

import psutil

from wirecost.system.errors import UserError
from wirecost.system.free_domain import FreeDomain

__all__ = ["LOOPBACK", "FreeDomain", "addresses", "domain_number", "environment"]

LOOPBACK = "127.0.0.1"
# By the port numbers of RTPS, 7400 + 250 for each domain.
_LAST_DOMAIN = 232

# Only what all versions since ROS 2 Humble's know: Cyclone refuses unknown settings.
_CYCLONE = (
    '<CycloneDDS><Domain Id="any">'
    "<General><AllowMulticast>false</AllowMulticast><Interfaces>"
    f'<NetworkInterface address="{LOOPBACK}"/></Interfaces></General>'
    "<Discovery><ParticipantIndex>auto</ParticipantIndex>"
    "<MaxAutoParticipantIndex>100</MaxAutoParticipantIndex>"
    f'<Peers><Peer address="{LOOPBACK}"/></Peers></Discovery>'
    '<Internal><SocketReceiveBufferSize max="32MB"/></Internal>'
    "</Domain></CycloneDDS>"
)


def environment(domain: int) -> dict[str, str]:
    """Return variables that bring a program into the domain on loopback and nowhere else."""
    return {
        "ROS_DOMAIN_ID": str(domain),
        # Versions before ROS 2 Iron know the former alone, Kilted and later the latter alone.
        "ROS_LOCALHOST_ONLY": "1",
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
        "CYCLONEDDS_URI": _CYCLONE,
        # Each of these would connect the node with another system.
        "ROS_DISCOVERY_SERVER": "",
        "ROS_STATIC_PEERS": "",
    }


def addresses() -> set[str]:
    """Return this machine's IPv4 addresses, of interfaces that are up."""
    up = {name for name, state in psutil.net_if_stats().items() if state.isup}
    return {
        each.address
        for name, addresses in psutil.net_if_addrs().items()
        for each in addresses
        if each.family == socket.AF_INET and name in up
    }


def domain_number(number: int | None) -> int:
    """Return a domain, that of ``ROS_DOMAIN_ID`` for None. Raises UserError."""
    text = os.environ.get("ROS_DOMAIN_ID", "") or "0"
    domain = number if number is not None else int(text) if text.isdecimal() else -1
    if not 0 <= domain <= _LAST_DOMAIN:
        value = text if number is None else number
        raise UserError(f"DDS domain {value}: not a number from 0 to {_LAST_DOMAIN}")
    return domain
