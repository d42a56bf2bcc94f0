# SPDX-License-Identifier: Apache-2.0
"""What a listener in another Python counts and tells, a line of JSON a second.

It is imported by the listeners, in the Python of a ROS, which need not have what wirecost needs.
"""

from __future__ import annotations

import base64
import json
import random
import sys
import time
from collections.abc import Callable, Container, Hashable, Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeVar

SAMPLED, SAMPLED_BYTES = 8, 2 << 20
"""Most messages and bytes of a topic that are sent as they are; one message always is."""
HELD_BYTES = 32 << 20
"""Most bytes of all topics that are held until they are told; one message always is."""
MOST_MISSED = 100_000
"""Messages between two that came above which a number is no sequence number."""
LOOK_S = 2.0
"""Seconds for which a topic with too many bytes is listened to."""
KEPT = 0
"""Time of a message that was published before anybody listened: it belongs to no rate."""
SETTLED_NS = 2_000_000_000
"""For how long the publisher's clock is looked at, since another machine's may be behind."""
OWN_SERVICES = ("rcl_interfaces/", "type_description_interfaces/")
"""Packages of the services that every node has: they have no rows."""
FAST_DDS = b"\x01\x0f"
"""Vendor, with which a GUID begins."""


def process_of(guid: bytes) -> int | None:
    """Return the last 16 bits of the number of a DDS participant's process.

    Fast DDS has them behind vendor and host; None for others, which do not tell.
    """
    return int.from_bytes(guid[4:6], "little") if guid.startswith(FAST_DDS) else None


def living_processes() -> set[int | None]:
    """Return what ``process_of`` gives for each process that is seen here."""
    return {
        int(folder.name) & 0xFFFF for folder in Path("/proc").iterdir() if folder.name.isdecimal()
    }


End = TypeVar("End")


def without_dead(
    ends: Sequence[End],
    node_of: Callable[[End], str],
    guid_of: Callable[[End], bytes],
    processes: Container[int | None],
) -> list[End]:
    """Return the ends but those of a killed process whose node was started again.

    ``processes``: those of ``living_processes``. DDS announces ends until their lease is over. A
    process that is not seen here may be another machine's or container's, so it counts unless its
    node is here as well.
    """
    living = [process_of(guid_of(end)) in processes for end in ends]
    here = {node_of(end) for end, lives in zip(ends, living, strict=True) if lives}
    return [
        end for end, lives in zip(ends, living, strict=True) if lives or node_of(end) not in here
    ]


def by_profile(
    ends: Iterable[End], kind_of: Callable[[End], Hashable], node_of: Callable[[End], str]
) -> list[tuple[End, list[str]]]:
    """Return an end of each kind of QoS, and the nodes of all of that kind."""
    nodes: dict[Hashable, tuple[End, list[str]]] = {}
    for end in ends:
        nodes.setdefault(kind_of(end), (end, []))[1].append(node_of(end))
    return list(nodes.values())


class SequenceGaps:
    """Sequence numbers of all publishers of a topic, which come without saying whose they are."""

    def __init__(self) -> None:
        self._last: list[int] = []

    def missed(self, number: int, publishers: int) -> int:
        """Return how many messages were sent between this one and the one before it."""
        if number - 1 in self._last:
            self._last[self._last.index(number - 1)] = number
            return 0
        if len(self._last) < max(1, publishers):
            self._last.append(number)
            return 0
        below = [last for last in self._last if last < number]
        if not below:  # A publisher that was started again counts from the begin.
            self._last[self._last.index(max(self._last))] = number
            return 0
        nearest = max(below)
        self._last[self._last.index(nearest)] = number
        return gap if (gap := number - nearest - 1) <= MOST_MISSED else 0


class HeardTopic:
    """Messages of a topic since it was last told."""

    held_bytes: ClassVar[int] = 0
    """Of all topics."""

    def __init__(self, name: str, type_: str, wire: str) -> None:
        self.about = {
            "topic": name, "type": type_, "wire": wire, "definition": "", "digest": "",
        }  # fmt: skip
        self.publishers: list[str] = []
        self.subscribers: list[str] = []
        self.processes: dict[str, int] = {}
        self.qos = self.unknown = ""
        self.links: list[dict[str, Any]] = []
        self.missed = self.lost = 0
        self.is_numbered = False
        self._begun_ns = self._ended_ns = 0
        self._sizes: list[int] = []
        self._times: list[int] = []
        self._heard = self._bytes = 0
        self._sample: dict[int, bytes] = {}
        self._is_sampled = False

    def place(self, node: str, process: int | None) -> None:
        """Note in which process a node is, where one knows."""
        if process is not None:
            self.processes[node] = process

    def begin(self) -> None:
        """Note that it is listened to from now on."""
        self._begun_ns = time.monotonic_ns()

    def end(self) -> None:
        """Note that it is no longer listened to."""
        self._ended_ns = time.monotonic_ns()

    @property
    def watched_s(self) -> float:
        """Seconds for which it was listened to."""
        end_ns = self._ended_ns or time.monotonic_ns()
        return (end_ns - self._begun_ns) / 1e9 if self._begun_ns else 0.0

    def note(self, size: int, time_ns: int) -> None:
        """Count a message that came at a time by CLOCK_MONOTONIC, or KEPT."""
        self._sizes.append(size)
        self._times.append(time_ns)
        self._heard += 1
        self._bytes += size

    def note_missed(self, count: int, size: int, time_ns: int) -> None:
        """Count messages that were published and did not come, of the size of others."""
        self.missed += count
        for _ in range(count):
            self.note(size, time_ns)

    def add(self, data: bytes, time_ns: int | None = None) -> None:
        """Count a message, and keep it for a while; ``time_ns``: as ``note`` has it, or now."""
        size = len(data)
        self.note(size, time.monotonic_ns() if time_ns is None else time_ns)
        most = max(1, min(SAMPLED, SAMPLED_BYTES // max(1, size)))
        place = self._heard - 1 if self._heard <= most else random.randrange(self._heard)
        # Half of the room is for topics of which nothing was told for want of room.
        room = HELD_BYTES // 2 if self._is_sampled else HELD_BYTES
        place = place if self._is_sampled else 0
        others = HeardTopic.held_bytes - len(self._sample.get(place, b""))
        if place < most and (not others or others + size <= room):
            self._sample[place] = bytes(data)
            self._is_sampled = True
            HeardTopic.held_bytes = others + size

    def is_above(self, limit: float) -> bool:
        """Say whether more bytes a second came than are to be listened to."""
        seconds = self.watched_s
        return seconds >= LOOK_S and self._bytes / seconds > limit

    def document(self) -> dict[str, Any]:
        """Return what came since the last call."""
        document = dict(
            self.about, publishers=self.publishers, subscribers=self.subscribers, qos=self.qos,
            processes=self.processes, unknown=self.unknown, watched_s=self.watched_s,
            missed=self.missed, lost=self.lost, is_numbered=self.is_numbered, links=self.links,
            sizes=self._sizes, times=self._times,
            sample={place: base64.b64encode(data).decode() for place, data in self._sample.items()},
        )  # fmt: skip
        HeardTopic.held_bytes -= sum(map(len, self._sample.values()))
        self._sizes, self._times, self._sample = [], [], {}
        return document


def tell(topics: Iterable[HeardTopic]) -> bool:
    """Write all topics on standard output; return False where nobody reads it any more."""
    try:
        sys.stdout.write(json.dumps([topic.document() for topic in topics]) + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        return False
    return True
