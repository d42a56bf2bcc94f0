# SPDX-License-Identifier: Apache-2.0
"""Meeting of a transport's ends: the address of each, and the servers between them."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from wirecost.measure.bench.transport.choices import FLOORS
from wirecost.measure.bench.transport.clients import started
from wirecost.measure.bench.transport.ground import Ground, Spot
from wirecost.measure.network.profiles import Profile
from wirecost.messaging.transport import find, meetings
from wirecost.messaging.transport.meeting import (
    AmongPeers,
    AtListener,
    AtServer,
    InDomain,
    InFolder,
    Meeting,
    OnOneMachine,
)
from wirecost.system import scratch
from wirecost.system.errors import UserError
from wirecost.system.ports import free_port

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
        """Return the address of an end that runs there."""
        return self.address and self.address.replace(OWN, spot.address)

    def environment_at(self, spot: Spot) -> dict[str, str]:
        return {self.own_address_in: spot.address} if self.own_address_in else {}


def _place(mware: str) -> Meeting | None:
    """Return the kind of place where the ends of a library meet.

    ``cyclone``, ``tcp`` and floors have a native client only.
    """
    if mware in FLOORS:
        return InFolder()
    return {"cyclone": InDomain(), "tcp": AtListener("{}:{}"), **meetings()}.get(mware)


def unreachable(mware: str, profile: Profile | None) -> str | None:
    """Return why a transport's ends cannot find each other in a network; None is loopback."""
    place = _place(mware)
    if profile is None or isinstance(place, AtServer | AtListener | InDomain | AmongPeers):
        return None
    try:
        away = find(mware).capabilities.other_machines
    except UserError:
        away = True
    if not away or mware in FLOORS or isinstance(place, OnOneMachine):
        return "stays on one machine"
    return "how its ends find each other between hosts is not known here"


@contextmanager
def meeting(
    mware: str, ground: Ground, pattern: str, router: bool, log: Path
) -> Iterator[TransportMeeting]:
    """Run the servers as long as it lasts. Raises ProgramFailedError."""
    place = _place(mware)
    if isinstance(place, AtListener):
        binding = ground.sender if pattern == "pubsub" else ground.receiver(0)
        port = free_port() if ground.loopback else next(_PORTS)
        yield TransportMeeting(place.address.format(binding.address, port))
        return
    if isinstance(place, InDomain) and not ground.loopback:
        yield TransportMeeting(f"{DOMAIN}@{OWN}")
        return
    if isinstance(place, AmongPeers) and not ground.loopback:
        spots = [ground.sender, *ground.receivers]
        yield TransportMeeting(f"{DOMAIN}@{';'.join(spot.address for spot in spots)}")
        return
    if isinstance(place, InFolder):
        with scratch.folder("sockets", in_memory=True) as folder:
            yield TransportMeeting(str(folder))
        return
    kind = "dds" if isinstance(place, InDomain) else mware
    at = ground.sender.address if router or not ground.loopback else ""
    command = [sys.executable, "-P", "-m", HOST, kind, at]
    host = started(command, f"{mware} server", ground.sender, log)
    try:
        answer = host.ask("open", START_S)
        remote = place if isinstance(place, AtServer) and not ground.loopback else AtServer()
        yield TransportMeeting(answer["address"], tuple(answer["pids"]), remote.own_address_in)
    finally:
        host.end()
