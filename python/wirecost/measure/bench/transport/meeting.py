# SPDX-License-Identifier: Apache-2.0
"""How the ends of a transport find each other: the address of each, and the servers between."""

from __future__ import annotations

import itertools
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from wirecost.measure.bench.transport.clients import started
from wirecost.measure.bench.transport.ground import LOOPBACK_ADDRESS, Ground, Spot
from wirecost.measure.network.profiles import Profile
from wirecost.messaging.transport import find
from wirecost.system import scratch
from wirecost.system.errors import UserError

HOST = "wirecost.measure.bench.transport.host"
START_S = 30.0
DOMAIN = 42
_PORTS = itertools.cycle(range(7600, 9600))
"""Another one for each meeting, since a port that was in use is not free at once."""

OWN = "{own}"
"""In an address: that of the spot where an end runs."""


@dataclass(frozen=True)
class TransportMeeting:
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
BOUND = {"zeromq-tcp": "tcp://{}:{}", "websocket": "ws://{}:{}", "grpc": "{}:{}", "tcp": "{}:{}"}
"""Those of which one end listens, and the form of its address."""
DDS = ("dds", "cyclone")
"""Libraries whose ends find each other by multicast within a domain."""
PEERS = "ros2"
"""Its ends find each other by their addresses within a domain."""
FOLDER = "zeromq"
"""Its sockets lie in a folder."""


def unreachable(mware: str, profile: Profile | None) -> str | None:
    """Why a transport's ends cannot find each other in a network; None is loopback."""
    if profile is None or mware in SERVED or mware in BOUND or mware in (*DDS, PEERS):
        return None
    try:
        away = find(mware).capabilities.other_machines
    except UserError:
        away = True
    if not away or mware == "zenoh-shm":
        return "stays on one machine"
    return "how its ends find each other between hosts is not known here"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((LOOPBACK_ADDRESS, 0))
        return int(probe.getsockname()[1])


@contextmanager
def meeting(
    mware: str, ground: Ground, pattern: str, router: bool, log: Path
) -> Iterator[TransportMeeting]:
    """Run the servers as long as it lasts. Raises ProgramFailedError."""
    if mware in BOUND:
        binding = ground.sender if pattern == "pubsub" else ground.receiver(0)
        port = _free_port() if ground.loopback else next(_PORTS)
        yield TransportMeeting(BOUND[mware].format(binding.address, port))
        return
    if mware in DDS and not ground.loopback:
        yield TransportMeeting(f"{DOMAIN}@{OWN}")
        return
    if mware == PEERS and not ground.loopback:
        spots = [ground.sender, *ground.receivers]
        yield TransportMeeting(f"{DOMAIN}@{';'.join(spot.address for spot in spots)}")
        return
    if mware == FOLDER:
        with scratch.folder("sockets") as folder:
            yield TransportMeeting(str(folder))
        return
    kind = DDS[0] if mware in DDS else mware
    at = ground.sender.address if router or not ground.loopback else ""
    command = [sys.executable, "-P", "-m", HOST, kind, at]
    host = started(command, f"{mware} server", ground.sender, log)
    try:
        answer = host.ask("open", START_S)
        variable = "" if ground.loopback else SERVED.get(mware, "")
        yield TransportMeeting(answer["address"], tuple(answer["pids"]), variable)
    finally:
        host.end()
