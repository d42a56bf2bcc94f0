# SPDX-License-Identifier: Apache-2.0
"""Links of the hosts: what every one does, and the kernel's bridge."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from wirecost.measure.network.namespace import Namespace
from wirecost.measure.network.profiles import Profile
from wirecost.system.closing import Closing

INTERFACE = "eth0"
"""Each host's."""
MTU = 1500
FRAME = MTU + 14
"""Bytes of a full packet with Ethernet's header."""
BURST_S = 0.001


class Wire(Closing):
    """The network between hosts. ``host``: its number, from 0."""

    made_by: ClassVar[str]
    """Maker of the network, for people and the result folder."""

    @abstractmethod
    def set_down(self, host: int, down: bool) -> None:
        """Cut a host's link, or mend it. Raises NetworkError.

        The host gets no notice, as when a link beyond a switch is cut.
        """

    def counts(self) -> dict[str, int]:
        """Return what became of packets, where the wire counts that itself."""
        return {}


class Bridge(Wire):
    """Hosts joined by veth pairs over a bridge, which has a namespace of its own.

    A host's own end limits what it sends, the bridge's end what it receives; there packets are
    delayed and lost, too. So each packet passes one delay and one loss.
    """

    made_by = "kernel"

    def __init__(self, profile: Profile, hosts: Sequence[Namespace]) -> None:
        """Join the hosts by a bridge of the kernel. Raises NetworkError."""
        self._namespace = Namespace()
        try:
            # A switch that knows no groups: multicast goes to every port.
            self._namespace.ip("link add br0 type bridge mcast_snooping 0", "link set br0 up")
            for number, host in enumerate(hosts):
                self._join(number, host, profile)
        except BaseException:
            self.close()
            raise

    def _join(self, number: int, host: Namespace, profile: Profile) -> None:
        port = f"port{number}"
        # Packets as a network card sends them: the kernel would pass on 64 kB in one piece, which
        # would be lost as one and counted with one header.
        self._namespace.ip(
            f"link add {port} gso_max_segs 1 type veth peer name {INTERFACE} "
            f"address {mac(number)} gso_max_segs 1 netns {host.path}",
            f"link set {port} master br0",
            f"link set {port} up",
        )
        queue = emulated if profile.needs_delay else limited
        self._namespace.run(*queue(port, profile))

    def set_down(self, host: int, down: bool) -> None:
        # Without a bridge, its port throws away what comes; the host's own end stays up.
        self._namespace.ip(f"link set port{host} {'nomaster' if down else 'master br0'}")

    def close(self) -> None:
        self._namespace.close()


def mac(host: int) -> str:
    return f"02:77:63:00:{host // 256:02x}:{host % 256:02x}"


def limited(interface: str, profile: Profile) -> tuple[str, ...]:
    """Return the command of tc(8) for an interface that sends at the profile's rate."""
    burst = max(2 * FRAME, round(profile.rate_mbit * 1e6 / 8 * BURST_S))
    return (
        "tc", "qdisc", "replace", "dev", interface, "root", "tbf",
        "rate", _rate(profile), "burst", str(burst),
        "limit", str(burst + profile.queue_packets * FRAME),
    )  # fmt: skip


def emulated(interface: str, profile: Profile) -> tuple[str, ...]:
    """Return the command of tc(8) for rate, delay, jitter and loss, by netem.

    Its rate is what keeps the order.
    """
    bits_waiting = profile.rate_mbit * 1e3 * (profile.delay_ms + profile.jitter_ms)
    limit = profile.queue_packets + round(bits_waiting / 8 / FRAME)
    jitter = (f"{profile.jitter_ms}ms",) if profile.jitter_ms else ()
    loss = ("loss", f"{profile.loss_percent}%") if profile.loss_percent else ()
    return (
        "tc", "qdisc", "replace", "dev", interface, "root", "netem", "limit", str(limit),
        "delay", f"{profile.delay_ms}ms", *jitter, *loss, "rate", _rate(profile),
    )  # fmt: skip


def _rate(profile: Profile) -> str:
    return f"{round(profile.rate_mbit * 1e6)}bit"
