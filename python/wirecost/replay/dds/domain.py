# SPDX-License-Identifier: Apache-2.0
"""Environment that brings a program into a domain of its own."""

from __future__ import annotations

from wirecost.system.free_domain import FreeDomain

__all__ = ["LOOPBACK", "FreeDomain", "environment"]

LOOPBACK = "127.0.0.1"

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
