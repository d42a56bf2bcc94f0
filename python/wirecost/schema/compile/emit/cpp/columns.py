# SPDX-License-Identifier: Apache-2.0
"""The columns wire in C++: schemas and tokens of the roots."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from wirecost.schema.compile.emit.cpp.names import SCALARS, CppNames, identifier
from wirecost.schema.compile.emit.distinct import Distinct
from wirecost.schema.compile.emit.escape import cpp as escape
from wirecost.schema.compile.plan.column_containers import containers as plan_containers
from wirecost.schema.compile.plan.column_node import Node, Shape
from wirecost.schema.compile.plan.columns import Root
from wirecost.schema.compile.plan.reductions import Reduce, Reduction
from wirecost.schema.compile.schema import (
    Coding,
    Enum,
    EnumRef,
    Field,
    File,
    Kind,
    Label,
    Message,
    Schema,
)

_MOST_FIXED = 1 << 53
_OWN_NAMES = ("nodes", "schema", "reductions", "Holder")
"""Members of every generated struct besides its tokens."""
_CONTAINER_NAMES = (
    "schemas", "reductions", "edges", "columns_fields", "all", "containers", "ColumnContainers",
)  # fmt: skip


@dataclass(frozen=True)
class Token:
    """A member that names a field; ``initial``: its initializer."""

    name: str
    type: str
    initial: str
    comment: str


@dataclass(frozen=True)
class TokenStruct:
    """The tokens of a message in a root."""

    name: str
    base: str
    tokens: list[Token]


@dataclass(frozen=True)
class ColumnsRoot:
    """A root's struct; ``nodes`` and ``reductions`` are initializers."""

    name: str
    message: str
    holder: str
    nodes: list[str]
    reductions: list[str]
    structs: list[TokenStruct]
    tokens: list[Token]


@dataclass(frozen=True)
class ContainerEntry:
    """A type that leads to columns: where its edges and its columns fields begin, and how many."""

    name: str
    message: str
    edges: tuple[int, int]
    columns_fields: tuple[int, int]


@dataclass(frozen=True)
class ContainerTables:
    """Types with columns fields, and those that lead to them."""

    containers: list[ContainerEntry]
    edges: list[tuple[int, int]]
    """A field's number, and the index of the container in it."""
    columns_fields: list[tuple[int, int, int]]
    """Numbers of the repeated field and of its columns, and the index of the root."""
    lists: list[tuple[str, int]]
    """Names and numbers of the repeated fields."""


def roots(
    schema: Schema, names: CppNames, file: File, planned: tuple[Root, ...]
) -> list[ColumnsRoot]:
    """Return what ``columns.hpp.j2`` prints for the roots that a file declares."""
    structs = struct_names(names, file, planned)
    return [
        _root(schema, names, root, structs[root.message.full_name])
        for root in planned
        if root.file.name == file.name
    ]


def containers(schema: Schema, names: CppNames, planned: tuple[Root, ...]) -> ContainerTables:
    """Return what ``containers.hpp.j2`` prints."""
    edges: list[tuple[int, int]] = []
    fields: list[tuple[int, int, int]] = []
    entries: list[ContainerEntry] = []
    lists: list[tuple[str, int]] = []
    unique, unique_list = Distinct(_CONTAINER_NAMES), Distinct(("ColumnLists",))
    for container in plan_containers(schema, planned):
        name = unique(names.plain(container.message))
        entries.append(
            ContainerEntry(
                name,
                container.message.full_name,
                (len(edges), len(container.edges)),
                (len(fields), len(container.columns_fields)),
            )
        )
        edges += [(item.number, index) for item, index in container.edges]
        fields += [
            (item.field.number, item.number, index) for item, index in container.columns_fields
        ]
        lists += [
            (unique_list(f"{name}_{item.field.name}"), item.field.number)
            for item, _ in container.columns_fields
        ]
    return ContainerTables(entries, edges, fields, lists)


def struct_names(names: CppNames, file: File, planned: tuple[Root, ...]) -> dict[str, str]:
    """Return names of the structs that a file's roots become, by the message's full name."""
    declared: tuple[Message | Enum, ...] = (*file.messages, *file.enums)
    unique = Distinct(names.plain(d) for d in declared)
    return {
        root.message.full_name: unique(root.name) for root in planned if root.file.name == file.name
    }


def token_names(schema: Schema, names: CppNames, root: Root, struct: str) -> list[str]:
    """Return the dotted name of each node's token in the struct of that name."""
    tokens = _Tokens(schema, names, root, struct)
    return [tokens.dotted(node) for node in root.nodes]


def _root(schema: Schema, names: CppNames, root: Root, name: str) -> ColumnsRoot:
    printer = _Tokens(schema, names, root, name)
    return ColumnsRoot(
        name=name,
        message=root.message.full_name,
        holder=names.plain(root.message),
        nodes=[_node(root, node) for node in root.nodes],
        reductions=[_reduction(node.reduction) for node in root.nodes],
        structs=list(printer.structs()),
        tokens=list(printer.tokens(None)),
    )


