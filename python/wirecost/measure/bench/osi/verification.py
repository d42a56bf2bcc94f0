# SPDX-License-Identifier: Apache-2.0
"""Independent reading of messages: the proof that contenders did the same work.

A message is interpreted from its run-time schema, never with a contender's code, and brought
into a canonical form that is the same for every wire (cpp/wirecost/verify/canonical.hpp).
"""

from __future__ import annotations

import hashlib
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wirecost import _core


@dataclass(frozen=True)
class Canonical:
    """Canonical bytes of a message and their digest (BLAKE2b, 16 hexadecimal digits)."""

    content: bytes

    @property
    def digest(self) -> str:
        return hashlib.blake2b(self.content, digest_size=8).hexdigest()


class IndependentReader:
    """Reader of one wire's messages, given that wire's schema file; ``-``: it has none.

    Raises ValueError for an unknown wire or a broken schema.
    """

    def __init__(self, wire: str, schema: Path) -> None:
        content = b"" if schema.name == "-" else schema.read_bytes()
        self._reader = _core.independent_reader(wire, content)

    def read(self, message: str, address: int, size: int) -> Canonical:
        """Read ``size`` bytes in this process's memory as ``message`` ("SensorView", …).

        Raises ValueError if they are not such a message.
        """
        return Canonical(self._reader.canonical(message, address, size))


def empty_step_ns(repetitions: int = 1001) -> int:
    """Return the median nanoseconds that the timestamps of one step of both models cost."""
    samples = sorted(_core.empty_step_ns() for _ in range(repetitions))
    return samples[repetitions // 2]


def difference_beyond(message: Canonical, other: Canonical, tolerances: dict[str, float]) -> str:
    """Return where two messages differ by more than their numbers' tolerances; empty if nowhere.

    ``tolerances``: the largest difference by the field's name, in the field's unit.
    """
    return _core.difference_beyond(message.content, other.content, tolerances)


def first_difference(message: Canonical, other: Canonical) -> str:
    """Return where two messages first differ, as a path with both values; empty if nowhere."""
    for leaf, other_leaf in zip(_leaves(message.content), _leaves(other.content), strict=False):
        if leaf.path != other_leaf.path:
            return f"{min(leaf.path, other_leaf.path)} is set in one and not in the other"
        if leaf.content != other_leaf.content:
            return f"{leaf.path}: {leaf.value!r} against {other_leaf.value!r}"
    return "" if message.content == other.content else "one message ends before the other"


@dataclass(frozen=True)
class _Leaf:
    """Scalar, text or length of a list, with its path and its canonical bytes."""

    path: str
    kind: str
    content: bytes

    @property
    def value(self) -> float | int | bytes:
        if self.kind == "R":
            return float(struct.unpack("=d", self.content)[0])
        if self.kind in {"I", "L"}:
            return int.from_bytes(self.content, sys.byteorder, signed=True)
        return self.content


@dataclass
class _List:
    """List being read: its depth in the message and the number of remaining elements."""

    name: str
    depth: int
    remaining: int
    index: int = 0


def _leaves(content: bytes) -> Iterator[_Leaf]:
    """Yield every leaf of a canonical message, in its order."""
    path: list[str] = []
    lists: list[_List] = []
    at = 0
    while at < len(content):
        while lists and lists[-1].remaining == 0 and lists[-1].depth == len(path):
            lists.pop()
        kind = chr(content[at])
        if kind == "E":
            path.pop()
            at += 1
            continue
        end = content.index(b"\0", at)
        name = content[at + 1 : end].decode()
        at = end + 1
        if not name:
            name = f"{lists[-1].name}[{lists[-1].index}]"
            lists[-1].index += 1
            lists[-1].remaining -= 1
        where = ".".join([*path, name])
        if kind == "M":
            path.append(name)
            continue
        leaf = content[at : at + 8]
        at += 8
        count = int.from_bytes(leaf, sys.byteorder)
        if kind == "L":
            lists.append(_List(name, len(path), count))
            where += " (length)"
        elif kind == "T":
            leaf = content[at : at + count]
            at += count
        yield _Leaf(where, kind, leaf)
