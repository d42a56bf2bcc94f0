# SPDX-License-Identifier: Apache-2.0
"""What the messages would weigh if something of them were changed: measured on these messages where
that can be done, else estimated from what their fields hold."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter_ns
from typing import Any

import lz4.frame
import zstandard

from wirecost.bench.message.advice.columns import in_columns
from wirecost.bench.message.advice.smaller_types import cheaper_types
from wirecost.bench.message.fields import FieldBytes, marked_name, without
from wirecost.bench.message.subject import Subject, canonical

LEAST_SAVED = 0.02
"""Of a message's bytes, for a change to be worth a line."""
LISTED = 2
"""Fields that a change names, and names of each."""
PASSES = 5
COMPRESSED = 4 << 20
"""Bytes of messages that are compressed, one by one."""


@dataclass(frozen=True)
class Change:
    """``bytes``: of a message on average, with the change; ``ns``: what it takes beside encoding
    and decoding, None where that is not known; ``how``: ``measured`` or ``estimated``."""

    what: str
    bytes: float
    ns: float | None
    how: str


def changes(
    subject: Subject, messages: Sequence[bytes], fields: Sequence[FieldBytes]
) -> list[Change]:
    """Those that save something, the ones that save most first."""
    whole = sum(map(len, messages)) / len(messages)
    found = [
        *_compressed(messages),
        *_sent_once(subject, messages),
        *_columns(subject, messages, fields),
        *_of_other_types(subject, messages, fields),
    ]
    found.sort(key=lambda change: change.bytes)
    return [change for change in found if change.bytes <= (1 - LEAST_SAVED) * whole]


def _compressed(messages: Sequence[bytes]) -> Iterator[Change]:
    """Each message by itself, as it would be sent."""
    chosen: list[bytes] = []
    for data in messages:
        if chosen and sum(map(len, chosen)) + len(data) > COMPRESSED:
            break
        chosen.append(data)
    packer, unpacker = zstandard.ZstdCompressor(level=3), zstandard.ZstdDecompressor()
    codecs: dict[str, tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]] = {
        "zstd, level 3": (packer.compress, unpacker.decompress),
        "LZ4": (lz4.frame.compress, lz4.frame.decompress),
        "zlib, level 6": (zlib.compress, zlib.decompress),
    }
    for name, (pack, unpack) in codecs.items():
        packed = [pack(data) for data in chosen]
        if [unpack(data) for data in packed] != chosen:
            continue
        samples = []
        for _ in range(PASSES):
            begin = perf_counter_ns()
            for data in chosen:
                unpack(pack(data))
            samples.append((perf_counter_ns() - begin) / len(chosen))
        size = sum(map(len, packed)) / len(packed)
        ns = sorted(samples)[PASSES // 2]
        yield Change(f"compress each message by {name}", size, ns, "measured")


def _sent_once(subject: Subject, messages: Sequence[bytes]) -> Iterator[Change]:
    """The outermost fields that are the same in almost all messages."""
    if len(messages) < 2:
        return
    same: Counter[str] = Counter()
    before: dict[str, bytes] = {}
    for data in messages:
        message = subject.read(data)
        now = {}
        for field, _ in message.ListFields():
            alone = subject.message_class()
            _copy(alone, message, field)
            now[field.name] = canonical(alone)
        for name, content in now.items():
            same[name] += before.get(name) == content
        before = now
    static = sorted(name for name, count in same.items() if count >= 0.9 * (len(messages) - 1))
    known = {f.name: f for f in subject.schema.message(subject.type).fields}
    paths = [marked_name(known[name]) for name in static if name in known]
    if paths:
        left = without(subject, messages, paths)
        size = sum(map(len, left)) / len(left)
        yield Change(
            f"send {_listed(paths)} when it changes, not with every message", size, None, "measured"
        )


def _copy(to: Any, message: Any, field: Any) -> None:
    to.CopyFrom(message)
    for other, _ in message.ListFields():
        if other.name != field.name:
            to.ClearField(other.name)


def _columns(
    subject: Subject, messages: Sequence[bytes], fields: Sequence[FieldBytes]
) -> Iterator[Change]:
    for tried in in_columns(subject, messages, fields):
        what = f"columns for `{_shortened(tried.path)}`, {tried.kept}"
        yield Change(what, tried.bytes, None, "measured")


def _listed(paths: Sequence[str]) -> str:
    shown = ", ".join(f"`{_shortened(path)}`" for path in paths[:LISTED])
    return f"{shown} and {len(paths) - LISTED} more" if len(paths) > LISTED else shown


def _shortened(path: str) -> str:
    """The end of a long one."""
    parts = path.split(".")
    return path if len(parts) <= LISTED else f"….{'.'.join(parts[-LISTED:])}"


def _of_other_types(
    subject: Subject, messages: Sequence[bytes], fields: Sequence[FieldBytes]
) -> Iterator[Change]:
    whole = sum(map(len, messages)) / len(messages)
    for what, paths, share in cheaper_types(subject, messages, fields):
        yield Change(f"{what} {_listed(paths)}", whole * (1 - share), None, "estimated")
