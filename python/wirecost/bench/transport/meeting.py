# SPDX-License-Identifier: Apache-2.0
"""How the ends of a transport find each other: the address of each, and the servers between."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from wirecost.bench.transport.clients import started
from wirecost.bench.transport.ground import Ground, Spot
from wirecost.transport import find

HOST = "wirecost.bench.transport.host"
START_S = 30.0
DOMAIN = 42
_PORTS = itertools.cycle(range(7600, 9600))
"""Another one for each meeting, since a port that was in use is not free at once."""

OWN = "{own}"
"""In an address: that of the spot where an end runs."""


@dataclass(frozen=True)
class Meeting:
    address: str | None
    servers: tuple[int, ...] = ()
    """Process numbers of the daemon, broker, router or master."""
    own_address_in: str = ""
    """The variable of an end's environment that has its own address."""

    def address_at(self, spot: Spot) -> str | None:
        """Of an end that runs there."""
        return self.address and self.address.replace(OWN, spot.address)

    def environment_at(self, spot: Spot) -> dict[str, str]:
        return {self.own_address_in: spot.address} if self.own_address_in else {}


SERVED = {"mqtt": "", "nats": "", "zenoh": "", "ros1": "ROS_IP"}
"""Those with a server between hosts, and the variable that an end's own address goes into."""
BOUND = {"zeromq-tcp": "tcp://{}:{}", "websocket": "ws://{}:{}", "grpc": "{}:{}"}
"""Those of which one end listens, and the form of its address."""


def refusal(mware: str, ground: Ground) -> str | None:
    """Why a transport cannot be used there."""
    if ground.loopback or mware in SERVED or mware in BOUND or mware == "dds":
        return None
    if not find(mware).capabilities.other_machines or mware == "zenoh-shm":
        return "stays on one machine"
    return "nobody has said how its ends find each other between hosts"


@contextmanager
def meeting(mware: str, ground: Ground, pattern: str, router: bool, log: Path) -> Iterator[Meeting]:
    """Runs the servers as long as it lasts. Raises WorkerFailedError."""
    if mware in BOUND and not ground.loopback:
        binding = ground.sender if pattern == "pubsub" else ground.receiver(0)
        address = BOUND[mware].format(binding.address, next(_PORTS))
        yield Meeting(address)
        return
    if mware == "dds" and not ground.loopback:
        yield Meeting(f"{DOMAIN}@{OWN}")
        return
    at = ground.sender.address if router or not ground.loopback else ""
    command = [sys.executable, "-P", "-m", HOST, mware, at]
    host = started(command, f"{mware} server", ground.sender, log)
    try:
        answer = host.ask("open", START_S)
        variable = "" if ground.loopback else SERVED.get(mware, "")
        yield Meeting(answer["address"], tuple(answer["pids"]), variable)
    finally:
        host.end()
