# SPDX-License-Identifier: Apache-2.0
"""A listener to a graph of ROS 1: ``python ros1_listener.py '{"limit": BYTES}'``.

It needs no ROS, is no subscriber to the master, and leaves nothing behind: it connects with
publishers as subscribers do. Messages are received outside Python; none is read but its number.
"""

from __future__ import annotations

import json
import re
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from wirecost._middleware import Queue
from wirecost.measure.cost.live.listening import KEPT, MOST_MISSED, HeardTopic, tell
from wirecost.replay.ros1 import rpc
from wirecost.replay.ros1.master import OWN, Master
from wirecost.replay.ros1.sockets import PeerError, address_of, is_local
from wirecost.replay.ros1.subscriptions import Subscriptions
from wirecost.system.closing import Closing

NAME = f"{OWN}cost"
TOLD_EVERY_S, TAKEN_EVERY_S = 1.0, 0.1
QUEUE_BYTES, TAKEN_AT_ONCE = 64 << 20, 10_000
OWN_SERVICES = ("/get_loggers", "/set_logger_level")
"""Services that every node has."""
NUMBERED = re.compile(r"(\s|#.*\n)*(std_msgs/)?Header\s")
"""Begin of the definition of a message that its publisher numbers."""
NUMBERS = 1 << 32
PATIENCE_S = 1.0
"""How long a node may take to say in which process it is."""


@dataclass
class Connection:
    """A connection with a publisher; ``is_latched``: its first message may be older than it."""

    topic: HeardTopic
    is_latched: bool
    is_numbered: bool
    last: int | None = None
    ones: int = 0
    gaps: int = 0

    def note(self, data: bytes, time_ns: int, dropped: int) -> None:
        """Count a message; ``dropped``: for want of room here, directly before it."""
        if self.is_numbered:
            number = int.from_bytes(data[:4], "little")
            if self.last is not None:
                missed = (number - self.last - 1) % NUMBERS - dropped
                self.ones += not missed
                if 0 < missed <= MOST_MISSED:
                    # A node that passes on every n-th message keeps its number.
                    if self.ones > self.gaps:
                        self.topic.note_missed(missed, len(data), time_ns)
                    self.gaps += 1
            self.last = number
        self.topic.add(data, KEPT if self.is_latched else time_ns)
        self.is_latched = False


class Graph(Closing):
    """Topics of a graph; connections with their publishers. Raises UserError."""

    def __init__(self, limit: float, listens: bool) -> None:
        self._limit, self._listens = limit, listens
        self._master = Master.of_environment(NAME)
        self._subscriptions = Subscriptions(NAME, self.learn)
        self._queue = Queue(QUEUE_BYTES)
        self._lock = threading.Lock()
        self._open: dict[str, bool] = {}
        self._nodes: dict[str, list[str]] = {}
        self._uris: dict[str, str] = {}
        self._processes: dict[str, int | None] = {}
        self._connections: list[Connection] = []
        self._dropped: dict[int, int] = {}
        self.topics: dict[str, HeardTopic] = {}

    def look(self) -> None:
        """Find topics and ends, and connect with what is new. Raises PeerError."""
        self._note_dropped()
        state, types = self._master.system_state(), self._master.topic_types()
        for name, nodes in state.publishers.items():
            if name not in self.topics:
                self.topics[name] = HeardTopic(name, types.get(name, ""), "ros1")
            topic = self.topics[name]
            takers = state.subscribers.get(name, [])
            topic.publishers = nodes
            topic.subscribers = [node for node in takers if not node.startswith(OWN)]
            for node in (*topic.publishers, *topic.subscribers):
                topic.place(node, self._process(node))
            if self._listens:
                self._connect(topic, name)
        for name, nodes in state.services.items():
            if not name.endswith(OWN_SERVICES):
                service = self.topics.setdefault(f"{name} ", HeardTopic(name, "", "ros1"))
                service.unknown = "calls of services are not visible in ROS 1"
                service.subscribers = nodes

    def _connect(self, topic: HeardTopic, name: str) -> None:
        """Let the messages of all publishers of a topic come, unless they are too many bytes."""
        if name not in self._open:
            topic.begin()
            self._open[name] = True
            self._subscriptions.add(name, 0, self._queue)
        elif self._open[name] and topic.is_above(self._limit):
            topic.end()
            self._open[name] = False
            self._subscriptions.remove(name)
        nodes, connected = topic.publishers, self._subscriptions.connected(name)
        if self._open[name] and (self._nodes.get(name) != nodes or connected < len(nodes)):
            self._nodes[name] = nodes
            for node in nodes:
                self._uris.pop(node, None)  # it may have begun again elsewhere
            uris = [uri for node in nodes if (uri := self._uri(node))]
            self._subscriptions.set_publishers(name, uris)

    def _uri(self, node: str) -> str:
        """Return the address of a node's API, empty where the master has none."""
        if node not in self._uris:
            with suppress(PeerError):
                self._uris[node] = self._master.node_uri(node)
        return self._uris.get(node, "")

    def _process(self, node: str) -> int | None:
        """Ask a node of this machine once in which process it is; None where it does not say."""
        if node not in self._processes:
            self._processes[node] = None
            with suppress(PeerError, ValueError, TypeError, OverflowError):
                uri = self._uri(node)
                if is_local(address_of(uri, "http")[0]):
                    told = rpc.call(uri, "getPid", NAME, timeout_s=PATIENCE_S)
                    self._processes[node] = int(told)
        return self._processes[node]

    def learn(self, name: str, header: Mapping[str, str]) -> int:
        """Note what a publisher says of its messages; return the channel of this connection."""
        topic, definition = self.topics[name], header.get("message_definition", "")
        is_latched = header.get("latching") == "1"
        is_numbered = NUMBERED.match(definition) is not None
        topic.is_numbered = topic.is_numbered or is_numbered
        topic.about["type"] = header.get("type", topic.about["type"])
        topic.about["definition"] = definition
        topic.about["digest"] = header.get("md5sum", "")
        with self._lock:
            self._connections.append(Connection(topic, is_latched, is_numbered))
            return len(self._connections) - 1

    def listen(self) -> None:
        """Count what came."""
        for number, _, time_ns, _, dropped, data in self._queue.take(TAKEN_AT_ONCE, 0):
            self._connections[number].note(data, time_ns, dropped)

    def _note_dropped(self) -> None:
        """Count what came and had no room."""
        for number, (received, dropped, total) in self._queue.counts().items():
            new, self._dropped[number] = dropped - self._dropped.get(number, 0), dropped
            topic = self._connections[number].topic
            topic.note_missed(new, total // received, time.monotonic_ns())

    def close(self) -> None:
        self._subscriptions.close()


def main() -> None:
    job = json.loads(sys.argv[1])
    with Graph(job["limit"], job["listens"]) as graph:
        due = time.monotonic()
        while True:
            try:
                graph.look()
            except PeerError as error:
                sys.exit(f"the master does not answer any more: {error}")
            graph.listen()
            if not tell(graph.topics.values()):
                break
            due = max(due, time.monotonic()) + job.get("told_every_s", TOLD_EVERY_S)
            while (left := due - time.monotonic()) > 0:
                time.sleep(min(TAKEN_EVERY_S, left))
                graph.listen()


if __name__ == "__main__":
    main()
