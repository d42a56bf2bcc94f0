# SPDX-License-Identifier: Apache-2.0
"""The source text of the Java program of lists in columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wirecost.data.messages.fields import fields_along
from wirecost.data.messages.subject import Subject
from wirecost.measure.serializers.java.code import ROOT, TEMPLATES, ours
from wirecost.schema.compile.emit.java.columns_root import SCALARS, Accessor, JavaColumns
from wirecost.schema.compile.emit.java.holders import Holders
from wirecost.schema.compile.emit.java.names import JavaNames
from wirecost.schema.compile.emit.templates import Templates
from wirecost.schema.compile.plan.column_node import Node
from wirecost.schema.compile.plan.columns import plan
from wirecost.schema.compile.schema import Kind


@dataclass(frozen=True)
class ArrayField:
    """A field that a program holds in an array.

    ``type``: of the array; of a message the class of its fields. ``kind``: ``message``, ``texts``,
    ``bytes`` or ``values``.
    """

    name: str
    index: int
    type: str
    kind: str
    is_optional: bool
    is_repeated: bool


@dataclass(frozen=True)
class ArrayFields:
    """Fields of a message in arrays. ``name``: of their class; ``view``: that of the columns."""

    name: str
    view: str
    doc: str
    fields: list[ArrayField]


@dataclass(frozen=True)
class ListOfArrays:
    """A list: the holder's member, the classes of its elements and columns, and its number."""

    member: str
    row: str
    view: str
    number: str
    fields: str


def columns_program(about: Subject, lists: Sequence[tuple[str, str]]) -> str:
    """Return ``Columns.java``; ``lists``: paths of fields, and types of their elements."""
    names = JavaNames(about.schema, ROOT)
    holders = Holders(about.schema, names)
    roots = {
        root.message.full_name: _Root(number, JavaColumns(holders, root))
        for number, root in enumerate(plan(about.schema, [type_ for _, type_ in lists]))
    }
    top = about.schema.message(about.type)
    listed = []
    for path, type_ in lists:
        (field,) = fields_along(about.schema, about.type, path)
        root = roots[type_]
        listed.append(
            ListOfArrays(
                member=holders.member(top, field).name,
                row=ours(names, type_),
                view=root.view(None),
                number=root.number(about.type, field.name),
                fields=root.name(None),
            )
        )
    return Templates(TEMPLATES).render(
        "Columns.java.j2",
        type=about.type,
        ours=ours(names, about.type),
        runtime=names.runtime,
        lists=listed,
        messages=[message for root in roots.values() for message in root.messages()],
        scalars=[(name, type_, buffer) for name, type_, _, buffer, _, _ in SCALARS],
    )


class _Root:
    """Columns of a type, and names of the classes that hold its fields in arrays."""

    def __init__(self, number: int, columns: JavaColumns) -> None:
        self._number, self._columns = number, columns
        self._views = {node.index: name for name, node in columns.messages}

    def name(self, node: Node | None) -> str:
        return f"Arrays{self._number}" + (f"In{node.index}" if node is not None else "")

    def view(self, node: Node | None) -> str:
        top = f"{self._columns.place.package}.{self._columns.name}"
        return top if node is None else f"{top}.{self._views[node.index]}"

    def number(self, holder: str, field: str) -> str:
        """Return the constant that is the number of a list's columns."""
        (constant,) = (
            name for name, path, _ in self._columns.columns_fields if path == f"{holder}.{field}"
        )
        return f"{self.view(None)}.{constant}"

    def messages(self) -> Iterator[ArrayFields]:
        for node in (None, *(node for _, node in self._columns.messages)):
            full_name = self._columns.root.message.full_name
            doc = full_name if node is None else f"{full_name}.{node.dotted}"
            fields = list(map(self._field, self._columns.accessors(node)))
            yield ArrayFields(self.name(node), self.view(node), doc, fields)

    def _field(self, accessor: Accessor) -> ArrayField:
        node, kind = accessor.node, "values"
        if accessor.is_message:
            kind = "message"
        elif accessor.view == "Text":
            kind = "bytes" if node.field.type is Kind.BYTES else "texts"
        return ArrayField(
            name=accessor.name,
            index=accessor.index,
            type=self.name(node) if accessor.is_message else accessor.array,
            kind=kind,
            is_optional=node.optional,
            is_repeated=node.repeated,
        )
