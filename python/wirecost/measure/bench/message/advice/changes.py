# SPDX-License-Identifier: Apache-2.0
"""Sizes of the messages with something of them changed.

They are measured on these messages where that can be done, else estimated from what their fields
hold.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter_ns
from typing import Any

import lz4.frame
import zstandard

from wirecost.data.messages.fields import CountedField, marked_name, without
from wirecost.data.messages.subject import Subject, canonical
from wirecost.measure.bench.message.advice.columns import in_columns
from wirecost.measure.bench.message.advice.smaller_types import FLOATS, cheaper_types

LEAST_SAVED = 0.02
"""Least share of a message's bytes for a change to be worth a line."""
LISTED = 2
"""Fields that a change names, and names of each."""
PASSES = 5
COMPRESSED = 4 << 20
"""Bytes of messages that are compressed, one by one."""


@dataclass(frozen=True)
class SuggestedChange:
    """A change and its effect.

    ``bytes``: of a message on average, with the change; ``ns``: its time beside encoding and
    decoding, None where that is not known; ``how``: ``measured`` or ``estimated``; ``fields``: all
    paths that it is about, of which ``what`` names the first.
    """

    what: str
    bytes: float
    ns: float | None
    how: str
    fields: tuple[str, ...] = ()


def changes(
    subject: Subject, messages: Sequence[bytes], fields: Sequence[CountedField]
) -> list[SuggestedChange]:
    """Return the changes that save something, the ones that save most first."""
    whole = sum(map(len, messages)) / len(messages)
    types = dict(cheaper_types(subject, messages, fields))
    candidates = [
        *_compressed(messages),
        *_sent_once(subject, messages),
        *_columns(subject, messages, fields, types.get(FLOATS, {})),
        *(
            SuggestedChange(
                f"{what} {_listed([*shares])}",
                whole * (1 - sum(shares.values())),
                None,
                "estimated",
                (*shares,),
            )
            for what, shares in types.items()
        ),
    ]
    candidates.sort(key=lambda change: change.bytes)
    return [change for change in candidates if change.bytes <= (1 - LEAST_SAVED) * whole]


def _compressed(messages: Sequence[bytes]) -> Iterator[SuggestedChange]:
    """Compress each message by itself, as it would be sent."""
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
        yield SuggestedChange(f"compress each message by {name}", size, ns, "measured")


def _sent_once(subject: Subject, messages: Sequence[bytes]) -> Iterator[SuggestedChange]:
    """Yield a change for the outermost fields that are the same in almost all messages."""
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
    declared = {f.name: f for f in subject.schema.message(subject.type).fields}
    paths = [marked_name(declared[name]) for name in static if name in declared]
    if paths:
        remaining = without(subject, messages, paths)
        size = sum(map(len, remaining)) / len(remaining)
        yield SuggestedChange(
            f"send {_listed(paths)} when it changes, not with every message",
            size,
            None,
            "measured",
            (*paths,),
        )


def _copy(to: Any, message: Any, field: Any) -> None:
    to.CopyFrom(message)
    for other, _ in message.ListFields():
        if other.name != field.name:
            to.ClearField(other.name)


def _columns(
    subject: Subject,
    messages: Sequence[bytes],
    fields: Sequence[CountedField],
    floats: Mapping[str, float],
) -> Iterator[SuggestedChange]:
    """Yield changes to columns.

    ``floats``: the share of all bytes that floats for doubles save in each field. Columns with
    floats are left out where floats alone save as much in the same list.
    """
    whole = sum(map(len, messages)) / len(messages)
    for tried in in_columns(subject, messages, fields):
        saved = sum(share for path, share in floats.items() if path.startswith(f"{tried.path}."))
        if not tried.narrow or tried.bytes < whole * (1 - saved):
            what = f"columns for `{_shortened(tried.path)}`, {tried.kept}"
            yield SuggestedChange(what, tried.bytes, None, "measured", (tried.path,))


def _listed(paths: Sequence[str]) -> str:
    names = ", ".join(f"`{_shortened(path)}`" for path in paths[:LISTED])
    return f"{names} and {len(paths) - LISTED} more" if len(paths) > LISTED else names


def _shortened(path: str) -> str:
    """Return the end of a long path."""
    parts = path.split(".")
    return path if len(parts) <= LISTED else f"….{'.'.join(parts[-LISTED:])}"
