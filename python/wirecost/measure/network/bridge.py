# SPDX-License-Identifier: Apache-2.0
"""Hosts joined by veth pairs over a bridge, which has a namespace of its own.

A host's own end limits what it sends, the bridge's end what it receives; there packets are delayed
and lost, too. So each packet passes one delay and one loss.
"""

from __future__ import annotations

from collections.abc import Sequence

from wirecost.measure.network.namespace import Namespace
from wirecost.measure.network.profiles import Profile
from wirecost.measure.network.wire import INTERFACE, Wire, emulated, limited, mac


class Bridge(Wire):
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
