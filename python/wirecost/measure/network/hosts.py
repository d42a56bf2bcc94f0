# SPDX-License-Identifier: Apache-2.0
"""A publisher's host and subscribers' hosts with a profile's network between them."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from wirecost.measure.network import counters, support
from wirecost.measure.network.counters import Traffic
from wirecost.measure.network.namespace import Namespace, NetworkError
from wirecost.measure.network.profiles import Profile
from wirecost.measure.network.relay import Relay
from wirecost.measure.network.wire import INTERFACE, Bridge, Wire, limited, mac
from wirecost.system.errors import UserError

PREFIX = "10.119.99"
"""Network of all hosts; nobody outside sees it."""
MOST_HOSTS = 200


@dataclass(frozen=True)
class Host:
    number: int
    address: str
    """IPv4 address, without the mask."""
    namespace: Namespace
    interface: str = INTERFACE

    @property
    def prefix(self) -> tuple[str, ...]:
        """Words before a command that let it run on this host."""
        return self.namespace.prefix

    def traffic(self) -> Traffic:
        """Return the traffic of its link since it was made."""
        return self.namespace.call(counters.read)[self.interface]


@dataclass(frozen=True)
class Cut:
    """Time without a link, by CLOCK_MONOTONIC, in nanoseconds.

    The link is up some milliseconds after the end.
    """

    begin_ns: int
    end_ns: int


class Network:
    """Hosts and what joins them."""

    def __init__(self, profile: Profile, hosts: tuple[Host, ...], wire: Wire) -> None:
        self.profile = profile
        self.hosts = hosts
        self.wire = wire
        self.cuts: list[Cut] = []

    @property
    def publisher(self) -> Host:
        return self.hosts[0]

    @property
    def subscribers(self) -> tuple[Host, ...]:
        return self.hosts[1:]

    def record(self) -> dict[str, object]:
        """Return the profile and the wire that serves it, for a result folder."""
        return {**self.profile.record(), "made_by": self.wire.made_by}

    @contextmanager
    def disturbed(self) -> Iterator[None]:
        """Cut the publisher's link at the profile's times, counted from here; ``cuts`` has them.

        At the end all links are up. Raises NetworkError at the end.
        """
        end = threading.Event()
        errors: list[NetworkError] = []
        thread = threading.Thread(target=self._cut, args=(end, errors), daemon=True)
        if self.profile.cut_s:
            thread.start()
        try:
            yield
        finally:
            end.set()
            if self.profile.cut_s:
                thread.join()
        if errors:
            raise errors[0]

    def _cut(self, end: threading.Event, errors: list[NetworkError]) -> None:
        if end.wait(self.profile.cut_after_s):
            return
        try:
            self.wire.set_down(0, True)
            begin = time.monotonic_ns()
            end.wait(self.profile.cut_s)
            self.cuts.append(Cut(begin, time.monotonic_ns()))
            self.wire.set_down(0, False)
        except NetworkError as error:
            errors.append(error)


@contextmanager
def network(profile: Profile, subscribers: int) -> Iterator[Network]:
    """Make host 0 for the publisher, and one for each subscriber, while the context lasts.

    Programs that run on a host at the end are killed. Raises UserError with what is missing.
    """
    if not 1 <= subscribers < MOST_HOSTS:
        raise UserError(f"{subscribers} subscribers: give 1 to {MOST_HOSTS - 1}")
    if why := support.missing(profile):
        raise UserError(f"network {profile.name}: {why}")
    with ExitStack() as stack:
        try:
            hosts = [stack.enter_context(Namespace()) for _ in range(subscribers + 1)]
            kind = Relay if profile.needs_delay and not support.has_netem() else Bridge
            wire = stack.enter_context(kind(profile, hosts))
            for number, host in enumerate(hosts):
                _set_up(number, host, profile)
        except NetworkError as error:
            raise UserError(f"network {profile.name}: {error}") from error
        yield Network(
            profile, tuple(Host(i, _address(i), space) for i, space in enumerate(hosts)), wire
        )


def _address(number: int) -> str:
    return f"{PREFIX}.{number + 1}"


def _set_up(number: int, host: Namespace, profile: Profile) -> None:
    host.ip(
        f"link set {INTERFACE} address {mac(number)}",
        f"addr add {_address(number)}/24 dev {INTERFACE}",
        f"link set {INTERFACE} up",
        f"route add 224.0.0.0/4 dev {INTERFACE}",
    )
    host.run(*limited(INTERFACE, profile))
