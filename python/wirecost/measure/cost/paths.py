# SPDX-License-Identifier: Apache-2.0
"""What a message's path costs besides its codec: handed over, copied, sent, woken for, taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, log

import numpy as np

Part = Mapping[str, float]
"""Nanoseconds of processor time, by what they are for."""
MESSAGE, BYTE, FRAGMENT, COLD = "message", "byte", "fragment", "cold"
SUBSCRIBER, SUBSCRIBER_BYTE = "subscriber", "subscriber_byte"
TAKE_TERMS = (MESSAGE, BYTE, FRAGMENT, COLD)
PUBLISH_TERMS = (*TAKE_TERMS, SUBSCRIBER, SUBSCRIBER_BYTE)
"""Terms of publishing: the last two are for each further subscriber."""
BYTES_PER_S, FASTEST_HZ, SLOWEST_HZ = 20e6, 100.0, 10.0
COLD_HZ, WARM_HZ = 100.0, 400.0
"""Wake-ups a second of a process whose caches are others' each time, and of one that finds its own:
measured over Fast DDS and TCPROS, whose messages take the same below, and a third above."""
MIDDLEWARES = {
    "fastdds": "Fast DDS", "fastdds-udp": "Fast DDS by UDP", "cyclonedds": "Cyclone DDS",
    "zenoh": "Zenoh", "iceoryx2": "iceoryx2", "tcpros": "TCPROS",
}  # fmt: skip
"""Names that a person reads."""
ALIASES = {
    "dds": "fastdds", "rmw_fastrtps_cpp": "fastdds", "rmw_cyclonedds_cpp": "cyclonedds",
    "cyclone": "cyclonedds", "rmw_zenoh_cpp": "zenoh", "ros1": "tcpros", "ros2": "fastdds",
}  # fmt: skip
"""Other names of middlewares: those of ROS 2, and of our transports."""
PLAIN = "plain"
"""Client library of those that use a middleware itself, in C++."""
PYTHONS = "rclpy"
"""Client library that adds most to a middleware."""
CLIENTS = {("cdr", "cpp"): "rclcpp", ("cdr", "python"): "rclpy", ("ros1", "cpp"): "roscpp",
           ("ros1", "python"): "rospy"}  # fmt: skip
"""Client library by wire and language."""
DEFAULTS = {"cdr": "fastdds", "ros1": "tcpros"}
"""Middleware that a wire's messages go over unless somebody chooses another."""
FRAGMENT_BYTES = {"fastdds": 65_000, "fastdds-udp": 65_000, "cyclonedds": 14_720}
"""Bytes of a message that go in one piece; elsewhere a message is one piece."""


def usual_hz(size: float) -> float:
    """Return the rate at which messages of a size are measured."""
    return min(FASTEST_HZ, max(SLOWEST_HZ, BYTES_PER_S / max(1.0, size)))


def terms(
    size: float, subscribers: int, middleware: str, hz: float | None = None
) -> dict[str, float]:
    """Return how often each term counts for a message of so many bytes.

    ``hz``: how often its process wakes up, None as usual for the size. ``COLD`` is paid by a
    process whose caches have others' data and code.
    """
    piece = FRAGMENT_BYTES.get(middleware)
    return {
        MESSAGE: 1.0,
        BYTE: size,
        COLD: _coldness(usual_hz(size) if hz is None else hz),
        FRAGMENT: float(max(0, ceil(size / piece) - 1)) if piece else 0.0,
        SUBSCRIBER: float(max(0, subscribers - 1)),
        SUBSCRIBER_BYTE: size * max(0, subscribers - 1),
    }


def _coldness(hz: float) -> float:
    if hz <= COLD_HZ:
        return 1.0
    return max(0.0, log(WARM_HZ / hz) / log(WARM_HZ / COLD_HZ))


