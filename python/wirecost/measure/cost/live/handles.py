# SPDX-License-Identifier: Apache-2.0
"""Names of topics in another process's memory, behind rcl's handles of publishers and takers."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress

PRIVATE_BYTES, LONGEST = 1024, 256
"""Bytes of rcl's private part of a handle that are looked through, and of a topic's name."""
LAYOUT = struct.Struct("<QQQ")
"""Of a handle of rmw, public and the same in all ROS 2: implementation, data, topic's name."""
READER_BYTES = 512
"""Bytes of a Fast DDS reader in which it refers to its topic."""
DESCRIPTION = struct.Struct("<QQQ")
"""Of a topic of Fast DDS: its class, then the text of its name and how long that is."""
PROXY_BYTES, PUBLISHER_BYTES, GUID_BYTES = 512, 128, 16
"""Bytes in which Fast DDS refers to a writer by its GUID, and rmw keeps that of a publisher."""
ROS_TOPIC = "rt"
"""With which names in DDS begin that are topics of ROS."""
UNKNOWN = "?"
FAILURES = (OSError, struct.error, UnicodeError, OverflowError)
"""Errors of places in memory where something else lies."""


def topic_of(pid: int, address: int) -> str:
    """Return the topic of a handle of rcl, UNKNOWN where none is found.

    Its private part differs between versions of ROS 2, but always holds the handle of rmw.
    """

    def search(memory: int) -> str:
        (private,) = struct.unpack("<Q", _read(memory, address, 8))
        return _first(_rmw_topic, memory, _words(memory, private, PRIVATE_BYTES))

    return _searched(pid, search)


def topic_of_rmw(pid: int, address: int) -> str:
    """Return the topic of a handle of rmw, UNKNOWN where none is found."""
    return _searched(pid, lambda memory: _rmw_topic(memory, address))


def topic_of_reader(pid: int, listener: int) -> str:
    """Return the topic of the reader that a listener within Fast DDS serves, else UNKNOWN.

    Such a listener refers to its reader behind its class.
    """

    def search(memory: int) -> str:
        (reader,) = struct.unpack("<Q", _read(memory, listener + 8, 8))
        return _first(_dds_topic, memory, _words(memory, reader, READER_BYTES))

    return _searched(pid, search)


def guid_of_rmw(pid: int, address: int) -> bytes:
    """Return the GUID of a publisher by its handle of rmw, empty where none is found.

    It lies behind the name of the rmw, as in each of rmw's public GIDs.
    """
    guids = []

    def search(memory: int) -> str:
        handle = _read(memory, address, LAYOUT.size)
        text = _read(memory, LAYOUT.unpack(handle)[1], PUBLISHER_BYTES)
        place = text.find(handle[:8])
        if place >= 0 and place % 8 == 0:
            guids.append(text[place + 8 : place + 8 + GUID_BYTES])
        return UNKNOWN

    _searched(pid, search)
    return guids[0] if guids else b""


def topic_of_proxy(pid: int, address: int, topics: Mapping[bytes, str]) -> str:
    """Return the topic whose writer a reader of Fast DDS knows by a proxy, UNKNOWN if none.

    ``topics``: by the GUID of their publishers.
    """

    def search(memory: int) -> str:
        proxy = _read(memory, address, PROXY_BYTES)
        return next((topic for guid, topic in topics.items() if guid in proxy), UNKNOWN)

    return _searched(pid, search)


def _searched(pid: int, search: Callable[[int], str]) -> str:
    """Return what a function gives for a process's memory, UNKNOWN where that cannot be read."""
    with suppress(*FAILURES):
        memory = os.open(f"/proc/{pid}/mem", os.O_RDONLY)
        try:
            return search(memory)
        finally:
            os.close(memory)
    return UNKNOWN


def _first(topic_at: Callable[[int, int], str], memory: int, places: Iterable[int]) -> str:
    """Return the topic at the first place that has one, else UNKNOWN."""
    for place in places:
        with suppress(*FAILURES):
            return topic_at(memory, place)
    return UNKNOWN


def _words(memory: int, address: int, size: int) -> Iterator[int]:
    """Yield the numbers of 8 bytes that lie at an address. Raises OSError."""
    words = _read(memory, address, size)
    for (word,) in struct.iter_unpack("<Q", words[: len(words) // 8 * 8]):
        yield word


def _rmw_topic(memory: int, handle: int) -> str:
    """Return the topic of a handle of rmw. Raises FAILURES where it is none."""
    implementation, _, name = LAYOUT.unpack(_read(memory, handle, LAYOUT.size))
    topic = _text(memory, name)
    if not _text(memory, implementation).startswith("rmw_") or not topic.startswith("/"):
        raise UnicodeError
    return topic


def _dds_topic(memory: int, description: int) -> str:
    """Return the topic of ROS that a description in Fast DDS has. Raises FAILURES."""
    _, text, size = DESCRIPTION.unpack(_read(memory, description, DESCRIPTION.size))
    name = _text(memory, text)
    if not name.startswith(f"{ROS_TOPIC}/") or len(name) != size:
        raise UnicodeError
    return name.removeprefix(ROS_TOPIC)


def _read(memory: int, address: int, size: int) -> bytes:
    """Return what lies at an address, less where less is mapped. Raises OSError."""
    if not 4096 <= address < 1 << 47:
        raise OSError
    return os.pread(memory, size, address)


def _text(memory: int, address: int) -> str:
    text = _read(memory, address, LONGEST).partition(b"\0")[0].decode("ascii")
    if not text.isprintable():
        raise UnicodeError
    return text
