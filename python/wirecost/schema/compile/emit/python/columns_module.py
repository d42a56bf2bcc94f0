# SPDX-License-Identifier: Apache-2.0
"""Classes of a module with columns, as its template prints them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from wirecost.schema.compile.emit.distinct import Distinct
from wirecost.schema.compile.emit.escape.python import literal
from wirecost.schema.compile.emit.python import names, values
from wirecost.schema.compile.emit.python.lines import wrapped
from wirecost.schema.compile.emit.python.module import Module
from wirecost.schema.compile.graph import leading_to
from wirecost.schema.compile.plan.column_node import Node, Shape
from wirecost.schema.compile.plan.columns import Root
from wirecost.schema.compile.schema import (
    EnumRef,
    Field,
    File,
    Kind,
    Label,
    Message,
    MessageRef,
    Presence,
    Schema,
)

_TAKEN = {
    "NODE",
    "COLUMNS_FIELDS",
    "attach",
    "build",
    "children",
    "columns",
    "find",
    "from_rows",
    "offsets",
    "prepare",
    "present",
    "read",
    "tag_and_length",
    "to_rows",
}
"""Names of the members of the columns' classes themselves."""
_ELEMENTS = {kind: f"_np.{kind.value}" for kind in Kind if kind.width} | {Kind.BOOL: "_np.bool_"}


@dataclass(frozen=True)
class ColumnAttribute:
    """A column as an attribute; ``type``: its annotation."""

    name: str
    type: str
    comment: str


@dataclass(frozen=True)
class ColumnsClass:
    """A root, or a message in one, as a class."""

    name: str
    base: str
    doc: str
    fields: list[ColumnAttribute]
    node: list[str] = field(default_factory=list)
    """Lines of what the run-time must know of a root."""
    containers: list[str] = field(default_factory=list)
    """Lines of the messages from which a root's columns can be reached."""


def attribute(item: Field) -> str:
    """Return a field's name in a class of columns."""
    name = names.attribute(item)
    if name.startswith("_"):
        name = f"field{name}"
    return f"{name}_" if name.rstrip("_") in _TAKEN else name


