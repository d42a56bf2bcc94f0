# SPDX-License-Identifier: Apache-2.0
"""Frames made hostile: as bytes, in their header under a right CRC, in their data, and as trees."""

from __future__ import annotations

import copy
import random
import struct
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from zlib import crc32

from attack import mutate
from attack.tensor.frames import Extension, Parts, header_bytes, parts_of, references

_CRC_AT = 28
_NUMBERS = (0, 1, -1, 2, 7, 63, 64, 255, 1 << 16, 1 << 20, 1 << 26, 1 << 31, 1 << 40, (1 << 63) - 1)
_TEXTS = (
    "", "numpy", "torch", "pandas", "polars", "pyarrow", "zarr", "dask", "xarray", "pint", "pillow",
    "frame", "array", "table", "chunked", "group", "series", "index", "|u1", "<f8", "<U9", "|S1",
    "|V0", "<M8[ns]", "bfloat16", "Europe/Berlin", "dateutil//etc/passwd", "D", "ns", "Int64",
    "string", "meter ** 2", "lz4", "zstd", "jpeg", "none", "x" * 3000,
)  # fmt: skip
_Place = tuple[Any, Any]
"""A list, dict or extension, and where in it."""


def mutated_frame(corpus: Sequence[bytes], chance: random.Random) -> bytes:
    """One of ``corpus`` after some edits; now and then as it was."""
    how = chance.random()
    if how < 0.1:
        return mutate.mutated(corpus, chance)
    frame = chance.choice(corpus)
    if how < 0.25:
        return _header_changed(frame, chance)
    try:
        parts = parts_of(frame)
        for _ in range(chance.choice((0, 1, 1, 1, 2, 2, 3, 5))):
            change = _data_changed if parts.segments and chance.random() < 0.35 else _tree_changed
            change(parts, chance, corpus)
        if chance.random() < 0.8:
            parts.refer_once()
        return parts.frame()
    except Exception:  # a hostile frame that is no whole one, or values without a form
        return _header_changed(frame, chance)


def _header_changed(frame: bytes, chance: random.Random) -> bytes:
    changed = bytearray(frame)
    size = min(header_bytes(frame), len(frame)) if len(frame) >= 32 else 0
    if size <= 32:
        return bytes(changed)
    for _ in range(chance.choice((1, 1, 2, 4))):
        at = chance.randrange(8, size)
        changed[at] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
    rest = crc32(bytes(changed[_CRC_AT + 4 : size]), crc32(bytes(changed[:_CRC_AT])))
    struct.pack_into("<I", changed, _CRC_AT, rest)
    return bytes(changed)


def _data_changed(parts: Parts, chance: random.Random, _: Sequence[bytes]) -> None:
    segments = parts.segments
    at = chance.randrange(len(segments))
    data = bytearray(segments[at])
    how = chance.randrange(6)
    if how == 0:
        data[len(data) :] = bytes(chance.choice((1, 8, 64, 1000)))
    elif how == 1:
        del data[chance.randrange(len(data) + 1) :]
    elif how == 2:
        segments[at], segments[-1] = segments[-1], segments[at]
        return
    elif data:
        chance.choice(mutate.EDITS)(data, chance, [bytes(data)])
    segments[at] = bytes(data)


def _tree_changed(parts: Parts, chance: random.Random, corpus: Sequence[bytes]) -> None:
    places = list(_places(parts.tree))
    if not places:
        return
    holder, key = chance.choice(places)
    if chance.random() < 0.15:
        _graft(parts, holder, key, parts_of(chance.choice(corpus)), chance)
    else:
        chance.choice(_EDITS)(holder, key, chance)


def _graft(parts: Parts, holder: Any, key: Any, other: Parts, chance: random.Random) -> None:
    """Graft a part of another frame, with its segments."""
    places = list(_places(other.tree))
    if not places:
        return
    value = _get(*chance.choice(places))
    for reference in references(value):
        number = reference[0]
        if type(number) is int and 0 <= number < len(other.segments):
            reference[0] = len(parts.segments)
            parts.segments.append(other.segments[number])
    _set(holder, key, value)


def _places(value: Any) -> Iterator[_Place]:
    keys: Any = ()
    if isinstance(value, Extension):
        keys = ("value",)
    elif isinstance(value, list):
        keys = range(len(value))
    elif isinstance(value, dict):
        keys = list(value)
    for key in keys:
        yield value, key
        yield from _places(_get(value, key))


def _get(holder: Any, key: Any) -> Any:
    return holder.value if isinstance(holder, Extension) else holder[key]


def _set(holder: Any, key: Any, value: Any) -> None:
    if isinstance(holder, Extension):
        holder.value = value
    else:
        holder[key] = value


def _other_value(holder: Any, key: Any, chance: random.Random) -> None:
    """Set a value of the same type, else of any."""
    old = _get(holder, key)
    if type(old) is int:
        new: Any = chance.choice((*_NUMBERS, old + 1, old - 1, 2 * old, -old))
        new = max(min(new, (1 << 64) - 1), -(1 << 63))
    elif type(old) is str:
        new = chance.choice((*_TEXTS, old[:-1], old * 2))
    elif type(old) is bytes:
        data = bytearray(old or b"x")
        chance.choice(mutate.EDITS)(data, chance, [bytes(data)])
        new = bytes(data)
    else:
        new = chance.choice((None, True, 0.0, -1, "x", [], {}, b"", float("inf"), [1] * 100))
    _set(holder, key, new)


def _repeated(holder: Any, key: Any, chance: random.Random) -> None:
    value = _get(holder, key)
    times = chance.choice((2, 3, 20) if isinstance(value, (list, dict)) else (2, 3, 20, 300))
    if isinstance(holder, list):
        holder[key:key] = [copy.deepcopy(value) for _ in range(times)]
    else:
        _set(holder, key, [copy.deepcopy(value) for _ in range(times)])


def _removed(holder: Any, key: Any, chance: random.Random) -> None:
    if isinstance(holder, Extension):
        holder.code = chance.choice((*range(1, 14), holder.code, 99))
    else:
        del holder[key]


def _swapped(holder: Any, key: Any, chance: random.Random) -> None:
    if isinstance(holder, (list, dict)):
        other = chance.choice(list(range(len(holder)) if isinstance(holder, list) else holder))
        holder[key], holder[other] = holder[other], holder[key]


def _wrapped(holder: Any, key: Any, chance: random.Random) -> None:
    value = _get(holder, key)
    for _ in range(chance.choice((1, 1, 5, 70))):
        value = chance.choice(([value], {"a": value}, Extension(5, [value])))
    _set(holder, key, value)


_EDITS: tuple[Callable[[Any, Any, random.Random], None], ...] = (
    _other_value,
    _other_value,
    _other_value,
    _repeated,
    _removed,
    _swapped,
    _wrapped,
)