def _node(root: Root, node: Node) -> str:
    """Return a node's initializer; what has its default is left out."""
    item = node.field
    parts = [
        f'.name = "{node.dotted}"',
        f".number = {node.number}",
        f".parent = {-1 if node.parent is None else node.parent}",
        f".end = {node.end}",
        f".type = Type::{_type(node)}",
    ]
    if node.shape is Shape.SCALAR and node.coding is not Coding.VARINT:
        parts.append(f".coding = Coding::{node.coding.value}")
    flags = {
        "repeated": node.repeated,
        "optional": node.optional,
        "required": node.required,
        "always": node.required or node.in_entry,
        "packed": node.repeated and item.packed,
        "group": item.group and node.shape is Shape.MESSAGE,
        "wraps": node.wraps,
    }
    parts += [f".{name} = true" for name, is_set in flags.items() if is_set]
    if item.oneof is not None:
        parts.append(f".oneof = {root.oneofs[node.parent, item.oneof]}")
    if fixed := root.fixed(node):
        parts.append(f".fixed = {min(fixed, _MOST_FIXED)}U")
    if bits := _default_bits(node):
        parts.append(f".default_bits = {bits:#x}U")
    if node.shape is Shape.TEXT and item.default:
        value = item.default if isinstance(item.default, (str, bytes)) else b""
        parts.append(f".default_text = {escape.literal(value)}")
    return ", ".join(parts)


def _type(node: Node) -> str:
    if node.shape is not Shape.SCALAR:
        return node.shape.value
    if node.kind is None:
        return "enumeration"
    return "boolean" if node.kind is Kind.BOOL else node.kind.value


def _reduction(how: Reduction) -> str:
    form = "automatic" if how.form is Reduce.AUTO else how.form.value
    return f"{{Reduce::{form}, {how.error!r}}}"


def _default_bits(node: Node) -> int:
    default = node.field.default
    if node.shape is not Shape.SCALAR or node.repeated or default is None:
        return 0
    if node.kind is None:
        return int(default) & 0xFFFFFFFF
    return int.from_bytes(struct.pack(f"<{node.kind.code}", default), "little")


class _Tokens:
    """Members that name a root's fields; those of messages in it have structs of their own."""

    def __init__(self, schema: Schema, names: CppNames, root: Root, name: str) -> None:
        self._schema = schema
        self._names = names
        self._root = root
        self._structs: dict[int, str] = {}
        unique = Distinct((name, *_OWN_NAMES))
        self._members = {node.index: unique(identifier(node.name)) for node in root.children(None)}
        for node in root.nodes:
            if node.parent is not None:
                self._members[node.index] = identifier(node.name)
            if self._has_struct(node):
                self._structs[node.index] = unique("_".join(node.path) + "_fields")

    def structs(self) -> Iterator[TokenStruct]:
        """Yield the innermost first, as C++ needs them."""
        for node in reversed(self._root.nodes):
            if self._has_struct(node):
                yield TokenStruct(
                    self._structs[node.index],
                    "RepeatedMessage" if node.repeated else "Message",
                    list(self.tokens(node)),
                )

    def tokens(self, message: Node | None) -> Iterator[Token]:
        for node in self._root.children(message):
            yield Token(
                self._members[node.index],
                self._token(node),
                self._initial(node),
                node.field.comment if message is None else "",
            )

    def dotted(self, node: Node) -> str:
        own = self._members[node.index]
        return own if node.parent is None else f"{self.dotted(self._root.nodes[node.parent])}.{own}"

    def _has_struct(self, node: Node) -> bool:
        return node.shape is Shape.MESSAGE and not node.wraps

    def _token(self, node: Node) -> str:
        if node.wraps:
            return "wirecost::columns::RepeatedText"
        if node.shape is Shape.MESSAGE:
            return self._structs[node.index]
        if node.shape is Shape.TEXT:
            return "wirecost::columns::Text"
        token = "Repeated" if node.repeated else "Scalar"
        return f"wirecost::columns::{token}<{self._value(node.field)}>"

    def _value(self, item: Field) -> str:
        if isinstance(item.type, EnumRef):
            home = self._schema.home(item.type.name)
            plain = self._names.plain(self._schema.enum(item.type))
            return f"::{self._names.namespace(home)}::{plain}"
        if not isinstance(item.type, Kind) or item.label is Label.MAP:
            raise AssertionError(item)
        return SCALARS[item.type]

    def _initial(self, node: Node) -> str:
        own = f"{{{node.index}}}"
        if not self._has_struct(node):
            return own
        parts = [own, *(self._initial(child) for child in self._root.children(node))]
        return f"{{{', '.join(parts)}}}"
