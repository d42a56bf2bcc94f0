# SPDX-License-Identifier: Apache-2.0
"""The faults that ``losing.py`` has, in what network, and where each lets messages die."""

from __future__ import annotations

from dataclasses import dataclass

from wirecost.measure.network.profiles import Profile
from wirecost.results.records.lost_live import READER, SOCKET, WAY, WRITER

REFUSED = "QoS"
NEAR, SMALL, LOSSY = "near", "small sockets", "lossy"
"""Networks: of one machine; with sockets of 70 kB; between two hosts, with loss."""
LOSSES = Profile("losses", loss_percent=10)
SMALL_SOCKETS = """<?xml version="1.0" encoding="UTF-8"?>
<dds xmlns="http://www.eprosima.com"><profiles>
<transport_descriptors><transport_descriptor>
<transport_id>small</transport_id><type>UDPv4</type>
<sendBufferSize>4000000</sendBufferSize><receiveBufferSize>70000</receiveBufferSize>
</transport_descriptor></transport_descriptors>
<participant profile_name="small" is_default_profile="true"><rtps>
<userTransports><transport_id>small</transport_id></userTransports>
<useBuiltinTransports>false</useBuiltinTransports>
</rtps></participant>
</profiles></dds>
"""
PROFILE_VARIABLES = ("FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE")


@dataclass(frozen=True)
class Fault:
    """A mode of ``losing.py``.

    ``made``: what was done to lose messages, in words; ``place``: where they die.
    """

    mode: str
    made: str
    place: str
    network: str = NEAR


FAULTS = (
    Fault("slow", "depth 1, slow callback", READER),
    Fault("burst", "depth 5, bursts of 20", READER),
    Fault("stopped", "depth 10, stopped", READER),
    Fault("mismatch", "reliable asked", REFUSED),
    Fault("busy", "another callback is slow", READER),
    Fault("writer", "writer's depth 1, small socket", WRITER, SMALL),
    Fault("socket", "best effort, small socket", SOCKET, SMALL),
    Fault("way", "best effort, lossy network", WAY, LOSSY),
)
HEALTHY = ("healthy", "quick", "large")
"""Modes in which nothing is lost: 50 Hz, 1 kHz, and 2 MB at 10 Hz."""
FAST, FAST_HZ = "fast", 5000
