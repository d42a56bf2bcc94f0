# SPDX-License-Identifier: Apache-2.0
"""Frames that say the same in other bytes, or nearly the same.

MessagePack has several forms for each value, and a tensor's memory has many types and shapes."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Sequence
from typing import Any
from zlib import crc32

from attack.tensor import mutate
from attack.tensor.frames import WITH_VALUES, Extension, Parts, parts_of, references
from wirecost.messaging.tensor.layout import ENTRY, PREFIX, build

_TYPES = (
    "<f8", "<f4", "<f2", "|u1", "|i1", "|b1", "<u2", "<i2", "<u4", "<i4", "<u8", "<i8", ">f8",
    "<c8", "<U1", "|S1", "|V0", "|V8", "<M8[ns]", "<m8", "bfloat16", "float8_e5m2", "|f8", "<u1",
    "f8", "", "<f16", "O",
)  # fmt: skip
_EXTENTS = (0, 1, 2, 3, 255, 256, 1 << 31, 1 << 32, 1 << 62, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)
_RARELY = 0.02


def mutated_frame(corpus: Sequence[bytes], chance: random.Random) -> bytes:
    """Return a frame of ``mutate.mutated_frame``, half of them respelled.

    Respelled frames have other forms, types, shapes and places."""
    how = chance.random()
    frame = mutate.mutated_frame(corpus, chance) if how < 0.7 else chance.choice(corpus)
    if how < 0.5:
        return frame
    try:
        parts = parts_of(frame)
        tensors = list(references(parts.tree))
        if tensors and chance.random() < 0.6:
            chance.choice(_TENSOR_EDITS)(chance.choice(tensors), chance)
        return _framed(parts, chance)
    except Exception:  # no whole frame, or values without a form
        return frame


def _retyped(tensor: list[Any], chance: random.Random) -> None:
    tensor[1] = chance.choice(_TYPES)


def _reshaped(tensor: list[Any], chance: random.Random) -> None:
    """Give the same elements other dimensions."""
    shape = tensor[2]
    how = chance.randrange(4)
    if how == 0:
        tensor[2] = [math.prod(shape)]
    elif how == 1:
        shape[0:0] = [1] * chance.choice((1, 2, 15, 31, 32, 33, 64, 65))
    elif how == 2:
        shape.append(chance.choice((1, 1, 0)))
    else:
        chance.shuffle(shape)
    tensor[3] = None


def _one_extent(tensor: list[Any], chance: random.Random) -> None:
    shape = tensor[2]
    at = chance.randrange(len(shape))
    shape[at] = chance.choice((*_EXTENTS, shape[at] + 1, -shape[at], True, None, 1.0))


def _turned(tensor: list[Any], chance: random.Random) -> None:
    axes: list[Any] = list(range(len(tensor[2])))
    chance.shuffle(axes)
    if axes and chance.random() < 0.2:
        axes[0] = chance.choice((axes[-1], len(axes), -1, True, 1 << 63, None))
    tensor[3] = axes


def _renumbered(tensor: list[Any], chance: random.Random) -> None:
    tensor[0] = chance.choice((0, 1, 255, 256, -1, True, None, 0.0, 1 << 32, 1 << 63, [0]))


_TENSOR_EDITS = (_retyped, _reshaped, _reshaped, _one_extent, _turned, _turned, _renumbered)


def _framed(parts: Parts, chance: random.Random) -> bytes:
    """Return the frame, whose header has a right CRC, whatever else it says."""
    description = packed(parts.tree, chance)
    if chance.random() < _RARELY:
        description = description[: chance.randrange(len(description) + 1)]
    if chance.random() < _RARELY:
        description += chance.choice((b"\xc0", b"\xc1", description))
    header, layout = build(description, [len(segment) for segment in parts.segments], False)
    whole = bytearray(layout.total)
    whole[: len(header)] = header
    for (offset, length), segment in zip(layout.segments, parts.segments, strict=True):
        whole[offset : offset + length] = segment
    if layout.segments and chance.random() < 0.1:
        _misplaced(whole, len(layout.segments), chance)
        end = layout.header_bytes
        whole[28:32] = struct.pack("<I", crc32(whole[32:end], crc32(whole[:28])))
    return bytes(whole)


def _misplaced(whole: bytearray, segments: int, chance: random.Random) -> None:
    """One entry of the segment table is another."""
    at = PREFIX.size + ENTRY.size * chance.randrange(segments)
    place = list(ENTRY.unpack_from(whole, at))
    which = chance.randrange(2)
    place[which] = chance.choice(
        (0, 1, 64, place[which] + 64, place[which] - 64, place[which] + 1, place[1 - which],
         1 << 63, (1 << 64) - 64, (1 << 64) - 1, len(whole))
    ) % (1 << 64)  # fmt: skip
    ENTRY.pack_into(whole, at, *place)


def packed(value: Any, chance: random.Random) -> bytes:
    """MessagePack in forms that were drawn, mostly those that take few bytes."""
    return _PACKED[type(value)](value, chance)


def _map(value: dict[Any, Any], chance: random.Random) -> bytes:
    items = [packed(key, chance) + packed(item, chance) for key, item in value.items()]
    if items and chance.random() < _RARELY:
        items.insert(chance.randrange(len(items) + 1), chance.choice(items))
    head = _head(_count(items, chance), chance, (0x80, 15), (0xDE, 2), (0xDF, 4))
    return head + b"".join(items)


def _array(value: list[Any], chance: random.Random) -> bytes:
    elements = [packed(item, chance) for item in value]
    head = _head(_count(elements, chance), chance, (0x90, 15), (0xDC, 2), (0xDD, 4))
    return head + b"".join(elements)


def _text(value: str, chance: random.Random) -> bytes:
    text = value.encode("utf-8", "surrogatepass")
    return _head(len(text), chance, (0xA0, 31), (0xD9, 1), (0xDA, 2), (0xDB, 4)) + text


def _binary(value: bytes, chance: random.Random) -> bytes:
    return _head(len(value), chance, (0xC4, 1), (0xC5, 2), (0xC6, 4)) + value


def _constant(value: bool | None, _: random.Random) -> bytes:
    return {None: b"\xc0", False: b"\xc2", True: b"\xc3"}[value]


def _count(items: list[bytes], chance: random.Random) -> int:
    """Return the count of the head; rarely the truth is another."""
    wrong = chance.random() < _RARELY / 4
    return max(len(items) + chance.choice((-1, 1, 1000, 1 << 20)), 0) if wrong else len(items)


def _head(count: int, chance: random.Random, *forms: tuple[int, int]) -> bytes:
    """``forms``: first byte with the most that it has in itself, or the width of what follows."""
    forms_that_fit = []
    for first, size in forms:
        if size in (15, 31):
            if count <= size:
                forms_that_fit.append(bytes([first | count]))
        elif count < 1 << 8 * size:
            forms_that_fit.append(bytes([first]) + count.to_bytes(size, "big"))
    return forms_that_fit[0] if chance.random() < 0.8 else chance.choice(forms_that_fit)


def _real(value: float, chance: random.Random) -> bytes:
    if chance.random() < 0.1:
        try:
            return b"\xca" + struct.pack(">f", value)
        except OverflowError:
            pass
    return b"\xcb" + struct.pack(">d", value)


def _integer(value: int, chance: random.Random) -> bytes:
    forms_that_fit = []
    if -32 <= value < 128:
        forms_that_fit.append(struct.pack("b", value))
    for power in range(4):
        size = 1 << power
        if 0 <= value < 1 << 8 * size:
            forms_that_fit.append(bytes([0xCC + power]) + value.to_bytes(size, "big"))
        if -(1 << (8 * size - 1)) <= value < 1 << (8 * size - 1):
            forms_that_fit.append(bytes([0xD0 + power]) + value.to_bytes(size, "big", signed=True))
    return forms_that_fit[0] if chance.random() < 0.8 else chance.choice(forms_that_fit)


def _extension(value: Extension, chance: random.Random) -> bytes:
    inner = value.value
    plain = isinstance(inner, bytes) and value.code not in WITH_VALUES
    payload = inner if plain else packed(inner, chance)
    fixed = len(payload) in (1, 2, 4, 8, 16) and chance.random() < 0.8
    if fixed:
        head = bytes([0xD4 + len(payload).bit_length() - 1])
    else:
        head = _head(len(payload), chance, (0xC7, 1), (0xC8, 2), (0xC9, 4))
    return head + struct.pack("B", value.code % 256) + payload


_PACKED: dict[type, Any] = {
    Extension: _extension,
    dict: _map,
    list: _array,
    str: _text,
    bytes: _binary,
    float: _real,
    bool: _constant,
    type(None): _constant,
    int: _integer,
}
