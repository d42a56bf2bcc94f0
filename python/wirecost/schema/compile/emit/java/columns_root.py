# SPDX-License-Identifier: Apache-2.0
"""Java for messages in columns: a table of nodes and thin typed accessors per root.

All that works lies in the run-time classes, which walk the table.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass

from wirecost.schema.compile.emit.escape.java import javadoc
from wirecost.schema.compile.emit.java.holders import Holders
from wirecost.schema.compile.emit.java.names import Unique, lower_camel, screaming, upper_camel
from wirecost.schema.compile.plan.column_node import Node, Shape
from wirecost.schema.compile.plan.columns import Root
from wirecost.schema.compile.plan.reductions import EXACT, Reduce
from wirecost.schema.compile.schema import Coding, Kind, Presence

SCALARS = [
    ("Double", "double", 8, "DoubleBuffer", "Double.longBitsToDouble(bits)", "Doubles"),
    ("Float", "float", 4, "FloatBuffer", "Float.intBitsToFloat((int) bits)", "Floats"),
    ("Long", "long", 8, "LongBuffer", "bits", "Integers of 64 bits"),
    ("Int", "int", 4, "IntBuffer", "(int) bits", "Smaller integers, and numbers of enums,"),
    ("Boolean", "boolean", 1, None, "bits != 0", "Booleans"),
]
"""Columns of one template: name, type, width where plain, view, value of bits, what they hold."""

_TYPES = {
    Kind.FLOAT64: "DOUBLE",
    Kind.FLOAT32: "FLOAT",
    Kind.BOOL: "BOOL",
    Kind.STRING: "TEXT",
    Kind.BYTES: "TEXT",
}
_COLUMNS = {
    Kind.FLOAT64: "Double",
    Kind.FLOAT32: "Float",
    Kind.BOOL: "Boolean",
    Kind.INT64: "Long",
    Kind.UINT64: "Long",
}
_ARRAYS = {"Int": "int", "Double": "double", "Float": "float", "Boolean": "boolean", "Long": "long"}
_STRUCTS = {Kind.FLOAT64: "<dq", Kind.FLOAT32: "<fi"}
_MOST_FIXED = 1 << 53
_TAKEN = frozenset(
    re.findall(
        r"\w+",
        """clone columnNode elements finalize getClass hasAll hashCode isStored notify notifyAll
        size toBytes toRows toString wait""",
    )
)
"""Methods without parameters, which accessors may not hide."""


@dataclass(frozen=True)
class Accessor:
    """A field for the template."""

    node: Node
    name: str
    index: int
    """Index in the run-time's table, where the root itself is 0."""
    view: str
    """``Double``, …, ``Text``; of a message the name of its class."""
    array: str
    """Type of what a builder is given; of a message nothing."""
    doc: str

    @property
    def is_message(self) -> bool:
        return not self.array


