# SPDX-License-Identifier: Apache-2.0
"""Contract between recording or replaying and a middleware; one package a middleware implements it.

Messages are bytes throughout: nothing here or behind it knows a message's type.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, Self

from wirecost._middleware import Queue, Sink


@dataclass(frozen=True)
class Qos:
    """Quality of service as DDS names it. A latched topic of ROS 1 is transient local, depth 1."""

    reliability: Literal["reliable", "best_effort"] = "reliable"
    durability: Literal["volatile", "transient_local"] = "volatile"
    depth: int | None = 10
    """Messages kept; None keeps all."""
    deadline_ns: int | None = None
    lifespan_ns: int | None = None
    liveliness: Literal["automatic", "manual_by_topic"] = "automatic"
    lease_ns: int | None = None

    @property
    def is_latched(self) -> bool:
        """Return whether late readers get what was sent before."""
        return self.durability == "transient_local"


@dataclass(frozen=True)
class Topic:
    """A topic with the type that a node gives it.

    ``name`` and ``type`` are written as the middleware's users write them: ``/points`` and
    ``sensor_msgs/PointCloud2`` (ROS 1) or ``sensor_msgs/msg/PointCloud2`` (ROS 2).
    ``type_hash`` is ROS 1's MD5 sum or ROS 2's ``RIHS01_…``; ``definition`` the ``.msg`` text with
    what it refers to, as MCAP stores it. Both are empty where they are unknown.
    """

    name: str
    type: str
    type_hash: str = ""
    definition: str = ""
    qos: Qos = Qos()


@dataclass(frozen=True)
class Service:
    """A service by name and type; ``type_hash`` as for a topic."""

    name: str
    type: str
    type_hash: str = ""


@dataclass(frozen=True)
class NodeGraph:
    """Topics and services that a running node is joined to.

    ``pid`` is None where the middleware does not report it. ``calls``: services of others that the
    node may call. In ROS 1 they are not known before it calls, so these are all services of other
    nodes.
    """

    name: str
    pid: int | None
    subscribed: Sequence[Topic]
    published: Sequence[Topic]
    provides: Sequence[Service] = ()
    calls: Sequence[Service] = ()


@dataclass(frozen=True)
class Call:
    """A finished service call; times are CLOCK_REALTIME nanoseconds.

    ``error`` is None where it succeeded. ``caller`` is a node's name, empty where unknown.
    """

    service: str
    caller: str
    request_ns: int
    reply_ns: int
    request: bytes
    reply: bytes
    error: str | None = None


@dataclass(frozen=True)
class Publishers:
    """Publishers whose messages are recorded: all, ``only`` one node's, or all ``without`` it."""

    only: str | None = None
    without: str | None = None


ALL = Publishers()


class Recorder(Protocol):
    """Listens in a running system. Leaving its context leaves the system as it was found."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *raised: object) -> None: ...

    def nodes(self) -> list[str]:
        """Return names of all running nodes, sorted."""

    def graph(self, node: str) -> NodeGraph:
        """Return what ``node`` is joined to now. Called repeatedly, since topics appear later.

        Raises:
            UserError: there is no such node (the nearest names are given), or the system is not
                reachable (with what to start or set).
        """

    def listen(self, topic: Topic, channel: int, queue: Queue, of: Publishers = ALL) -> None:
        """Put every message of the topic from now on into ``queue``, as ``channel``.

        What its publishers keep for late joiners comes first.
        """

    def watch_services(self, graph: NodeGraph) -> None:
        """Let ``calls`` return calls by and to the node from now on."""

    def calls(self) -> list[Call]:
        """Return the calls that finished since the last call of this."""

    def parameters(self, node: str) -> dict[str, object]:
        """Return what the system's parameters are for the node; JSON values."""

    def notes(self) -> list[str]:
        """Return new notes for the user, one line each."""


class IsolatedSystem(Protocol):
    """A system of its own, for one node to be replayed in. Leaving its context stops all of it."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *raised: object) -> None: ...

    def environment(self) -> dict[str, str]:
        """Return variables that make a program join this system and no other."""

    def prepare(
        self, node: str, parameters: dict[str, object], called: Sequence[Service] = ()
    ) -> None:
        """Set parameters, before the node is started.

        ``called``: services of the node that will be called, so that finding them delays no call.
        """

    def publish(self, topic: Topic) -> Sink:
        """Offer a topic to the node; the player sends through the sink."""

    def listen(self, topic: Topic, channel: int, queue: Queue) -> None:
        """Listen as ``Recorder.listen`` does, but not to what the isolated system itself sends."""

    def answer(self, service: Service, recorded: Sequence[Call]) -> None:
        """Answers calls of the node from the recording, matched by request."""

    def call(self, service: Service, request: bytes) -> Call:
        """Call a service of the node and wait for the reply."""

    def waiting_for(self, subscribed: Sequence[Topic], published: Sequence[Topic]) -> list[str]:
        """Names of topics that are not connected with the node yet; empty: playing may begin."""

    def unmatched(self) -> list[str]:
        """Return requests that the recording had no answer to, one line each; called at the end."""
