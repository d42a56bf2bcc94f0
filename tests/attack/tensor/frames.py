# SPDX-License-Identifier: Apache-2.0
"""Frames taken apart, and put together again with whatever was made of their parts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgpack

from wirecost.messaging.tensor import codes
from wirecost.messaging.tensor.layout import PREFIX, build, header_of, parse
from wirecost.messaging.tensor.source import Form

WITH_VALUES = frozenset(
    {
        codes.TENSOR,
        codes.OBJECT,
        codes.TUPLE,
        codes.SET,
        codes.MAP,
        codes.RECORD,
        codes.TIME,
        codes.SCALAR,
        codes.BYTES,
        codes.COMPRESSED,
    }
)
"""Extensions whose payload is a value."""
_REFERENCES = frozenset({codes.TENSOR, codes.BYTES, codes.COMPRESSED})


@dataclass
class Extension:
    """``value``: what the payload holds, or the payload where it is no value."""

    code: int
    value: Any


@dataclass
class Parts:
    """Parts of a frame: its description as a tree, and its segments."""

    tree: Any
    segments: list[bytes]

    def frame(self) -> bytes:
        """Whole, with a CRC that is right."""
        description = msgpack.packb(self.tree, default=_packed, use_bin_type=True)
        header, layout = build(description, [len(segment) for segment in self.segments], False)
        whole = bytearray(layout.total)
        whole[: len(header)] = header
        for (offset, length), segment in zip(layout.segments, self.segments, strict=True):
            whole[offset : offset + length] = segment
        return bytes(whole)

    def refer_once(self) -> None:
        """Refer to each segment once.

        Segments that are referred to twice are there twice, those that are not at all are gone."""
        segments = []
        for value in references(self.tree):
            number = value[0]
            there = type(number) is int and 0 <= number < len(self.segments)
            value[0] = len(segments)
            segments.append(self.segments[number] if there else b"")
        self.segments = segments


def parts_of(frame: bytes) -> Parts:
    """Return the parts of a frame without a checksum."""
    layout = parse(header_of(memoryview(frame)))
    segments = [frame[offset : offset + length] for offset, length in layout.segments]
    return Parts(_unpacked(layout.description), segments)


def references(tree: Any) -> Iterator[list[Any]]:
    """Return the values that begin with the number of a segment."""
    for value in _values_of(tree, _REFERENCES):
        if isinstance(value, list) and value:
            yield value


def compressed_bytes(frame: bytes) -> int:
    """Return the stated size of a frame's compressed tensors when they are expanded."""
    try:
        return sum(map(_expanded, _values_of(parts_of(frame).tree, frozenset({codes.COMPRESSED}))))
    except Exception:  # a hostile frame that is no whole one
        return 0


def _values_of(tree: Any, codes_: frozenset[int]) -> Iterator[Any]:
    """Return the values of extensions with one of the codes."""
    if isinstance(tree, Extension):
        if tree.code in codes_:
            yield tree.value
        yield from _values_of(tree.value, codes_)
    elif isinstance(tree, (list, dict)):
        for inner in tree.values() if isinstance(tree, dict) else tree:
            yield from _values_of(inner, codes_)


def _expanded(value: Any) -> int:
    try:
        _, _, described, shape, axes = value
        return Form(described, shape, axes).nbytes
    except Exception:  # no tensor's description
        return 0


def header_bytes(frame: bytes) -> int:
    """Return the header's bytes of a whole frame."""
    return int(PREFIX.unpack_from(frame)[4])


def _unpacked(packed: bytes) -> Any:
    return msgpack.unpackb(packed, ext_hook=_extension, strict_map_key=False)


def _extension(code: int, payload: bytes) -> Extension:
    return Extension(code, _unpacked(payload) if code in WITH_VALUES else payload)


def _packed(value: Any) -> msgpack.ExtType:
    if not isinstance(value, Extension):
        raise TypeError(type(value))
    inner = value.value
    payload = inner if isinstance(inner, bytes) and value.code not in WITH_VALUES else None
    if payload is None:
        payload = msgpack.packb(inner, default=_packed, use_bin_type=True)
    return msgpack.ExtType(value.code, payload)
