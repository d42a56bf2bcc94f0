# SPDX-License-Identifier: Apache-2.0
"""What a message's path costs besides its codec: handed over, copied, sent, woken for, taken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import ceil

Part = Mapping[str, float]
"""Nanoseconds of processor time, by what they are for."""
MESSAGE, BYTE, FRAGMENT = "message", "byte", "fragment"
SUBSCRIBER, SUBSCRIBER_BYTE = "subscriber", "subscriber_byte"
PUBLISH_TERMS = (MESSAGE, BYTE, FRAGMENT, SUBSCRIBER, SUBSCRIBER_BYTE)
"""Terms of publishing: the last two are for each further subscriber."""
TAKE_TERMS = (MESSAGE, BYTE, FRAGMENT)
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
CLIENTS = {("cdr", "cpp"): "rclcpp", ("cdr", "python"): "rclpy", ("ros1", "cpp"): "roscpp",
           ("ros1", "python"): "rospy"}  # fmt: skip
"""Client library by wire and language."""
DEFAULTS = {"cdr": "fastdds", "ros1": "tcpros"}
"""Middleware that a wire's messages go over unless somebody chooses another."""
FRAGMENT_BYTES = {"fastdds": 65_000, "fastdds-udp": 65_000, "cyclonedds": 14_720}
"""Bytes of a message that go in one piece; elsewhere a message is one piece."""


def terms(size: float, subscribers: int, middleware: str) -> dict[str, float]:
    """Return how often each term counts for a message of so many bytes."""
    piece = FRAGMENT_BYTES.get(middleware)
    return {
        MESSAGE: 1.0,
        BYTE: size,
        FRAGMENT: float(max(0, ceil(size / piece) - 1)) if piece else 0.0,
        SUBSCRIBER: float(max(0, subscribers - 1)),
        SUBSCRIBER_BYTE: size * max(0, subscribers - 1),
    }


@dataclass(frozen=True)
class PathPrice:
    """Path of a client library's messages over a middleware.

    ``publish``: of the publisher's process, ``take``: of a subscriber's with its executor, both
    without the codec; ``spread``: relative error of a time, by ``publish`` and ``take``; ``about``:
    where it was measured.
    """

    client: str
    middleware: str
    publish: Part
    take: Part
    spread: Mapping[str, float] = field(default_factory=dict)
    about: Mapping[str, str] = field(default_factory=dict)
    is_own: bool = False

    @property
    def name(self) -> str:
        return f"{self.client} {self.middleware}"

    def send_ns(self, size: float, subscribers: int) -> float:
        """Return what the publisher's process takes for a message and all subscribers."""
        return _sum(self.publish, terms(size, subscribers, self.middleware))

    def receive_ns(self, size: float) -> float:
        """Return what one subscriber's process takes."""
        return _sum(self.take, terms(size, 1, self.middleware))


def _sum(part: Part, counts: Mapping[str, float]) -> float:
    return sum(ns * counts.get(name, 0.0) for name, ns in part.items())


@dataclass(frozen=True)
class PathTable:
    """Prices of paths by ``PathPrice.name``."""

    paths: Mapping[str, PathPrice] = field(default_factory=dict)

    def of(self, client: str, middleware: str) -> PathPrice | None:
        """Return a path's price; where only the plain middleware was measured, made of others'.

        What a client library adds to a middleware of C++ is then that of the one where both were
        measured; where none was, it is left out, and the interval says nothing.
        """
        exact = self.paths.get(f"{client} {middleware}")
        plain = self.paths.get(f"{PLAIN} {middleware}")
        if exact is not None or plain is None:
            return exact
        for name, reference in self.paths.items():
            other = self.paths.get(f"{PLAIN} {reference.middleware}")
            if name.startswith(f"{client} ") and other is not None:
                return _combined(client, plain, reference, other)
        return plain if client == PLAIN else replace(plain, spread={})


def _combined(
    client: str, plain: PathPrice, reference: PathPrice, other: PathPrice
) -> PathPrice:
    """Return a plain path with what a client library adds to another."""
    publish, take = dict(plain.publish), dict(plain.take)
    for sums, with_client, without in (
        (publish, reference.publish, other.publish),
        (take, reference.take, other.take),
    ):
        added = with_client.get(MESSAGE, 0.0) - without.get(MESSAGE, 0.0)
        sums[MESSAGE] = sums.get(MESSAGE, 0.0) + max(0.0, added)
    spread = {
        stage: plain.spread.get(stage, 1.0) + reference.spread.get(stage, 1.0)
        for stage in ("publish", "take")
    }
    is_own = plain.is_own and reference.is_own
    return PathPrice(client, plain.middleware, publish, take, spread, plain.about, is_own)
