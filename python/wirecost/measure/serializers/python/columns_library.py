# SPDX-License-Identifier: Apache-2.0
"""Lists in columns in Python, as a program has them that keeps its lists in arrays of NumPy."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from wirecost.data.messages.fields import fields_along
from wirecost.data.messages.subject import Subject
from wirecost.schema.compile.emit.python.names import attribute, module_place
from wirecost.schema.compile.schema import Label, MessageRef

LENGTH = 5
"""Bytes of a length that is known before what it counts."""
INDEX = re.compile(r"\[\d+\]")


class ColumnsField(Protocol):
    """A place of columns in a message's bytes, as generated code finds it."""

    path: str
    offset: int
    size: int


class Step(NamedTuple):
    """A field that leads to a list."""

    attribute: str
    number: int
    is_repeated: bool

    @property
    def tag(self) -> bytes:
        return _varint(self.number << 3 | 2)


@dataclass(frozen=True)
class ListTable:
    """A list of the message: its attribute, the generated class of its columns, and its place.

    ``list_name``: as columns are attached to it, ``<message>.<field>``; ``path``: as they are found
    in the message ``top``; ``around``: the fields that lead to it.
    """

    attribute: str
    columns: Any
    list_name: str
    path: str
    top: str
    around: tuple[Step, ...] = ()

    def found(self, data: bytes) -> list[ColumnsField]:
        """Return the places of its columns in a message's bytes."""
        places = self.columns.find(data, self.top)
        return [place for place in places if INDEX.sub("", place.path) == self.path]

    def holder_at(self, message: Any, place: ColumnsField) -> Any:
        """Return the message whose list is found there."""
        indices = iter(INDEX.findall(place.path))
        for step in self.around:
            message = getattr(message, step.attribute)
            if step.is_repeated:
                message = message[int(next(indices)[1:-1])]
        return message


@dataclass(frozen=True)
class Level:
    """A message with lists: its own, and those of repeated messages in it.

    ``inner``: the fields that lead to repeated messages, the last of them theirs, and their level.
    """

    own: list[tuple[tuple[Step, ...], ListTable]]
    inner: list[tuple[tuple[Step, ...], Level]]


def level_of(list_tables: Sequence[tuple[tuple[Step, ...], ListTable]]) -> Level:
    """Return lists in levels; each has the fields that lead to it from here."""
    own, below = [], dict[tuple[Step, ...], list[tuple[tuple[Step, ...], ListTable]]]()
    for around, table in list_tables:
        last = next((at for at, step in enumerate(around, 1) if step.is_repeated), 0)
        if last:
            below.setdefault(around[:last], []).append((around[last:], table))
        else:
            own.append((around, table))
    return Level(own, [(steps, level_of(inner)) for steps, inner in below.items()])


def _at(message: Any, around: Sequence[Step]) -> Any:
    """Return the message that fields lead to, None where it is absent."""
    for step in around:
        message = None if message is None else getattr(message, step.attribute)
    return message


def _room(around: Sequence[Step]) -> int:
    """Return the bytes before what lies in messages."""
    return sum(len(step.tag) + LENGTH for step in around)


def _within(around: Sequence[Step], content: list[bytes]) -> list[bytes]:
    """Return the bytes of messages around content; parsers merge them with those before."""
    for step in reversed(around):
        content = [step.tag, _varint(sum(map(len, content)), LENGTH), *content]
    return content


def _varint(number: int, length: int = 0) -> bytes:
    """Return a number as a varint of so many bytes at least."""
    octets = bytearray()
    while number > 0x7F or len(octets) + 1 < length:
        octets.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes((*octets, number))


class HeldMessage(NamedTuple):
    """What a program holds: a message without its lists, and what these hold in arrays.

    ``lists``: of each, the number of elements, values by field, and who has a field; filled, the
    columns, None without elements. ``inner``: the repeated messages with lists, of each field.
    """

    rest: Any
    lists: list[Any]
    inner: list[list[HeldMessage]]


def tables(about: Subject, lists: Sequence[tuple[str, str]], root: str) -> list[ListTable]:
    """Return the generated classes of lists, from the package ``root``."""
    classes = []
    for path, type_ in lists:
        *around, field = fields_along(about.schema, about.type, path)
        inner = around[-1].type if around else MessageRef(about.type)
        assert isinstance(inner, MessageRef)
        home = about.schema.home(type_)
        place = module_place(home)
        module = importlib.import_module(
            ".".join((root, *place.with_name(f"{place.name}_columns").parts))
        )
        name = home.local_name(type_).replace(".", "") + "Columns"
        classes.append(
            ListTable(
                attribute(field),
                getattr(module, name),
                list_name=f"{inner.name}.{field.name}",
                path=".".join(step.name for step in (*around, field)),
                top=about.type,
                around=tuple(
                    Step(attribute(step), step.number, step.label is Label.REPEATED)
                    for step in around
                ),
            )
        )
    return classes


DecodedMessage = tuple[Any, list[tuple[ListTable, ColumnsField, Any]]]
"""A message without its lists, and these."""


def group_node(child: Any) -> Any:
    """Return the field of a column or of a message's columns."""
    return child.node if hasattr(child, "node") else child._node


