# SPDX-License-Identifier: Apache-2.0
"""Whole messages between rows and columns, by the C++ run-time (docs/formats/columns.md)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from wirecost import _core
from wirecost.schema.columns import lists
from wirecost.schema.compile import frontends
from wirecost.schema.compile.plan import columns
from wirecost.schema.compile.plan.column_containers import containers
from wirecost.schema.compile.plan.column_node import Node, Shape
from wirecost.schema.compile.schema import Schema


@cache
def osi_schema() -> Schema:
    """Return OSI as the pinned osi-python package declares it."""
    return frontends.load(["osi3"])


class Converter:
    """Converts messages of one type. Results hold until the next call."""

    def __init__(self, type_name: str, roots: Sequence[columns.Root]) -> None:
        """Convert messages of the type ``type_name``, a full name, with lists of ``roots``."""
        reached = containers(osi_schema(), roots)
        names = [container.message.full_name for container in reached]
        self._container = names.index(type_name) if type_name in names else None
        self._core = _core.ColumnsConverter()
        for root in roots:
            self._core.add_schema(root.message.full_name, [_node(root, n) for n in root.nodes])
        for container in reached:
            self._core.add_container(
                container.message.full_name,
                [(item.number, index) for item, index in container.edges],
                [(t.field.number, t.number, index) for t, index in container.columns_fields],
            )
        self._core.close()

    @classmethod
    def to_columns_of(
        cls, type_name: str, paths: Sequence[str], reductions: Sequence[str] = ()
    ) -> Converter:
        """Return a converter of these lists, dotted paths or ``all``. Raises UserError."""
        schema = osi_schema()
        elements = lists.chosen(schema, type_name, paths)
        return cls(type_name, columns.plan(schema, elements, reductions))

    @classmethod
    def to_rows_of(cls, type_name: str) -> Converter:
        """Return a converter of all lists that may be there in columns."""
        schema = osi_schema()
        return cls(type_name, columns.plan(schema, lists.every(schema, type_name)))

    def to_columns(
        self, message: memoryview, keep_rows: bool = False, before: int = 0
    ) -> memoryview:
        """Return the message with its lists in columns.

        ``before``: bytes in front of the message that count for its alignment. Raises ValueError on
        what is no such message.
        """
        if self._container is None:
            return message
        return self._core.to_columns(self._container, message, keep_rows, before)

    def to_rows(self, message: memoryview) -> memoryview:
        """Return the message with its lists as rows. Raises ValueError on what is none."""
        if self._container is None:
            return message
        return self._core.to_rows(self._container, message)

    @property
    def refused(self) -> int:
        """Lists that the last call left as rows, for they hold what the schema does not know."""
        return self._core.refused


def _node(root: columns.Root, node: Node) -> _core.ColumnNode:
    column = _core.ColumnNode()
    column.name = node.dotted
    column.type = node.type_name
    column.coding = node.coding.value
    column.number = node.number
    column.end = node.end
    column.parent = -1 if node.parent is None else node.parent
    oneof = node.field.oneof
    column.oneof = -1 if oneof is None else root.oneofs[node.parent, oneof]
    column.repeated = node.repeated
    column.optional = node.optional
    column.required = node.required
    column.always = node.required or node.in_entry
    column.packed = node.repeated and node.field.packed
    column.group = node.field.group and node.shape is Shape.MESSAGE
    column.wraps = node.wraps
    column.reduce = node.reduction.form.value
    column.error = node.reduction.error
    return column
