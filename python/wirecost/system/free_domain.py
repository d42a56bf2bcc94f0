# SPDX-License-Identifier: Apache-2.0
"""A DDS domain that nobody else on this machine is in."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Self

from wirecost.system.errors import UserError

# Domains above would use ports that Linux gives to anybody (RTPS: 7400 + 250 for each domain).
_DOMAINS = range(101, 0, -1)
_FIRST_PORT = 7400
_PORTS = 250


class FreeDomain:
    """A domain that is held by a name that only one socket of the network namespace can have.

    The name is the same for all users: no file is left, and nothing of another user's is opened.
    Leaving the context frees the domain, as the process's end does.
    """

    number: int

    def __enter__(self) -> Self:
        used = _used_ports()
        for number in _DOMAINS:
            start = _FIRST_PORT + _PORTS * number
            # A participant of a domain has one of its ports; no discovery has to be awaited.
            if used.isdisjoint(range(start, start + _PORTS)) and self._lock(number):
                self.number = number
                return self
        raise UserError(
            f"DDS domains {_DOMAINS[-1]} to {_DOMAINS[0]} are all in use; end other programs"
        )

    def __exit__(self, *raised: object) -> None:
        self._held.close()

    def _lock(self, number: int) -> bool:
        held = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            held.bind(f"\0wirecost-dds-{number}")
        except OSError:
            held.close()
            return False
        self._held = held
        return True


def _used_ports() -> set[int]:
    """Return UDP ports that are bound in this network namespace."""
    ports = set()
    for name in ("udp", "udp6"):
        try:
            lines = Path(f"/proc/net/{name}").read_text().splitlines()[1:]
        except OSError:
            continue
        ports |= {int(line.split()[1].rpartition(":")[2], 16) for line in lines}
    return ports
