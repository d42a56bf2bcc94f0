# SPDX-License-Identifier: Apache-2.0
"""Facts about a message that decoders may take differently on purpose.

They are looked for byte by byte, with the schema and without any decoder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from attack.decoders.hostile_protobuf import FIXED32, FIXED64, GROUP, GROUP_END, LENGTH, VARINT
from wirecost.schema.compile.plan.protobuf import entry_items, plan
from wirecost.schema.compile.schema import EnumRef, Field, Kind, Label, MessageRef, Presence, Schema

SIZES = {FIXED64: 8, FIXED32: 4}


@dataclass
class Facts:
    """Facts about a message on Protobuf's wire."""

    no_text: bool = False
    """A string is not UTF-8."""
    nesting: int = 0
    """Messages, entries and groups, unknown ones too, in the outermost one."""
    long_tag: bool = False
    """A tag has bits beyond the 32nd, which some cut off."""
    incomplete: bool = False
    """A message lacks a required field where it ends; another part may come."""
    parts: bool = False
    """A message comes in parts."""
    entry_surplus: bool = False
    """A map's entry has more than a key and a value."""
    zero: bool = False
    """There is a field of number 0."""
    wide_bool: bool = False
    """A bool in a map's entry is set only beyond the 32nd bit."""


class Broken(Exception):  # noqa: N818 - of bytes
    """Here the bytes end or mean nothing."""


def facts(schema: Schema, name: str, data: bytes) -> Facts:
    """Return the facts of everything up to where it is broken."""
    collected = Facts()
    with suppress(Broken, RecursionError):
        _Walk(schema, data, collected).message(name, 0, len(data), 0)
    return collected


class _Walk:
    def __init__(self, schema: Schema, data: bytes, found: Facts) -> None:
        self._schema, self._data, self._found = schema, data, found

    def message(self, name: str, at: int, end: int, depth: int, group: int = 0) -> int:
        """Return the position behind the message; ``group``: the end tag of one."""
        message = self._schema.message(name)
        return self._fields({f.number: f for f in message.fields}, at, end, depth, group)

    def _fields(
        self, known: dict[int, Field], at: int, end: int, depth: int, group: int = 0
    ) -> int:
        self._found.nesting = max(self._found.nesting, depth)
        parts: set[int] = set()
        while at < end:
            tag, at = self._tag(at, end)
            if tag == group:
                return at
            number, wire_type = tag >> 3, tag & 7
            item = known.get(number)
            inner = item.type.name if item and isinstance(item.type, MessageRef) else None
            start, at = at, self._behind(tag, at, end, depth)
            if item is None:
                continue
            content, stop = start, at
            if wire_type == LENGTH:
                _, content = self._varint(start, end)
            if item.value is not None and wire_type == LENGTH:
                self._entry(item, content, stop, depth + 1)
            elif inner and wire_type == (GROUP if item.group else LENGTH):
                self.message(inner, content, stop, depth + 1, tag + 1 if item.group else 0)
                self._found.incomplete |= self._lacks(item, content, stop)
                if item.label is Label.SINGLE:
                    self._found.parts |= number in parts
                    parts.add(number)
            elif item.type is Kind.STRING and wire_type == LENGTH:
                self._text(content, stop)
        if group:
            raise Broken
        return at

    def _lacks(self, item: Field, at: int, end: int) -> bool:
        """Return whether a message lacks a required field."""
        assert isinstance(item.type, MessageRef)
        items = plan(self._schema.message(item.type)).items
        field_of = {
            planned.tag: planned.field for planned in items if planned.field.label is not Label.MAP
        }
        missing = {n for n, f in field_of.items() if f.presence is Presence.REQUIRED}
        group = (item.number << 3 | GROUP_END) if item.group else 0
        while at < end:
            tag, at = self._tag(at, end)
            if tag == group:
                break
            inner, content = field_of.get(tag), at
            at = self._behind(tag, at, end, 0)
            if inner is None:
                continue
            if not self._is_undeclared(inner, content, at):
                missing.discard(tag)
        return bool(missing)

    def _is_undeclared(self, item: Field, at: int, end: int) -> bool:
        if not isinstance(item.type, EnumRef) or item.label is not Label.SINGLE:
            return False
        enum = self._schema.enum(item.type)
        number = self._varint(at, end)[0] & 0xFFFFFFFF
        return enum.closed and number not in {v.number & 0xFFFFFFFF for v in enum.values}

    def _entry(self, item: Field, at: int, end: int, depth: int) -> None:
        assert item.key is not None and item.value is not None
        bools = {planned.tag: planned.field.type is Kind.BOOL for planned in entry_items(item)}
        seen: set[int] = set()
        for tag, value in self._tagged(at, end):
            self._found.entry_surplus |= tag not in bools or tag in seen
            seen.add(tag)
            if bools.get(tag):
                number, _ = self._varint(value, end)
                self._found.wide_bool |= bool(number) and not number & 0xFFFFFFFF
        if isinstance(item.value.type, MessageRef) and entry_items(item)[1].tag not in seen:
            self._found.incomplete |= self._lacks(item.value, end, end)
        self._fields({1: item.key, 2: item.value}, at, end, depth)

    def _tagged(self, at: int, end: int) -> Iterator[tuple[int, int]]:
        """Tags of a message's fields, and where their values begin."""
        while at < end:
            tag, at = self._tag(at, end)
            yield tag, at
            at = self._behind(tag, at, end, 0)

    def _text(self, at: int, end: int) -> None:
        try:
            self._data[at:end].decode()
        except UnicodeDecodeError:
            self._found.no_text = True

    def _behind(self, tag: int, at: int, end: int, depth: int) -> int:
        """Return the position behind a field's value."""
        wire_type = tag & 7
        if wire_type == VARINT:
            return self._varint(at, end)[1]
        if wire_type == LENGTH:
            size, at = self._varint(at, end)
            at += size
        elif wire_type in SIZES:
            at += SIZES[wire_type]
        elif wire_type == GROUP:
            return self._behind_group(tag, at, end, depth + 1)
        else:
            raise Broken
        if at > end:
            raise Broken
        return at

    def _behind_group(self, tag: int, at: int, end: int, depth: int) -> int:
        self._found.nesting = max(self._found.nesting, depth)
        while True:
            inner, at = self._tag(at, end)
            if inner & 7 == GROUP_END:
                if inner != tag + 1:
                    raise Broken
                return at
            at = self._behind(inner, at, end, depth)

    def _tag(self, at: int, end: int) -> tuple[int, int]:
        tag, behind = self._varint(at, end)
        if tag >> 32 or behind - at > 5:
            self._found.long_tag = True
            raise Broken
        if tag < 8:
            self._found.zero = True
            raise Broken
        return tag, behind

    def _varint(self, at: int, end: int) -> tuple[int, int]:
        value = 0
        for index in range(10):
            if at >= end:
                raise Broken
            byte = self._data[at]
            at += 1
            value |= (byte & 0x7F) << 7 * index
            if byte < 0x80:
                return value & (1 << 64) - 1, at
        raise Broken
