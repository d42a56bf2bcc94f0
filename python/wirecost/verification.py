# SPDX-License-Identifier: Apache-2.0
"""Independent reading of messages: the proof that contenders did the same work.

A message is interpreted from its run-time schema, never with a contender's code, and brought
into a canonical form that is the same for every wire (cpp/wirecost/codec/canonical.hpp).
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wirecost import _core


@dataclass(frozen=True)
class Canonical:
    """A message's canonical bytes and their digest (BLAKE2b, 16 hexadecimal digits)."""

    content: bytes

    @property
    def digest(self) -> str:
        return hashlib.blake2b(self.content, digest_size=8).hexdigest()


class IndependentReader:
    """Reads the messages of one wire, given that wire's schema (``.fds`` or ``.bfbs``)."""

    def __init__(self, schema: Path) -> None:
        make = _core.protobuf_reader if schema.suffix == ".fds" else _core.flatbuffers_reader
        self._reader = make(schema.read_bytes())

    def read(self, message: str, address: int, size: int) -> Canonical:
        """Read ``size`` bytes in this process's memory as ``message`` ("SensorView", …).

        Raises ValueError if they are not such a message.
        """
        return Canonical(self._reader.canonical(message, address, size))


def empty_step_ns(repetitions: int = 1001) -> int:
    """Median nanoseconds that the timestamps of one step of both models cost."""
    samples = sorted(_core.empty_step_ns() for _ in range(repetitions))
    return samples[repetitions // 2]


def first_difference(one: Canonical, other: Canonical) -> str:
    """Where two messages first differ, as a path with both values; empty if nowhere."""
    for (path, value), (other_path, other_value) in zip(
        _leaves(one.content), _leaves(other.content), strict=False
    ):
        if path != other_path:
            return f"{min(path, other_path)} is set in one and not in the other"
        if value != other_value:
            return f"{path}: {value!r} against {other_value!r}"
    return "" if one.content == other.content else "one message ends before the other"


def _leaves(content: bytes) -> Iterator[tuple[str, float | int | bytes]]:
    """Every scalar, text and list length with its path, in canonical order."""
    path: list[str] = []
    counters: list[tuple[int, int, str]] = []  # depth of a list, elements left, its name
    seen: dict[int, int] = {}
    at = 0

    def element_name(name: str) -> str:
        if name or not counters:
            return name
        depth, left, list_name = counters[-1]
        index = seen[len(counters)]
        seen[len(counters)] = index + 1
        counters[-1] = (depth, left - 1, list_name)
        return f"{list_name}[{index}]"

    def close_lists() -> None:
        while counters and counters[-1][1] == 0 and counters[-1][0] == len(path):
            seen.pop(len(counters))
            counters.pop()

    while at < len(content):
        kind = content[at : at + 1]
        if kind == b"E":
            path.pop()
            at += 1
            close_lists()
            continue
        end = content.index(b"\0", at)
        name = element_name(content[at + 1 : end].decode())
        at = end + 1
        where = ".".join([*path, name])
        if kind == b"M":
            path.append(name)
        elif kind == b"L":
            (count,) = struct.unpack_from("=Q", content, at)
            at += 8
            yield where + " (length)", count
            counters.append((len(path), count, name))
            seen[len(counters)] = 0
        elif kind == b"T":
            (size,) = struct.unpack_from("=Q", content, at)
            yield where, content[at + 8 : at + 8 + size]
            at += 8 + size
            close_lists()
        else:
            yield where, _number(content[at : at + 8])
            at += 8
            close_lists()


def _number(bits: bytes) -> float | int:
    """A canonical scalar does not say its type: small magnitudes are integers."""
    (integer,) = struct.unpack("=q", bits)
    if abs(integer) < 1 << 48:
        return int(integer)
    return float(struct.unpack("=d", bits)[0])
