# SPDX-License-Identifier: Apache-2.0
"""A listener to a graph of ROS 1: ``python ros1_listener.py '{"limit": BYTES}'``.

It runs in the Python in which rospy is.
"""

from __future__ import annotations

import importlib
import json
import re
import sys
import threading
import time
import xmlrpc.client
from collections.abc import Callable
from contextlib import suppress
from http.client import HTTPConnection
from typing import Any

from wirecost.measure.cost.live.listening import KEPT, MOST_MISSED, HeardTopic, tell

NAME = "/wirecost_cost"
TOLD_EVERY_S = 1.0
OWN_SERVICES = ("/get_loggers", "/set_logger_level")
"""Services that every node has."""
NUMBERED = re.compile(r"(\s|#.*\n)*(std_msgs/)?Header\s")
"""Begin of the definition of a message that its publisher numbers."""
PATIENCE_S = 1.0
"""How long a node may take to say in which process it is."""


class Graph:
    """Topics of a graph; subscriptions to those that somebody publishes."""

    def __init__(self, rospy: Any, rosgraph: Any, master: Any, limit: float, listens: bool) -> None:
        self._rospy, self._rosgraph, self._master = rospy, rosgraph, master
        self._limit, self._listens = limit, listens
        self._lock = threading.Lock()
        self._open: dict[str, Any] = {}
        self._processes: dict[str, int | None] = {}
        self.topics: dict[str, HeardTopic] = {}

    def look(self) -> None:
        """Find topics and ends, and subscribe to what is new."""
        published, subscribed, served = self._master.getSystemState()
        types = dict(self._master.getTopicTypes())
        takers = dict(subscribed)
        for name, nodes in published:
            if name not in self.topics:
                self.topics[name] = HeardTopic(name, types.get(name, ""), "ros1")
            topic = self.topics[name]
            topic.publishers = [node for node in nodes if node != NAME]
            topic.subscribers = [node for node in takers.get(name, []) if node != NAME]
            for node in (*topic.publishers, *topic.subscribers):
                topic.place(node, self._process(node))
            if self._listens and name not in self._open and topic.publishers:
                topic.begin()
                self._open[name] = self._rospy.Subscriber(
                    name, self._rospy.AnyMsg, self._heard(topic), queue_size=100
                )
        for name, nodes in served:
            if not name.endswith(OWN_SERVICES):
                service = self.topics.setdefault(f"{name} ", HeardTopic(name, "", "ros1"))
                service.unknown = "calls of services are not visible in ROS 1"
                service.subscribers = list(nodes)
        for name, subscriber in list(self._open.items()):
            if subscriber is not None and self.topics[name].is_above(self._limit):
                self.topics[name].end()
                subscriber.unregister()
                self._open[name] = None

    def _process(self, node: str) -> int | None:
        """Ask a node of this machine once in which process it is; None where it does not say."""
        if node not in self._processes:
            self._processes[node] = None
            with suppress(Exception):  # whatever another node answers, or does not
                address = self._master.lookupNode(node)
                network = self._rosgraph.network
                host, _ = network.parse_http_host_and_port(address)
                if network.is_local_address(host):
                    server: Any = xmlrpc.client.ServerProxy(address, _Impatient())
                    self._processes[node] = int(server.getPid(NAME)[2])
        return self._processes[node]

    def _heard(self, topic: HeardTopic) -> Callable[[Any], None]:
        last: dict[str, int] = {}
        publishers: set[str] = set()

        def heard(message: Any) -> None:
            header = message._connection_header
            publisher = header.get("callerid", "")
            was_kept = header.get("latching") == "1" and publisher not in publishers
            publishers.add(publisher)
            with self._lock:
                topic.about["type"] = header.get("type", topic.about["type"])
                topic.about["definition"] = header.get("message_definition", "")
                topic.about["digest"] = header.get("md5sum", "")
                if NUMBERED.match(topic.about["definition"]):
                    topic.is_numbered = True
                    number = int.from_bytes(message._buff[:4], "little")
                    missed = number - last.get(publisher, number) - 1
                    if 0 < missed <= MOST_MISSED:
                        topic.note_missed(missed, len(message._buff), time.monotonic_ns())
                    last[publisher] = number
                topic.add(message._buff, KEPT if was_kept else None)

        return heard

    def tell(self) -> bool:
        """Tell all topics; return False where nobody reads it any more."""
        with self._lock:
            return tell(self.topics.values())


class _Impatient(xmlrpc.client.Transport):
    """A way to a node that may stand still."""

    def make_connection(self, host: Any) -> HTTPConnection:
        connection = super().make_connection(host)
        connection.timeout = PATIENCE_S
        return connection


def main() -> None:
    job = json.loads(sys.argv[1])
    try:
        rosgraph = importlib.import_module("rosgraph")
        rospy = importlib.import_module("rospy")
    except ImportError:
        sys.exit(3)
    master = rosgraph.Master(NAME)
    try:
        master.getPid()
    except Exception:  # of its own kinds, and of sockets
        sys.exit(4)
    rospy.init_node(NAME[1:], disable_signals=True, disable_rosout=True)
    graph = Graph(rospy, rosgraph, master, job["limit"], job["listens"])
    while True:
        graph.look()
        if not graph.tell():
            break
        time.sleep(job.get("told_every_s", TOLD_EVERY_S))
    rospy.signal_shutdown("nobody reads")


if __name__ == "__main__":
    main()