class JavaColumns:
    """A root for the templates."""

    def __init__(self, holders: Holders, root: Root) -> None:
        self._holders = holders
        self._names = holders.names
        self._jdk = holders.names.jdk
        self.root = root
        self.place = self._names.place(root.message.full_name)
        full_names = (m.full_name for m in holders.schema.messages())
        used = {self._names.place(name).classes[0] for name in full_names}
        self.name = Unique(used)(root.name)
        self.row = self._names.reference(root.message.full_name, root.message.full_name)
        unique = Unique({*self._jdk, "Builder", self.name, self.place.classes[0]})
        self._classes = {
            node.index: unique("".join(map(upper_camel, node.path)))
            for node in root.nodes
            if node.shape is Shape.MESSAGE and not node.wraps
        }

    @property
    def doc(self) -> str:
        return javadoc(
            self.root.message.comment, f"Lists of {self.root.message.full_name} in columns."
        )

    @property
    def messages(self) -> list[tuple[str, Node]]:
        """Classes of messages in the root."""
        return [(name, self.root.nodes[index]) for index, name in self._classes.items()]

    @property
    def columns_fields(self) -> list[tuple[str, str, int]]:
        """Constant, dotted name of the field of rows and number of each columns field."""
        unique, fields = Unique({"MOST", "NODE"}), []
        for field in self.root.columns_fields:
            parent = field.parent.full_name
            local = self._holders.schema.home(parent).local_name(parent).replace(".", "_")
            name = unique(f"{screaming(local)}_{screaming(field.field.name)}")
            fields.append((name, f"{parent}.{field.field.name}", field.number))
        return fields

    def accessors(self, node: Node | None) -> list[Accessor]:
        unique = Unique(_TAKEN)
        return [self._accessor(child, unique) for child in self.root.children(node)]

    def table(self, node: Node) -> str:
        """Return the expression for a node and all below it."""
        column_node = self._jdk["ColumnNode"]
        if node.shape is Shape.MESSAGE and not node.wraps:
            return f"{self._classes[node.index]}.columnNode()"
        start = f'"{node.name}", {node.number}'
        if node.wraps:
            child = self.table(next(iter(self.root.children(node))))
            return f"{column_node}.message({start}, {self.flags(node)}, {child}){self.fixed(node)}"
        type_ = f"{self._jdk['ColumnType']}.{self._type(node)}"
        text = f"{column_node}.scalar({start}, {type_}, {self.flags(node)})"
        if node.reduction != EXACT:
            text += f".reduced({self._reduction(node)})"
        return text + self._default(node) + self.fixed(node)

    def fixed(self, node: Node) -> str:
        """Return what says how many values rows always have of a fixed array."""
        fixed = min(self.root.fixed(node), _MOST_FIXED)
        return f".fixed({fixed}L)" if fixed else ""

    def flags(self, node: Node) -> str:
        item = node.field
        scalar = node.shape is Shape.SCALAR
        flags = {
            "OPTIONAL": node.optional,
            "IMPLICIT": _is_implicit(node),
            "REPEATED": node.repeated,
            "ZIGZAG": scalar and item.coding is Coding.ZIGZAG,
            "FIXED": scalar and (item.coding is Coding.FIXED or node.kind in _STRUCTS),
            "GROUP": item.group and node.shape is Shape.MESSAGE and not node.is_map,
            "WRAPS": node.wraps,
        }
        column_node = self._jdk["ColumnNode"]
        return (
            " | ".join(f"{column_node}.{flag}" for flag, is_set in flags.items() if is_set) or "0"
        )

    def _accessor(self, node: Node, unique: Unique) -> Accessor:
        name, doc = unique(lower_camel(node.name)), javadoc(node.field.comment)
        if node.wraps or node.shape is Shape.TEXT:
            view = "Text"
            array = f"{self._jdk['String']}[]" if node.field.type is Kind.STRING else "byte[][]"
        elif node.shape is Shape.MESSAGE:
            view, array = self._classes[node.index], ""
        else:
            view = _COLUMNS.get(node.kind or Kind.INT32, "Int")
            array = f"{_ARRAYS[view]}[]"
        return Accessor(node, name, node.index + 1, view, array, doc)

    def _type(self, node: Node) -> str:
        if node.is_enum:
            return "ENUM"
        kind = node.field.type
        if not isinstance(kind, Kind):
            raise AssertionError(node)
        return _TYPES.get(kind, kind.value.upper())

    def _reduction(self, node: Node) -> str:
        reduction, how = self._jdk["Reduction"], node.reduction
        if how.form is Reduce.ERROR:
            return f"{reduction}.error({how.error!r})"
        return f"{reduction}.{how.form.value.upper()}"

    def _default(self, node: Node) -> str:
        """Return what an element has that leaves the field out of its row, unless it is nothing."""
        value = node.field.default
        if not _is_implicit(node) or (not value and not isinstance(value, float)):
            return ""
        if isinstance(value, str | bytes):
            text = value.encode() if isinstance(value, str) else value
            return f".byDefault({self._holders.literal(Kind.BYTES, text)})"
        bits = int(value)
        if form := _STRUCTS.get(node.kind or Kind.INT32):
            bits = struct.unpack(f"<{form[2]}", struct.pack(form[:2], value))[0]
            bits &= (1 << 8 * node.width) - 1
        bits -= bits >> 63 << 64 if bits > 0 else 0
        return f".byDefault({bits}L)" if bits else ""


def _is_implicit(node: Node) -> bool:
    scalar = node.shape is not Shape.MESSAGE and not node.repeated and not node.optional
    return scalar and node.field.presence is not Presence.REQUIRED
