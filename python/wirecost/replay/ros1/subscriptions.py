# SPDX-License-Identifier: Apache-2.0
"""Subscriptions that follow their publishers: those that come later, and those that were lost."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field

from wirecost._middleware import Queue, Tcp
from wirecost.replay.middleware import ALL, Publishers
from wirecost.replay.ros1 import tcpros
from wirecost.replay.ros1.sockets import PeerError

MAX_MESSAGE_BYTES = 1 << 30
MAX_PUBLISHERS = 1000
LOOK_S = 0.1
RETRY_S = 0.2
MAX_RETRY_S = 5.0
CLOSED = "closed by the peer"


@dataclass
class _Link:
    """A publisher as one subscription sees it."""

    state: str = "wanted"  # wanted, trying, connected, unwanted (by ``only`` or ``without``)
    descriptor: int = -1
    retry_at: float = 0.0
    retry_s: float = RETRY_S


@dataclass
class _Subscription:
    topic: str
    channel: int
    tcp: Tcp
    of: Publishers
    is_over: bool = False
    links: dict[str, _Link] = field(default_factory=dict)


class Subscriptions:
    """Connections with publishers. Thread-safe.

    ``on_header`` gets a topic and its publisher's header before messages come. It may return a
    channel for these, instead of the subscription's.
    """

    def __init__(self, caller: str, on_header: Callable[[str, dict[str, str]], int | None]) -> None:
        self._caller = caller
        self._on_header = on_header
        self._lock = threading.Lock()
        self._changed = threading.Event()
        self._publishers: dict[str, list[str]] = {}
        self._subscriptions: list[_Subscription] = []
        self._tcps: dict[int, tuple[Queue, Tcp]] = {}
        self._notes: dict[str, str] = {}
        self._closing = False
        # A publisher that answers slowly holds up one of these, not all.
        self._connecting = ThreadPoolExecutor(8, "wirecost-connect")
        self._thread = threading.Thread(target=self._run, name="wirecost-links", daemon=True)
        self._thread.start()

    def add(self, topic: str, channel: int, queue: Queue, of: Publishers = ALL) -> None:
        """Messages of these publishers come as ``channel`` of ``queue``."""
        with self._lock:
            if id(queue) not in self._tcps:
                self._tcps[id(queue)] = (queue, Tcp(queue, MAX_MESSAGE_BYTES))
            tcp = self._tcps[id(queue)][1]
            self._subscriptions.append(_Subscription(topic, channel, tcp, of))
        self._changed.set()

    def set_publishers(self, topic: str, uris: list[str]) -> None:
        """Set the publishers that the topic has from now on. Ignored unless subscribed."""
        with self._lock:
            if any(subscription.topic == topic for subscription in self._subscriptions):
                self._publishers[topic] = list(dict.fromkeys(uris))[:MAX_PUBLISHERS]
        self._changed.set()

    def remove(self, topic: str) -> None:
        """End the topic's connections and make no others."""
        with self._lock:
            self._publishers.pop(topic, None)
            for subscription in self._subscriptions:
                if subscription.topic == topic:
                    subscription.is_over = True
                    for link in subscription.links.values():
                        if link.descriptor >= 0:
                            _shut(link.descriptor)
            self._subscriptions = [each for each in self._subscriptions if not each.is_over]

    def connected(self, topic: str) -> int:
        """Return with how many publishers a connection stands."""
        with self._lock:
            return sum(
                link.state == "connected"
                for subscription in self._subscriptions
                if subscription.topic == topic
                for link in subscription.links.values()
            )

    def notes(self) -> list[str]:
        """Return what went wrong since this was asked last, one line for a topic's publisher."""
        with self._lock:
            notes = list(self._notes.values())
            self._notes.clear()
        return notes

    def close(self) -> None:
        """End all connections."""
        with self._lock:
            self._closing = True
        self._changed.set()
        self._thread.join()
        self._connecting.shutdown(cancel_futures=True)
        for _, tcp in self._tcps.values():
            tcp.close()

    def _run(self) -> None:
        while True:
            self._changed.wait(LOOK_S)
            self._changed.clear()
            with self._lock:
                if self._closing:
                    return
                for _, tcp in self._tcps.values():
                    for _, descriptor, reason in tcp.ended():
                        self._ended(tcp, descriptor, reason)
                for subscription in self._subscriptions:
                    self._connect_missing(subscription)

    def _ended(self, tcp: Tcp, descriptor: int, reason: str) -> None:
        for subscription in self._subscriptions:
            if subscription.tcp is not tcp:
                continue
            for uri, link in subscription.links.items():
                if link.descriptor == descriptor:
                    self._failed(subscription, uri, link, reason)
                    return

    def _failed(self, subscription: _Subscription, uri: str, link: _Link, reason: str) -> None:
        link.state, link.descriptor = "wanted", -1
        link.retry_at = time.monotonic() + link.retry_s
        link.retry_s = min(2 * link.retry_s, MAX_RETRY_S)
        if reason != CLOSED:
            topic = subscription.topic
            self._notes[f"{topic} {uri}"] = f"{topic}: publisher {uri}: {reason}"

    def _connect_missing(self, subscription: _Subscription) -> None:
        links, uris = subscription.links, self._publishers.get(subscription.topic, [])
        # A publisher may come back under its old address, and must then not wait.
        gone = [uri for uri, link in links.items() if uri not in uris and link.descriptor < 0]
        for uri in gone:
            if links[uri].state != "trying":
                del links[uri]
        for uri in uris:
            link = links.setdefault(uri, _Link())
            if link.state == "wanted" and link.retry_at <= time.monotonic():
                link.state = "trying"
                self._connecting.submit(self._connect, subscription, uri, link)

    def _connect(self, subscription: _Subscription, uri: str, link: _Link) -> None:
        try:
            connection, header = tcpros.subscribe(uri, self._caller, subscription.topic)
        except PeerError as error:
            with self._lock:
                if uri in self._publishers.get(subscription.topic, []):
                    self._failed(subscription, uri, link, str(error))
                else:
                    link.state = "wanted"
            return
        node = header.get("callerid")
        channel = self._on_header(subscription.topic, header)
        with self._lock:
            refused = subscription.of.without is not None and node == subscription.of.without
            is_over = subscription.is_over or self._closing
            if refused or subscription.of.only not in {None, node} or is_over:
                link.state = "unwanted"
                connection.close()
                return
            link.state = "connected"
            link.retry_s = RETRY_S
            self._notes.pop(f"{subscription.topic} {uri}", None)
            link.descriptor = connection.detach()
            subscription.tcp.add(
                link.descriptor, subscription.channel if channel is None else channel
            )


def _shut(descriptor: int) -> None:
    """End a connection that another thread reads and closes."""
    with suppress(OSError), socket.socket(fileno=os.dup(descriptor)) as connection:
        connection.shutdown(socket.SHUT_RDWR)
