# SPDX-License-Identifier: Apache-2.0
"""Lists in columns in Python, as a program has them that keeps its lists in arrays of NumPy."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from wirecost.data.messages.fields import fields_along
from wirecost.data.messages.subject import Subject
from wirecost.schema.compile.emit.python.names import attribute, module_place
from wirecost.schema.compile.schema import MessageRef

LENGTH = 5
"""Bytes of a length that is known before what it counts."""


@dataclass(frozen=True)
class ListTable:
    """A list of the message: its attribute, the generated class of its columns, and its place.

    ``list_name``: as columns are attached to it, ``<message>.<field>``; ``path``: as they are found
    in the message ``top``; ``around``: attributes and numbers of the fields that lead to it.
    """

    attribute: str
    columns: Any
    list_name: str
    path: str
    top: str
    around: tuple[tuple[str, int], ...] = ()

    def holder(self, message: Any) -> Any:
        """Return the message that has the list, None where it is absent."""
        for name, _ in self.around:
            message = None if message is None else getattr(message, name)
        return message

    def appended(self, data: bytes, columns: Any) -> bytes:
        """Return a message's bytes with columns behind them, in the messages around the list.

        Parsers merge these with what stands before.
        """
        tags = [_varint(number << 3 | 2) for _, number in self.around]
        position = len(data) + sum(len(tag) + LENGTH for tag in tags)
        inner: bytes = self.columns.attach(b"", columns, self.list_name, position)
        for tag in reversed(tags):
            inner = b"".join((tag, _varint(len(inner), LENGTH), inner))
        return data + inner


def _varint(number: int, length: int = 0) -> bytes:
    """Return a number as a varint of so many bytes at least."""
    octets = bytearray()
    while number > 0x7F or len(octets) + 1 < length:
        octets.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes((*octets, number))


@dataclass(frozen=True)
class HeldMessage:
    """What a program holds: a message without its lists, and what these hold in arrays.

    ``lists``: of each, the number of elements, values by field, and who has a field.
    """

    rest: Any
    lists: list[tuple[int, dict[str, Any], dict[str, Any]]]


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
                around=tuple((attribute(step), step.number) for step in around),
            )
        )
    return classes


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
        self._top = top
        self._read_rest = read_rest
        self._kinds = importlib.import_module(f"{root}._columns")

    def held(self, message: Any) -> HeldMessage:
        """Return what a program with arrays holds instead of a message; takes its lists."""
        lists = []
        for table in self._tables:
            holder = table.holder(message)
            rows = [] if holder is None else getattr(holder, table.attribute)
            columns = table.columns.read(table.columns.from_rows(rows, "exact"))
            present: dict[str, Any] = {}
            lists.append((len(rows), self._values(columns, present), present))
            if holder is not None:
                setattr(holder, table.attribute, [])
        return HeldMessage(message, lists)

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

    def fill(self, value: HeldMessage) -> tuple[Any, list[Any]]:
        lists = [
            table.columns.prepare(count, values, present=present) if count else None
            for table, (count, values, present) in zip(self._tables, value.lists, strict=True)
        ]
        return value.rest, lists

    def encode(self, message: tuple[Any, list[Any]]) -> bytes:
        rest, lists = message
        data: bytes = rest.encode_protobuf()
        for table, columns in zip(self._tables, lists, strict=True):
            if columns is not None:
                data = table.appended(data, columns)
        return data

    def decode(self, data: bytes) -> tuple[Any, list[Any]]:
        lists: list[Any] = []
        for table in self._tables:
            places = table.columns.find(data, table.top)
            at = next((place for place in places if place.path == table.path), None)
            lists.append(at and table.columns.read(data, at.offset, at.size))
        return self._top.decode_protobuf(data), lists

    def read(self, message: tuple[Any, list[Any]]) -> float:
        """Return the sum of all numbers; texts are hashed, as other contenders do."""
        rest, lists = message
        total = self._read_rest(rest)
        for columns in lists:
            if columns is None:
                continue
            for _, column in columns.columns():
                if hasattr(column, "values"):
                    total += float(column.values.sum())
                else:
                    total += sum(hash(text) & 0xFFFF for text in getattr(column, "texts", column))
        return total

    def again(self, message: tuple[Any, list[Any]]) -> bytes:
        """Return the bytes of what was read, in rows."""
        rest, lists = message
        for table, columns in zip(self._tables, lists, strict=True):
            if columns is not None:
                setattr(table.holder(rest), table.attribute, columns.to_rows(1 << 30))
        data: bytes = rest.encode_protobuf()
        return data
