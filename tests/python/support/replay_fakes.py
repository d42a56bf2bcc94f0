# SPDX-License-Identifier: Apache-2.0
"""A small middleware of sockets: all above ``replay/middleware.py`` runs on it as on a real one.

A frame is a four-byte length and a message. A node connects to the isolated system, sends
``sub NAME`` or ``pub NAME`` in its first frame, and receives or sends messages from then on.
"""

from __future__ import annotations

import socket
import struct
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from wirecost._middleware import Queue, Tcp, TcpSink
from wirecost.replay.middleware import ALL, Call, NodeGraph, Publishers, Qos, Service, Topic
from wirecost.replay.systems import System
from wirecost.system.errors import UserError

LARGEST = 16 << 20
LATCHED = Qos(durability="transient_local", depth=1)
HEADER = "std_msgs/Header header\nuint32 x\n"
STAMPED = Topic("/in", "test_msgs/Stamped", "0" * 32, HEADER)
MAP = Topic("/map", "test_msgs/Map", "1" * 32, "uint8[] data\n", LATCHED)
ANSWER = Topic("/out", "test_msgs/Stamped", "0" * 32, HEADER)
SERVICE = Service("/twice", "test_srvs/Twice", "2" * 32)

NODE = Path(__file__).with_name("replay_node.py")
COMMAND = [sys.executable, str(NODE)]


def stamped(number: int) -> bytes:
    """Return a ROS 1 message: std_msgs/Header and a number."""
    return struct.pack("<IIIII", 0, 1000 + number, 5, 0, number)


def frame(message: bytes) -> bytes:
    return struct.pack("<I", len(message)) + message


class FakeRecorder:
    """A running system that the test drives: ``send`` is what a publisher does."""

    def __init__(self, pid: int | None) -> None:
        self.pid = pid
        self.subscribed: list[Topic] = []
        self.published: list[Topic] = []
        self.provides: list[Service] = []
        self.gone = False
        self.finished: list[Call] = []
        self.listened: list[tuple[str, str | None, str | None]] = []
        self._ends: dict[str, socket.socket] = {}
        self._tcp: Tcp | None = None
        self._kept: dict[str, bytes] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        for end in self._ends.values():
            end.close()
        if self._tcp is not None:
            self._tcp.close()

    def keep(self, topic: str, message: bytes) -> None:
        """Keep a message that a latched publisher sent before anybody listened."""
        self._kept[topic] = message

    def send(self, topic: str, message: bytes) -> None:
        self._ends[topic].sendall(frame(message))

    def listens_to(self, topic: str) -> bool:
        return topic in self._ends

    def nodes(self) -> list[str]:
        return ["/node"]

    def graph(self, node: str) -> NodeGraph:
        if node != "/node" or self.gone:
            raise UserError(f"{node}: no such node; there is /node")
        return NodeGraph(node, self.pid, self.subscribed, self.published, self.provides)

    def listen(self, topic: Topic, channel: int, queue: Queue, of: Publishers = ALL) -> None:
        self.listened.append((topic.name, of.only, of.without))
        if self._tcp is None:
            self._tcp = Tcp(queue, LARGEST)
        ours, node_end = socket.socketpair()
        self._tcp.add(node_end.detach(), channel)
        if topic.name in self._kept:
            ours.sendall(frame(self._kept[topic.name]))
        self._ends[topic.name] = ours

    def watch_services(self, graph: NodeGraph) -> None:
        """Do nothing: calls come from the test."""

    def calls(self) -> list[Call]:
        finished, self.finished = self.finished, []
        return finished

    def parameters(self, node: str) -> dict[str, object]:
        return {f"{node}/gain": 2}

    def notes(self) -> list[str]:
        return []


class FakeIsolatedSystem:
    """A system of its own on a TCP port; ``parameters`` are what ``prepare`` was given."""

    def __init__(self) -> None:
        self.parameters: dict[str, object] = {}
        self.called: list[bytes] = []
        self._sinks: dict[str, TcpSink] = {}
        self._channels: dict[str, int] = {}
        self._tcp: Tcp | None = None
        self._joined: set[str] = set()
        self._server = socket.create_server(("127.0.0.1", 0))

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        if self._tcp is not None:
            self._tcp.close()

    def environment(self) -> dict[str, str]:
        return {"FAKE_SYSTEM": str(self._server.getsockname()[1])}

    def prepare(
        self, node: str, parameters: dict[str, object], called: Sequence[Service] = ()
    ) -> None:
        del node, called
        self.parameters = parameters

    def publish(self, topic: Topic) -> TcpSink:
        self._sinks[topic.name] = TcpSink(topic.qos.durability == "transient_local")
        return self._sinks[topic.name]

    def listen(self, topic: Topic, channel: int, queue: Queue) -> None:
        if self._tcp is None:
            self._tcp = Tcp(queue, LARGEST)
        self._channels[topic.name] = channel

    def answer(self, service: Service, recorded: Sequence[Call]) -> None:
        """Do nothing: the test's node calls nothing."""

    def call(self, service: Service, request: bytes) -> Call:
        self.called.append(request)
        return Call(service.name, "", 1, 2, request, request * 2)

    def waiting_for(self, subscribed: Sequence[Topic], published: Sequence[Topic]) -> list[str]:
        names = [topic.name for topic in (*subscribed, *published)]
        return [name for name in names if name not in self._joined]

    def unmatched(self) -> list[str]:
        return []

    def _accept(self) -> None:
        while True:
            try:
                peer, _ = self._server.accept()
            except OSError:
                return
            with peer.makefile("rb", buffering=0) as file:
                (length,) = struct.unpack("<I", file.read(4))
                kind, _, name = file.read(length).decode().partition(" ")
            descriptor = peer.detach()
            if kind == "sub":
                self._sinks[name].add(descriptor)
            elif self._tcp is not None:
                self._tcp.add(descriptor, self._channels[name])
            self._joined.add(name)


class FakeSystem(System):
    """``given`` is the test's recorder; ``made`` holds the isolated system of each run."""

    def __init__(self, recorder: FakeRecorder | None = None) -> None:
        super().__init__("ros1", "ros1", "ros1", "ros1msg")
        object.__setattr__(self, "given", recorder)
        object.__setattr__(self, "made", [])

    def recorder(self, domain: int | None, interfaces: tuple[str, ...]) -> FakeRecorder:
        del domain, interfaces
        fake: FakeRecorder = self.given  # type: ignore[attr-defined]
        return fake

    def isolated(self) -> FakeIsolatedSystem:
        fake = FakeIsolatedSystem()
        self.made.append(fake)  # type: ignore[attr-defined]
        return fake
