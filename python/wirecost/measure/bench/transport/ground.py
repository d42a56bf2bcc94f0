# SPDX-License-Identifier: Apache-2.0
"""Ground on which a case's processes run: this machine's loopback, or hosts with a network."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field

from wirecost.measure.network import counters, hosts, verified
from wirecost.measure.network.counters import Traffic
from wirecost.measure.network.namespace import Namespace, NetworkError
from wirecost.measure.network.profiles import LOOPBACK, Profile
from wirecost.system.errors import UserError

LOOPBACK_ADDRESS = "127.0.0.1"


@dataclass(frozen=True)
class Spot:
    """Place of processes; ``prefix``: words before a command that let it run there."""

    address: str = LOOPBACK_ADDRESS
    prefix: tuple[str, ...] = ()


@dataclass(frozen=True)
class WireBytes:
    """Bytes that passed the network, headers included.

    On loopback those of both directions are in ``there``.
    """

    there: int
    back: int | None


@dataclass
class Ground:
    """Spots of all ends. At ``sender`` are publishers, requesters and servers."""

    name: str
    sender: Spot
    receivers: tuple[Spot, ...]
    network: hosts.Network | None = None
    namespace: Namespace | None = None
    """Namespace with a loopback interface of these processes alone; None: the machine's."""
    record: dict[str, object] = field(default_factory=dict)
    """Settings of the network, and what was measured of it."""

    @property
    def profile(self) -> Profile | None:
        return self.network.profile if self.network is not None else None

    @property
    def loopback(self) -> bool:
        return self.network is None

    def receiver(self, number: int) -> Spot:
        return self.receivers[number % len(self.receivers)]

    def wire(self) -> WireBytes:
        """Return the bytes up to now."""
        if self.network is None:
            passed = self.namespace.call if self.namespace is not None else _here
            return WireBytes(passed(counters.loopback).sent_bytes, None)
        traffic = self.network.publisher.traffic()
        return WireBytes(traffic.sent_bytes, traffic.received_bytes)

    def disturbed(self) -> AbstractContextManager[None]:
        """Let the network do to a running block what it does, as long as the context lasts."""
        return self.network.disturbed() if self.network is not None else nullcontext()


def _here(read: Callable[[], Traffic]) -> Traffic:
    return read()


@contextmanager
def _own_loopback() -> Iterator[Namespace | None]:
    """Open a namespace with its own loopback, so that its bytes are those of what is measured.

    Where that is not permitted, yield None: then other programs' bytes on the machine's loopback
    are counted as well.
    """
    with ExitStack() as stack:
        try:
            namespace = stack.enter_context(Namespace())
            namespace.ip("link set lo multicast on", "route add 224.0.0.0/4 dev lo")
        except (NetworkError, UserError):
            stack.close()
            yield None
        else:
            yield namespace


@contextmanager
def opened(profile: Profile | None, receivers: int) -> Iterator[Ground]:
    """Open a ground; ``profile``: None for loopback. Raises UserError with what is missing."""
    if profile is None:
        with _own_loopback() as namespace:
            spot = Spot(prefix=namespace.prefix) if namespace is not None else Spot()
            yield Ground(LOOPBACK, spot, (spot,), namespace=namespace)
        return
    with hosts.network(profile, receivers) as network:
        readings = verified.verify(network)
        record = {
            **network.record(),
            **{f"ping_{name}": value for name, value in readings[0].record().items()},
            "differences": "; ".join(verified.differences(profile, readings)),
        }
        there = tuple(Spot(host.address, host.prefix) for host in network.subscribers)
        here = Spot(network.publisher.address, network.publisher.prefix)
        yield Ground(profile.name, here, there, network, record=record)
