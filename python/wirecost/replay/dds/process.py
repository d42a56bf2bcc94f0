# SPDX-License-Identifier: Apache-2.0
"""A node's process, as its participant announces it (Cyclone DDS and Fast DDS do)."""

from __future__ import annotations

import socket
from pathlib import Path

import psutil

from wirecost import _dds

_MACHINE_ID = Path("/etc/machine-id")
_MOST_DIGITS = 10


def process_of(participant: _dds.FoundParticipant) -> int | None:
    """Return None where it is not announced or is no process here that has one of the
    participant's sockets: a container has process numbers of its own, and may have our host name.
    """
    announced = participant.properties
    pid = announced.get("__Pid") or announced.get("fastdds.physical_data.process", "")
    host = announced.get("__Hostname") or announced.get("fastdds.physical_data.host", "")
    if not (pid.isascii() and pid.isdigit() and len(pid) <= _MOST_DIGITS and _is_here(host)):
        return None
    try:
        sockets = psutil.Process(int(pid)).net_connections("udp")
    except psutil.AccessDenied:
        return int(pid)  # another user's, which is said where it cannot be recorded
    except psutil.Error:
        return None
    own = {each.laddr.port for each in sockets if each.laddr}
    return int(pid) if own & participant.ports else None


def _is_here(host: str) -> bool:
    """Whether that is the host's name, as from Cyclone, the name and a number, as from Fast DDS 2,
    or the machine's identity, as from Fast DDS 3."""
    here = socket.gethostname()
    if host in {here, f"{here}:{host.rpartition(':')[2]}"}:
        return True
    try:
        return bool(host) and host == _MACHINE_ID.read_text().strip()
    except OSError:
        return False