class ColumnsCodec:
    """Functions for messages whose lists are in columns.

    ``top``: the message's dataclass; ``read_rest``: adds up one; ``root``: the generated package.
    """

    def __init__(
        self, list_tables: list[ListTable], top: Any, read_rest: Callable[[Any], float], root: str
    ) -> None:
        self._tables = list_tables
        self._level = level_of([(table.around, table) for table in list_tables])
        self._top = top
        self._read_rest = read_rest
        self._kinds = importlib.import_module(f"{root}._columns")

    def held(self, message: Any) -> HeldMessage:
        """Return what a program with arrays holds instead of a message; takes its lists."""
        return self._held(self._level, message)

    def _held(self, level: Level, message: Any) -> HeldMessage:
        lists = []
        for around, table in level.own:
            rows = _taken(_at(message, around), table.attribute)
            columns = table.columns.read(table.columns.from_rows(rows, "exact"))
            present: dict[str, Any] = {}
            lists.append((len(rows), self._values(columns, present), present))
        inner = []
        for (*outer, step), below in level.inner:
            elements = _taken(_at(message, outer), step.attribute)
            inner.append([self._held(below, element) for element in elements])
        return HeldMessage(message, lists, inner)

    def _values(self, group: Any, present: dict[str, Any]) -> dict[str, Any]:
        """Return a group's values as ``prepare`` takes them; fills in ``present``."""
        values: dict[str, Any] = {}
        for name, child in group.children():
            has = child.present
            if has is not None and not has.any():
                continue
            node = group_node(child)
            if node.optional and has is not None:
                present[node.path] = has
            values[name] = self._value(child, present)
        return values

    def _value(self, child: Any, present: dict[str, Any]) -> Any:
        kinds, has = self._kinds, child.present
        if isinstance(child, kinds.Column):
            return child.values.copy()
        if isinstance(child, kinds.TextColumn):
            absent = None if child.node.optional else ""
            return [text if has is None or has[i] else absent for i, text in enumerate(child)]
        if isinstance(child, kinds.RepeatedColumn):
            return kinds.Ragged(child.offsets.copy(), child.values.copy())
        if isinstance(child, kinds.RepeatedTextColumn):
            return kinds.Ragged(child.offsets.copy(), list(child.texts))
        if isinstance(child, kinds.RepeatedGroup):
            return kinds.Ragged(child.offsets.copy(), self._values(child, present))
        return self._values(child, present)

    def fill(self, value: HeldMessage) -> HeldMessage:
        return self._filled(self._level, value)

    def _filled(self, level: Level, value: HeldMessage) -> HeldMessage:
        lists = [
            table.columns.prepare(count, values, present=present) if count else None
            for (_, table), (count, values, present) in zip(level.own, value.lists, strict=True)
        ]
        inner = [
            [self._filled(below, element) for element in elements]
            for (_, below), elements in zip(level.inner, value.inner, strict=True)
        ]
        return HeldMessage(value.rest, lists, inner)

    def encode(self, message: HeldMessage) -> bytes:
        return b"".join(self._encoded(self._level, message, 0))

    def _encoded(self, level: Level, message: HeldMessage, start: int) -> list[bytes]:
        """Return the bytes of a message in parts; ``start``: their place in the whole message."""
        parts: list[bytes] = [message.rest.encode_protobuf()]
        at = start + len(parts[0])
        for (around, table), columns in zip(level.own, message.lists, strict=True):
            if columns is not None:
                attached = table.columns.attach(b"", columns, table.list_name, at + _room(around))
                parts += _within(around, [attached])
                at += _room(around) + len(attached)
        for ((*outer, step), below), elements in zip(level.inner, message.inner, strict=True):
            if not elements:
                continue
            inner: list[bytes] = []
            at += _room(outer)
            for element in elements:
                encoded = _within([step], self._encoded(below, element, at + _room([step])))
                inner += encoded
                at += sum(map(len, encoded))
            parts += _within(outer, inner)
        return parts

    def decode(self, data: bytes) -> DecodedMessage:
        lists = [
            (table, place, table.columns.read(data, place.offset, place.size))
            for table in self._tables
            for place in table.found(data)
        ]
        return self._top.decode_protobuf(data), lists

    def read(self, message: DecodedMessage) -> float:
        """Return the sum of all numbers; texts are hashed, as other contenders do."""
        rest, lists = message
        total = self._read_rest(rest)
        for _, _, columns in lists:
            for _, column in columns.columns():
                if hasattr(column, "values"):
                    total += float(column.values.sum())
                else:
                    total += sum(hash(text) & 0xFFFF for text in getattr(column, "texts", column))
        return total

    def again(self, message: DecodedMessage) -> bytes:
        """Return the bytes of what was read, in rows."""
        rest, lists = message
        for table, place, columns in lists:
            setattr(table.holder_at(rest, place), table.attribute, columns.to_rows(1 << 30))
        data: bytes = rest.encode_protobuf()
        return data


def _taken(holder: Any, attribute: str) -> list[Any]:
    """Take a list from a message, which may be absent."""
    if holder is None:
        return []
    rows: list[Any] = getattr(holder, attribute)
    setattr(holder, attribute, [])
    return rows