@dataclass(frozen=True)
class PathPrice:
    """Path of a client library's messages over a middleware.

    ``publish``: of the publisher's process, ``take``: of a subscriber's with its executor, both
    without the codec; ``spread``: relative error of a time, by ``publish`` and ``take``; ``slack``:
    nanoseconds by which a message's may be wrong besides; ``measured``: by stage, sizes in bytes
    and nanoseconds with one subscriber at the size's usual rate, both growing, between which a time
    lies whatever the terms say; ``about``: where it was measured.
    """

    client: str
    middleware: str
    publish: Part
    take: Part
    spread: Mapping[str, float] = field(default_factory=dict)
    about: Mapping[str, str] = field(default_factory=dict)
    is_own: bool = False
    slack: Mapping[str, float] = field(default_factory=dict)
    measured: Mapping[str, Sequence[tuple[float, float]]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"{self.client} {self.middleware}"

    def send_ns(self, size: float, subscribers: int, hz: float | None = None) -> float:
        """Return what the publisher's process takes for a message and all subscribers.

        ``hz``: how often it wakes up, None as usual for the size.
        """
        further = _sum(self.publish, terms(size, subscribers, self.middleware, hz))
        return self._single("publish", size, hz) + (further - self._terms("publish", size, hz))

    def receive_ns(self, size: float, hz: float | None = None) -> float:
        """Return what one subscriber's process takes."""
        return self._single("take", size, hz)

    def _single(self, stage: str, size: float, hz: float | None) -> float:
        """Return what a message to one subscriber takes, beyond what was measured by the terms."""
        points = self.measured.get(stage)
        if not points:
            return self._terms(stage, size, hz)
        sizes, times = zip(*points, strict=True)
        end = min(size, sizes[-1])
        beyond = self._terms(stage, size, hz) - self._terms(stage, end)
        return max(0.0, float(np.interp(size, sizes, times)) + beyond)

    def _terms(self, stage: str, size: float, hz: float | None = None) -> float:
        part = self.publish if stage == "publish" else self.take
        return _sum(part, terms(size, 1, self.middleware, hz))


def _sum(part: Part, counts: Mapping[str, float]) -> float:
    return sum(ns * counts.get(name, 0.0) for name, ns in part.items())


@dataclass(frozen=True)
class PathTable:
    """Prices of paths by ``PathPrice.name``."""

    paths: Mapping[str, PathPrice] = field(default_factory=dict)

    def of(self, client: str, middleware: str) -> PathPrice | None:
        """Return a path's price; where only the plain middleware was measured, made of others'.

        What a client library adds to a middleware of C++ is then that of the one where both were
        measured. One that was measured nowhere adds something between nothing and what Python's
        adds; of one without a plain path an interval says nothing.
        """
        exact = self.paths.get(f"{client} {middleware}")
        plain = self.paths.get(f"{PLAIN} {middleware}")
        if exact is not None:
            return exact
        if plain is None:
            other = next(
                (path for path in self.paths.values() if path.middleware == middleware), None
            )
            return other and replace(other, client=client, spread={})
        if client == PLAIN:
            return plain
        if added := self._added(client):
            return _with_client(plain, client, added)
        if added := self._added(PYTHONS):
            half = {stage: ns / 2 for stage, ns in added.items()}
            return replace(_with_client(plain, client, half), slack=half)
        return replace(plain, client=client, spread={})

    def _added(self, client: str) -> dict[str, float]:
        """Return what a client library adds to a message where both were measured."""
        for path in self.paths.values():
            plain = self.paths.get(f"{PLAIN} {path.middleware}")
            if path.client == client and plain is not None:
                pairs = {"publish": (path.publish, plain.publish), "take": (path.take, plain.take)}
                return {
                    stage: max(0.0, first.get(MESSAGE, 0.0) - other.get(MESSAGE, 0.0))
                    for stage, (first, other) in pairs.items()
                }
        return {}


def _with_client(plain: PathPrice, client: str, added: Mapping[str, float]) -> PathPrice:
    publish, take = (
        {**part, MESSAGE: part.get(MESSAGE, 0.0) + added[stage]}
        for stage, part in (("publish", plain.publish), ("take", plain.take))
    )
    measured = {
        stage: [(size, ns + added[stage]) for size, ns in points]
        for stage, points in plain.measured.items()
    }
    return replace(plain, client=client, publish=publish, take=take, measured=measured)
