# SPDX-License-Identifier: Apache-2.0
"""What ``wirecost lost --live`` found: published and taken messages of each subscriber."""

from __future__ import annotations

import msgspec

from wirecost.results.records.schemas.common import Amount, Count

FORMAT = "wirecost-lost-live"
VERSION = 1
WRITER, SOCKET, WAY, READER, OPEN = (
    "writer's history", "socket", "on the way", "reader's history", "cannot be told"
)  # fmt: skip
SENDER, TAKER = "publisher's queue", "subscriber's queue"
"""Places where messages died: the publisher had no room to keep a reliable message until it was
received; the receiving socket's buffer was full; before the reader, by shared memory or a network;
the reader had no room to keep a message until it was taken; one of these. In ROS 1, the queue of
a connection."""
PLACES = (READER, TAKER, SOCKET, WRITER, SENDER, WAY, OPEN)


class Subscription(msgspec.Struct, kw_only=True, frozen=True):
    """Messages of a topic between its publishers and one subscribing process.

    ``published``: between the first and the last message that it took, None where breakpoints did
    not count it, here or as publishers are elsewhere; ``places``: how many messages died where;
    ``untaken``: published after the last that it took, which wait, or died; ``held``: messages that
    waited when others had fallen out of the reader's history; ``takes_every_s``: time between takes
    while others waited, None where none did; ``published_every_s``: mean interval;
    ``dropped_datagrams``: at sockets of the process, of all topics together, None where nobody may
    look; ``refusals``: publishers whose QoS does not fit, by what does not.
    In ROS 1, all counts are since the first look; ``unread``: bytes that wait in its sockets now;
    ``is_least``: perhaps more died; ``is_unsized``: some died in the publisher's queue, and nobody
    can say how many, as their sizes vary; ``is_open``: its sockets never were empty, or
    not for long, so whether some died there cannot be told.
    """

    topic: str
    pid: int | None = None
    subscribers: list[str]
    publishers: list[str]
    published: Count | None = None
    taken: Count | None = None
    untaken: Count = 0
    places: dict[str, Count] = {}
    held: Count = 0
    takes_every_s: Amount | None = None
    published_every_s: Amount | None = None
    dropped_datagrams: Count | None = None
    refusals: dict[str, list[str]] = {}
    unread: Count = 0
    is_least: bool = False
    is_unsized: bool = False
    is_open: bool = False

    @property
    def missing(self) -> int:
        return sum(self.places.values())


class HeardTopic(msgspec.Struct, kw_only=True, frozen=True):
    """Messages of a topic that our own subscription received, by sequence numbers.

    ``missed``: published in between, None where nothing numbers them; ``lost``: of these, as the
    middleware says, on the way.
    """

    topic: str
    published: Count
    missed: Count | None
    lost: Count | None


class LiveLost(msgspec.Struct, kw_only=True, frozen=True):
    """Subscriptions of a running graph.

    ``topics``: how many the graph has; ``drops``: datagrams at full sockets, by the number of a
    process whose nodes are not known; ``is_attached``: breakpoints counted, else a subscription to
    each topic; ``unread``: records of calls for which there was no room; ``looking``: share of a
    core that counting took.
    """

    format: str = FORMAT
    version: int = VERSION
    system: str
    seconds: Amount
    topics: Count
    is_attached: bool
    subscriptions: list[Subscription]
    drops: dict[str, Count] = {}
    heard: list[HeardTopic] = []
    unread: Count = 0
    is_full: bool = False
    is_whole: bool = True
    usual_buffer: Count | None = None
    looking: Amount = 0.0

    @property
    def is_told(self) -> bool:
        """Whether anything says what subscribers took."""
        return self.is_attached or any(each.taken is not None for each in self.subscriptions)

    def missing(self, *places: str) -> int:
        return sum(
            count
            for subscription in self.subscriptions
            for place, count in subscription.places.items()
            if not places or place in places
        )
