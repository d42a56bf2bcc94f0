# SPDX-License-Identifier: Apache-2.0
"""From bytes to columns: one walk over the fields of each message, no column is touched.

What is checked here makes everything behind it safe: no length, count or offset can point outside.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from .._wirecost import WireError
from .column import (
    NO_TEXT,
    Column,
    Group,
    Offsets,
    Presence,
    RepeatedColumn,
    RepeatedTextColumn,
    TextColumn,
)
from .node import (
    BAND,
    BASE,
    CONSTANT,
    COUNT,
    DTYPES,
    FIXED32,
    FIXED64,
    LENGTH,
    MOST_ELEMENTS,
    OFFSET,
    OFFSETS,
    PADDING,
    PRESENCE,
    SCALE,
    VARINT,
    Node,
)
from .stored import Stored
from .wire import Found, array_of, fields

Parts = dict[int, list[Found]]
"""What a message holds, by number. Only packed fields have several pieces, or none with content."""


class Reader:
    """``limit``: most elements and last offsets."""

    def __init__(self, view: memoryview, limit: int) -> None:
        self._view, self._limit = view, limit

    def count(self, node: Node, start: int, end: int) -> tuple[int, Parts]:
        """Return the element count of a columns field, and its parts."""
        parts = self._parts(node, start, end, is_columns_field=True)
        if COUNT not in parts:
            raise WireError("there is no element count", start)
        count = parts[COUNT][0].value
        self._bound(min(count, MOST_ELEMENTS + 1), "elements", parts[COUNT][0].at)
        return count, parts

    def fill(self, group: Group, parts: Parts, around: Presence) -> None:
        """Give a message's columns their fields."""
        for node in group._node.children:
            group._add(node, self._child(node, _Given(node, parts), len(group), around))

    def _bound(self, count: int, what: str, at: int) -> None:
        limit = min(self._limit, MOST_ELEMENTS)
        if count > limit:
            raise WireError(f"more than {limit} {what}; if they are wanted give a higher limit", at)

    def _parts(self, node: Node, start: int, end: int, is_columns_field: bool = False) -> Parts:
        parts: Parts = {}
        for found in fields(self._view, start, end):
            expected = self._wire_type(node, found, is_columns_field)
            if expected is None:
                continue
            if found.wire_type != expected:
                raise WireError(f"field {found.number} has wire type {found.wire_type}", found.at)
            if found.number == PADDING:
                continue
            pieces = parts.setdefault(found.number, [])
            if pieces and not self._may_come_again(node, found.number):
                raise WireError(f"field {found.number} comes twice", found.at)
            if not pieces or found.start != found.end:
                pieces.append(found)
        return parts

    def _wire_type(self, node: Node, found: Found, is_columns_field: bool) -> int | None:
        """Return what a field must have; None for fields that are skipped."""
        if found.number == PADDING:
            return LENGTH
        if found.number == COUNT:
            if not is_columns_field:
                raise WireError("an element count stands where none belongs", found.at)
            return VARINT
        band, number = divmod(found.number, BAND)
        child = node.by_number.get(number)
        if child is None or band > 5:
            return None
        if band == 5:
            return _constant_wire_type(child)
        return FIXED64 if band in (3, 4) else LENGTH

    def _may_come_again(self, node: Node, number: int) -> bool:
        band, number = divmod(number, BAND)
        return band == 2 or (band == 0 and node.by_number[number].is_packed)

    def _child(self, node: Node, given: _Given, count: int, around: Presence) -> Any:
        if node.repeated:
            return self._repeated(node, given, count)
        presence = self._presence(node, given, count, around)
        if node.is_text:
            return self._text(node, given, count, presence)
        if not node.is_message:
            starts = self._starts(given, count) if given.any and OFFSETS in given else None
            many = count if starts is None else len(starts) - 1
            return Column(node, count, presence, self._stored(node, given, many, starts))
        given.refuse(OFFSETS, SCALE, BASE, CONSTANT)
        return self._message(node, given, count, presence)

    def _repeated(self, node: Node, given: _Given, count: int) -> Any:
        given.refuse(PRESENCE)
        here = Presence(count)
        if not given.any:
            offsets = np.broadcast_to(np.zeros((), OFFSET), count + 1)
        else:
            offsets = self._offsets(given, count)
        last = int(offsets[-1])
        if not node.is_message:
            stored = self._stored(node, given, last, None)
            return RepeatedColumn(node, count, here, offsets, stored)
        given.refuse(SCALE, BASE, CONSTANT)
        if last and 0 not in given:
            raise given.fault("has offsets, but no messages")
        inner = Presence(last)
        if node.wraps:
            parts = self._inner_parts(node, given)
            child = node.children[0]
            texts = self._text(child, _Given(child, parts), last, inner)
            return RepeatedTextColumn(node, count, here, offsets, texts)
        group = self._message(node, given, last, inner)
        group.offsets = offsets
        return group

    def _inner_parts(self, node: Node, given: _Given) -> Parts:
        found = given.get(0)
        return {} if found is None else self._parts(node, found.start, found.end)

    def _message(self, node: Node, given: _Given, count: int, presence: Presence) -> Any:
        if node.group is None:
            raise AssertionError(node)
        group: Group = node.group(node, count, presence)
        self.fill(group, self._inner_parts(node, given), presence)
        return group

    def _presence(self, node: Node, given: _Given, count: int, around: Presence) -> Presence:
        if not given.any:
            nobody = node.optional or node.required
            return Presence(count, nobody=True) if nobody else around
        found = given.get(PRESENCE)
        if found is None:
            if node.is_message and 0 not in given:
                raise given.fault("has parts, but no message")
            return around
        if not node.optional:
            raise given.fault("has presence, but cannot be absent")
        if node.is_message and 0 not in given:
            raise given.fault("has presence, but no message")
        if found.end - found.start != (count + 7) // 8:
            raise given.fault(f"has presence of {found.end - found.start} bytes", found.at)
        bits = array_of(self._view, np.dtype("u1"), found.start, found.end - found.start)
        return Presence(count, bits, around)

    def _text(self, node: Node, given: _Given, count: int, presence: Presence) -> TextColumn[Any]:
        given.refuse(SCALE, BASE)
        if (constant := given.get(CONSTANT)) is not None:
            given.refuse(0, OFFSETS)
            content = self._view[constant.start : constant.end]
            return TextColumn(node, count, presence, "constant", content=content, limit=self._limit)
        if not given.any:
            form = "absent" if node.optional or node.required else "default"
            offsets = np.broadcast_to(np.zeros((), OFFSET), count + 1)
            return TextColumn(node, count, presence, form, offsets=offsets, limit=self._limit)
        # What the texts hold together is bounded by the column's length.
        offsets = self._offsets(given, count, bounded=False)
        found = given.get(0)
        content = NO_TEXT if found is None else self._view[found.start : found.end]
        if len(content) != int(offsets[-1]):
            raise given.fault(f"has {len(content)} bytes, its offsets end at {offsets[-1]}")
        return TextColumn(
            node, count, presence, "plain", offsets=offsets, content=content, limit=self._limit
        )

    def _offsets(self, given: _Given, count: int, bounded: bool = True) -> Offsets:
        if OFFSETS not in given:
            raise given.fault("has no offsets")
        offsets: Offsets = self._joined(given, OFFSETS, OFFSET)
        if len(offsets) != count + 1:
            raise given.fault(f"has {len(offsets)} offsets for {count} elements")
        if offsets[0] or (offsets[1:] < offsets[:-1]).any():
            raise given.fault("has offsets that do not start at 0 or go back")
        if bounded:
            self._bound(int(offsets[-1]), f"elements in {given.path}", given.at)
        return offsets

    def _starts(self, given: _Given, count: int) -> Offsets:
        starts: Offsets = self._joined(given, OFFSETS, OFFSET)
        if not len(starts) or starts[0] or int(starts[-1]) != count:
            raise given.fault(f"has runs that do not reach from 0 to {count}")
        if (starts[1:] <= starts[:-1]).any():
            raise given.fault("has runs that do not grow")
        return starts

    def _stored(self, node: Node, given: _Given, many: int, starts: Offsets | None) -> Stored:
        """``many``: how many stored values there must be."""
        if not given.any:
            return Stored(node, "absent" if node.optional or node.required else "default")
        if (found := given.get(CONSTANT)) is not None:
            given.refuse(0, SCALE, BASE, *([] if node.repeated else [OFFSETS]))
            return Stored(node, "constant", constant=self._constant(node, found))
        if 0 not in given:
            if many:
                raise given.fault("has parts, but no column")
            given.refuse(SCALE, BASE)
            return Stored(node, "default", starts=None)
        size = sum(piece.end - piece.start for piece in given.pieces(0))
        if size % many if many else size:
            raise given.fault(f"has {size} bytes for {many} values")
        width = size // many if many else node.width
        if SCALE in given or BASE in given:
            scale, base = self._scale(node, given)
            raw = self._scaled(given, many, width)
            return Stored(node, "scaled", raw, None, scale, base, starts)
        kind, dtype = "plain", DTYPES[node.kind]
        if width == 4 and node.kind == "float64":
            kind, dtype = "narrow", np.dtype("<f4")
        elif node.kind == "bool" or (node.kind == "enum" and width == 1):
            dtype = np.dtype("u1")
        if width != dtype.itemsize:
            raise given.fault(f"has values of {width} bytes")
        return Stored(node, kind, self._joined(given, 0, dtype), starts=starts)

    def _constant(self, node: Node, found: Found) -> Any:
        if node.kind == "bool":
            return found.value != 0
        dtype = DTYPES[node.kind]
        if dtype.itemsize < 4:
            dtype = np.dtype("<i4" if dtype.kind == "i" else "<u4")
        value = np.frombuffer(self._view, dtype, 1, found.start)[0]
        own = DTYPES[node.kind]
        if value != value.astype(own) and dtype is not own:
            raise WireError(f"{node.path} is constant {value}, which is no {node.kind}", found.at)
        return value.astype(own)

    def _scale(self, node: Node, given: _Given) -> tuple[float, float]:
        if node.kind in ("bool", "enum"):
            raise given.fault(f"is scaled, but a {node.kind}")
        if SCALE not in given or BASE not in given:
            raise given.fault("has only one of scale and base")
        scale, base = (self._double(given, band) for band in (SCALE, BASE))
        if not (math.isfinite(scale) and math.isfinite(base)):
            raise given.fault("has a scale or base that is not finite")
        if not node.kind.startswith("float") and (
            scale != 1 or base != math.floor(base) or abs(base) > 1 << 53
        ):
            raise given.fault("has a scale or base that integers cannot have")
        return scale, base

    def _double(self, given: _Given, band: int) -> float:
        return float(np.frombuffer(self._view, "<f8", 1, given.pieces(band)[0].start)[0])

    def _scaled(self, given: _Given, many: int, width: int) -> npt.NDArray[Any]:
        if len(given.pieces(0)) > 1:
            raise given.fault("comes twice")
        if not many:
            return np.empty(0, np.uint8)
        start = given.pieces(0)[0].start
        if width == 3:
            return array_of(self._view, np.dtype("u1"), start, 3 * many).reshape(many, 3)
        if width not in (1, 2, 4):
            raise given.fault(f"has scaled values of {width} bytes")
        return array_of(self._view, np.dtype(f"<u{width}"), start, many)

    def _joined(self, given: _Given, band: int, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
        """Return the numbers of a packed field: in place if it is in one piece."""
        arrays = []
        for piece in given.pieces(band):
            count, rest = divmod(piece.end - piece.start, dtype.itemsize)
            if rest:
                raise given.fault("ends within a value", piece.at)
            arrays.append(array_of(self._view, dtype, piece.start, count))
        if len(arrays) == 1:
            return arrays[0]
        found = np.concatenate(arrays)
        found.flags.writeable = False
        return found


def _constant_wire_type(node: Node) -> int:
    if node.is_text or node.is_message:
        return LENGTH
    if node.kind == "bool":
        return VARINT
    return FIXED64 if node.width == 8 else FIXED32


class _Given:
    """The parts of one field."""

    def __init__(self, node: Node, parts: Parts) -> None:
        self._node = node
        numbers = ((band * BAND, band * BAND + node.number) for band in range(6))
        self._parts = {band: parts[number] for band, number in numbers if number in parts}
        self.any = bool(self._parts)
        self.path = node.path

    def __contains__(self, band: int) -> bool:
        return band in self._parts

    @property
    def at(self) -> int:
        return next(iter(self._parts.values()))[0].at

    def pieces(self, band: int) -> list[Found]:
        return self._parts[band]

    def get(self, band: int) -> Found | None:
        """Return what comes once."""
        return self._parts[band][0] if band in self._parts else None

    def refuse(self, *bands: int) -> None:
        """Parts that mean nothing here: who wrote them meant something else."""
        for band in bands:
            if band in self._parts:
                what = f"a field {band + self._node.number} that does not belong to it"
                raise self.fault(f"has {what}", self._parts[band][0].at)

    def fault(self, what: str, at: int | None = None) -> WireError:
        return WireError(f"{self.path} {what}", self.at if at is None else at)
