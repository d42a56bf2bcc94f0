# SPDX-License-Identifier: Apache-2.0
"""From data to bytes: which fields are written, and where they lie."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from .._wirecost import WireError
from .data import Data, Mask
from .node import (
    ALIGNMENT,
    BASE,
    CONSTANT,
    COUNT,
    FIXED32,
    FIXED64,
    LENGTH,
    OFFSETS,
    PADDING,
    PRESENCE,
    SCALE,
    VARINT,
    Node,
    Reduction,
)
from .reduction import bits, choose, constant_bytes
from .wire import LENGTH_BYTES, Buffer, length_in_five, tag, varint, view_of

Chunk = bytes | memoryview
_PAD_HEAD = len(tag(PADDING, LENGTH)) + 1
"""Least bytes of padding: its tag and its length."""


@dataclass
class _Payload:
    """A column, presence or offsets: what is aligned."""

    number: int
    content: npt.NDArray[Any] | bytes

    def view(self) -> memoryview:
        if isinstance(self.content, bytes):
            return memoryview(self.content)
        return np.ascontiguousarray(self.content).reshape(-1).view(np.uint8).data


@dataclass
class _Message:
    number: int
    items: list[_Item] = field(default_factory=list)


_Item = bytes | _Payload | _Message


class Prepared:
    """Columns in their forms; where they will stand decides on their padding alone."""

    def __init__(
        self, node: Node, root: Data, reductions: str | Mapping[str, str] | None = None
    ) -> None:
        chosen = _Reductions(node, reductions)
        count = tag(COUNT, VARINT) + varint(root.count)
        self._items: list[_Item] = [count, *_fields(root, chosen)]

    def size(self, position: int = 0) -> int:
        """Bytes at ``position``. Raises WireError above 2³¹ − 1."""
        size = sum(len(chunk) for chunk in self._chunks(position))
        length_in_five(size)
        return size

    def to_bytes(self, position: int = 0) -> bytes:
        """Laid out to begin at ``position`` of the whole message. Raises WireError."""
        chunks = list(self._chunks(position))
        length_in_five(sum(map(len, chunks)))
        return b"".join(chunks)

    def write(self, buffer: Buffer, offset: int = 0, position: int | None = None) -> int:
        """Fill ``buffer`` from ``offset`` on and return where the columns end.

        ``position`` is that offset unless said otherwise. Raises WireError, having written nothing,
        where there is too little room.
        """
        view = view_of(buffer, writable=True)
        start = offset if position is None else position
        end = offset + self.size(start)
        if not 0 <= offset <= end <= len(view):
            raise WireError(f"bytes {offset} to {end} do not lie in a buffer of {len(view)}")
        for chunk in self._chunks(start):
            view[offset : offset + len(chunk)] = chunk
            offset += len(chunk)
        return end

    def _chunks(self, position: int) -> Iterator[Chunk]:
        if position < 0:
            raise WireError(f"position {position} is negative")
        yield from _laid_out(self._items, position)


def _laid_out(items: list[_Item], at: int) -> Iterator[Chunk]:
    for item in items:
        if isinstance(item, _Message):
            head = tag(item.number, LENGTH)
            inner = list(_laid_out(item.items, at + len(head) + LENGTH_BYTES))
            chunks = [head, length_in_five(sum(map(len, inner))), *inner]
        elif isinstance(item, _Payload):
            content = item.view()
            head = tag(item.number, LENGTH) + varint(len(content))
            chunks = [_padding(at + len(head)), head, content]
        else:
            chunks = [item]
        for chunk in chunks:
            at += len(chunk)
            yield chunk


def _padding(start: int) -> bytes:
    """Bytes so many that what would start at ``start`` starts on a multiple of the alignment."""
    many = -start % ALIGNMENT
    if not many:
        return b""
    if many < _PAD_HEAD:
        many += ALIGNMENT
    return tag(PADDING, LENGTH) + bytes((many - _PAD_HEAD,)) + bytes(many - _PAD_HEAD)


class _Reductions:
    """By path; the schema's where nothing else is asked for."""

    def __init__(self, root: Node, asked: str | Mapping[str, str] | None) -> None:
        try:
            everywhere = Reduction.parse(asked) if isinstance(asked, str) else None
            given = asked if isinstance(asked, Mapping) else {}
            self._by_path = {path: Reduction.parse(text) for path, text in given.items()}
        except ValueError as error:
            raise WireError(str(error)) from None
        self._everywhere = everywhere
        known = {node.path: node for node in _leaves(root)}
        for path, reduction in self._by_path.items():
            if path not in known or not known[path].can_reduce(reduction.form):
                raise WireError(f"there is no column {path!r} that can be stored {reduction.form}")

    def of(self, node: Node) -> Reduction:
        if self._everywhere is not None:
            can = node.can_reduce(self._everywhere.form)
            return self._everywhere if can else Reduction()
        return self._by_path.get(node.path) or Reduction.parse(node.reduction)