class ColumnsModule:
    """The classes of one file's roots, and what they import."""

    def __init__(self, schema: Schema, file: File) -> None:
        self._schema = schema
        place = names.module_place(file)
        self.dots = "." * len(place.parts)
        self._holders: dict[str, str] = {}
        self._unused = Distinct()
        self._used = {"Node", "Columns", "Container", "ColumnsFields"}
        self._modules: dict[str, Module] = {}
        self._folders = names.folders(schema)

    def classes(self, root: Root) -> list[ColumnsClass]:
        """Return the classes, those of nested messages before those that hold them."""
        classes: dict[str, ColumnsClass] = {}
        groups: dict[int, str] = {}
        for node in reversed(root.nodes):
            if node.shape is Shape.MESSAGE and not node.wraps:
                name = self._group_name(root, node, classes)
                groups[node.index] = name
                if name not in classes:
                    classes[name] = self._group(root, node, name, groups)
        holder = self._holder(root.message.full_name)
        expression = self._root_node(root, groups)
        own = ColumnsClass(
            name=root.name,
            base=f"_Columns[{holder}]",
            doc=f"A list of ``{root.message.full_name}`` in columns.",
            fields=self._fields(root, None, groups),
            node=wrapped(f"NODE: _t.ClassVar[_Node] = {expression}", 1),
            containers=[line.text for line in containers(self._schema, root)],
        )
        return [*classes.values(), own]

    def imports(self) -> list[str]:
        """Return one statement a holder, shortest form: names are private here."""
        lines = []
        for full_name, known_as in self._holders.items():
            home = self._schema.home(full_name)
            module = ".".join(names.module_place(home).parts)
            name = names.class_name(home, full_name)
            lines.append(f"from {self.dots}{module} import {name} as {known_as}")
        return sorted(lines)

    def runtime(self) -> list[str]:
        return sorted(self._used)

    def _holder(self, full_name: str) -> str:
        """Return a row's class under a name that nothing else has."""
        if full_name not in self._holders:
            home = self._schema.home(full_name)
            self._holders[full_name] = self._unused(f"_{names.class_name(home, full_name)}Row")
        return self._holders[full_name]

    def _group_name(self, root: Root, node: Node, classes: dict[str, ColumnsClass]) -> str:
        """Return the name ``<root>_Vector3d``; a list of them ends in ``List``."""
        if node.is_map:
            return f"{root.name}_{'_'.join(node.path)}_Entries"
        if not isinstance(node.field.type, MessageRef):
            raise AssertionError(node)
        full_name = node.field.type.name
        local = self._schema.home(full_name).local_name(full_name).replace(".", "_")
        name = f"{root.name}_{local}{'List' if node.repeated else ''}"
        doc = self._doc(full_name)
        while name in classes and classes[name].doc != doc:
            name += "_"
        return name

    def _doc(self, full_name: str) -> str:
        return f"``{full_name}`` in columns."

    def _group(self, root: Root, node: Node, name: str, groups: dict[int, str]) -> ColumnsClass:
        base = "RepeatedGroup" if node.repeated else "Group"
        self._used.add(base)
        if isinstance(node.field.type, MessageRef) and not node.is_map:
            doc = self._doc(node.field.type.name)
        else:
            doc = f"The entries of ``{node.dotted}`` in columns."
        return ColumnsClass(name, f"_{base}", doc, self._fields(root, node, groups))

    def _fields(
        self, root: Root, node: Node | None, groups: dict[int, str]
    ) -> list[ColumnAttribute]:
        return [
            ColumnAttribute(
                attribute(child.field), self._annotation(child, groups), child.field.comment
            )
            for child in root.children(node)
        ]

    def _annotation(self, node: Node, groups: dict[int, str]) -> str:
        if node.index in groups:
            return groups[node.index]
        kind = node.field.type
        prefix = "Repeated" if node.repeated else ""
        if node.wraps or node.shape is Shape.TEXT:
            self._used.add(f"{prefix}TextColumn")
            return f"_{prefix}TextColumn[{'str' if kind is Kind.STRING else 'bytes'}]"
        self._used.add(f"{prefix}Column")
        element = "_np.integer[_t.Any]" if isinstance(kind, EnumRef) else _ELEMENTS[Kind(str(kind))]
        return f"_{prefix}Column[{element}]"

    def _root_node(self, root: Root, groups: dict[int, str]) -> str:
        message = root.message
        children = "".join(
            f"{self._node(root, child, message, groups)}, " for child in root.children(None)
        )
        holder = self._holder(message.full_name)
        return f'_Node(0, "", "message", children=({children.strip()}), holder={holder})'

    def _node(self, root: Root, node: Node, around: Message | None, groups: dict[int, str]) -> str:
        item = node.field
        parts = [str(node.number), f'"{node.dotted}"', f'"{_kind(node)}"']
        for name, held in (
            ("attribute", attribute(item)),
            ("row_attribute", names.attribute(item)),
        ):
            if held != item.name:
                parts.append(f'{name}="{held}"')
        flags = {
            "repeated": node.repeated,
            "optional": node.optional,
            "required": item.presence is Presence.REQUIRED and not node.repeated,
            "lacks": self._lacks(node, around),
            "wraps": node.wraps,
            "is_map": node.is_map,
            "fixed": item.label is Label.ARRAY,
        }
        parts += [f"{name}=True" for name, is_so in flags.items() if is_so]
        if item.default is not None and not node.repeated:
            parts.append(f"default={literal(item.default)}")
        if item.oneof:
            parts.append(f'oneof="{item.oneof}"')
        for name, most in (("capacity", item.capacity), ("text_capacity", item.text_capacity)):
            if most is not None:
                parts.append(f"{name}={most}")
        if str(node.reduction) != "exact":
            parts.append(f'reduction="{node.reduction}"')
        if node.shape is Shape.MESSAGE:
            parts += self._inner(root, node, groups)
        return f"_Node({', '.join(parts)})"

    def _inner(self, root: Root, node: Node, groups: dict[int, str]) -> list[str]:
        message = None
        if isinstance(node.field.type, MessageRef) and not node.is_map:
            message = self._schema.message(node.field.type)
        children = "".join(
            f"{self._node(root, child, message, groups)}, " for child in root.children(node)
        )
        parts = [f"children=({children.strip()})"] if children else []
        if node.index in groups:
            parts.append(f"group={groups[node.index]}")
        if message is not None:
            parts.append(f"holder={self._holder(message.full_name)}")
        return parts

    def _lacks(self, node: Node, around: Message | None) -> bool:
        """Return whether a row's attribute may be None."""
        if around is None or node.repeated:
            return False
        home = self._schema.home(around.full_name)
        module = self._modules.setdefault(home.name, Module(self._schema, home, self._folders))
        return values.can_lack(module, around, node.field)


def _kind(node: Node) -> str:
    if node.shape is Shape.MESSAGE:
        return "message"
    return "enum" if isinstance(node.field.type, EnumRef) else str(node.field.type)


@dataclass
class ContainerLine:
    """A message as the template prints it."""

    name: str
    columns_fields: dict[int, str] = field(default_factory=dict)
    leads: dict[int, tuple[str, str, bool]] = field(default_factory=dict)

    @property
    def text(self) -> str:
        parts = [repr(self.columns_fields)] if self.columns_fields or self.leads else []
        if self.leads:
            parts.append(repr(self.leads))
        return f'"{self.name}": _Container({", ".join(parts)}),'.replace("'", '"')


def containers(schema: Schema, root: Root) -> Iterator[ContainerLine]:
    """Yield every message from which the root's columns can be reached, by full name."""
    lines: dict[str, ContainerLine] = {}
    for columns in root.columns_fields:
        name = columns.parent.full_name
        line = lines.setdefault(name, ContainerLine(name))
        line.columns_fields[columns.field.number] = columns.field.name
    reached = leading_to(schema.references, lines)
    for message in schema.messages():
        if message.full_name in reached:
            line = lines.setdefault(message.full_name, ContainerLine(message.full_name))
            for item in message.fields:
                if _inner(item) in reached:
                    _lead(lines, line, item)
    yield from (lines[name] for name in sorted(lines))


def _inner(item: Field) -> str:
    """Return the message that a field, or the values of a map, hold."""
    held = item.value if item.label is Label.MAP and item.value else item
    return held.type.name if isinstance(held.type, MessageRef) else ""


def _lead(lines: dict[str, ContainerLine], line: ContainerLine, item: Field) -> None:
    inner = _inner(item)
    if item.label is Label.MAP:
        entry = f"{line.name}.{item.name}"
        lines[entry] = ContainerLine(entry, leads={2: ("value", inner, False)})
        inner = entry
    line.leads[item.number] = (item.name, inner, item.label is not Label.SINGLE)