def _leaves(node: Node) -> Iterator[Node]:
    for child in node.children:
        if child.is_message:
            yield from _leaves(child)
        else:
            yield child


def _fields(message: Data, chosen: _Reductions) -> Iterator[_Item]:
    """Return the fields of a message in the order of their numbers."""
    for data in message.children:
        if data.node.repeated:
            yield from _repeated(data, chosen)
        elif message.count and not data.nobody:
            yield from _single(data, message.present, chosen)


def _single(data: Data, around: Mask | None, chosen: _Reductions) -> Iterator[_Item]:
    node = data.node
    may_be_left_out = not (node.is_message or node.optional or node.required)
    if may_be_left_out and _is_default(data):
        return
    if node.optional and data.present is not None and not _same(data.present, around):
        yield _Payload(PRESENCE + node.number, np.packbits(data.present, bitorder="little"))
    if node.is_message:
        yield _Message(node.number, list(_fields(data, chosen)))
    elif node.is_text:
        yield from _text(data, chosen)
    else:
        yield from _scalar(data, chosen)


def _is_default(data: Data) -> bool:
    return not data.content if data.values is None else not bits(data.values).any()


def _same(one: Mask, other: Mask | None) -> bool:
    return bool(one.all() if other is None else (one == other).all())


def _repeated(data: Data, chosen: _Reductions) -> Iterator[_Item]:
    node, offsets = data.node, data.offsets
    if offsets is None:
        raise AssertionError(node)
    if not offsets[-1]:
        return
    yield _Payload(OFFSETS + node.number, offsets)
    if node.is_message:
        inner = Data(node, int(offsets[-1]), None, children=data.children)
        yield _Message(node.number, list(_fields(inner, chosen)))
    else:
        yield from _scalar(data, chosen)


def _text(data: Data, chosen: _Reductions) -> Iterator[_Item]:
    node, offsets = data.node, data.offsets
    if offsets is None:
        raise AssertionError(node)
    if chosen.of(node).form != "exact":
        constant = _one_text(data, offsets)
        if constant is not None:
            yield tag(CONSTANT + node.number, LENGTH) + varint(len(constant)) + constant
            return
    yield _Payload(OFFSETS + node.number, offsets)
    if data.content:
        yield _Payload(node.number, data.content)


def _one_text(data: Data, offsets: npt.NDArray[np.uint32]) -> bytes | None:
    """Return the text of all elements that have one, if it is the same."""
    starts, lengths = offsets[:-1], np.diff(offsets)
    if data.present is not None:
        starts, lengths = starts[data.present], lengths[data.present]
    if (lengths != lengths[0]).any():
        return None
    first = data.content[int(starts[0]) : int(starts[0]) + int(lengths[0])]
    # Absent texts are empty, so that the content holds the others without gaps.
    return first if data.content == first * len(lengths) else None


def _scalar(data: Data, chosen: _Reductions) -> Iterator[_Item]:
    node = data.node
    form = choose(data, chosen.of(node))
    if form.starts is not None:
        yield _Payload(OFFSETS + node.number, form.starts)
    for band, value in ((SCALE, form.scale), (BASE, form.base)):
        if value is not None:
            yield tag(band + node.number, FIXED64) + np.array(value, "<f8").tobytes()
    if form.constant is not None:
        raw = constant_bytes(node, form.constant)
        wire_type = {1: VARINT, 4: FIXED32, 8: FIXED64}[len(raw)]
        yield tag(CONSTANT + node.number, wire_type) + raw
    if form.column is not None:
        yield _Payload(node.number, form.column)
