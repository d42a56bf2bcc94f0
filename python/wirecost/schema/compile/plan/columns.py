# SPDX-License-Identifier: Apache-2.0
"""``columns``: a message type transposed, as docs/formats/columns.md says.

A ``Root`` is one such type: its fields, nested messages included, as a tree of nodes in depth-first
order. Every emitter prints that tree; the run-time parts work on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from wirecost.schema.compile.plan.column_node import BAND, Band, Node, Shape
from wirecost.schema.compile.plan.reductions import Reduce, Reduction, parse_reduction
from wirecost.schema.compile.schema import (
    CompileError,
    Field,
    File,
    Kind,
    Label,
    Message,
    MessageRef,
    Presence,
    Schema,
)
from wirecost.system.errors import UserError

DEEPEST = 64
"""Greatest depth of messages in a message in columns."""
MOST_NODES = 20_000
"""Fields of such a message, at most; one that two paths lead to counts twice."""


@dataclass(frozen=True)
class ColumnsField:
    """A repeated field of the root's type, and the field beside it that holds the columns."""

    parent: Message
    field: Field

    @property
    def name(self) -> str:
        return f"{self.field.name}_columns"

    @property
    def number(self) -> int:
        return Band.COLUMNS.number(self.field.number)


@dataclass(frozen=True)
class Root:
    """A message type in columns."""

    file: File
    """The source file that declares the message."""
    message: Message
    nodes: tuple[Node, ...]
    columns_fields: tuple[ColumnsField, ...]

    @property
    def name(self) -> str:
        """Name of its struct or class, such as ``LidarSensorViewReflectionColumns``."""
        return self.file.local_name(self.message.full_name).replace(".", "") + "Columns"

    def fixed(self, node: Node) -> int:
        """Return values and messages that a row has of a fixed array, even one without columns."""
        if node.field.label is not Label.ARRAY:
            return 0
        inner = sum(1 + self.fixed(child) for child in self.children(node))
        return (node.field.capacity or 0) * (1 + inner)

    @cached_property
    def oneofs(self) -> dict[tuple[int | None, str], int]:
        """A number for each oneof of each message, by that message's node and the oneof's name."""
        numbers: dict[tuple[int | None, str], int] = {}
        for node in self.nodes:
            if node.field.oneof is not None:
                numbers.setdefault((node.parent, node.field.oneof), len(numbers))
        return numbers

    def children(self, node: Node | None) -> Iterator[Node]:
        """Yield the fields of a message node, or of the root, in the order of their numbers."""
        parent = None if node is None else node.index
        start, end = (0, len(self.nodes)) if node is None else (node.index + 1, node.end)
        while start < end:
            child = self.nodes[start]
            if child.parent != parent:
                raise AssertionError(child)
            yield child
            start = child.end


def plan(schema: Schema, names: Sequence[str], reductions: Sequence[str] = ()) -> tuple[Root, ...]:
    """Return the roots for ``--columns`` and ``--reduce``.

    ``names``: messages by full name. ``reductions``: ``[<message>.]<field>[.<field>]=<how>``, how
    one of exact, auto, float32, error:<largest error>; the field may be ``*``. Raises UserError or
    CompileError.
    """
    messages = [_message(schema, name) for name in dict.fromkeys(names)]
    roots = [
        Root(
            schema.home(m.full_name), m, _Tree(schema, m).nodes(), tuple(_columns_fields(schema, m))
        )
        for m in messages
    ]
    for text in reductions:
        roots = _reduced(roots, text)
    return tuple(roots)


def _message(schema: Schema, name: str) -> Message:
    for message in schema.messages():
        if message.full_name == name:
            return message
    last = name.rpartition(".")[2]
    near = [m.full_name for m in schema.messages() if m.full_name.rpartition(".")[2] == last]
    hint = f"did you mean {' or '.join(near[:3])}" if near else "give its full name"
    raise UserError(f"--columns {name}: error: no such message in the schema; {hint}")


def _columns_fields(schema: Schema, message: Message) -> Iterator[ColumnsField]:
    for parent in schema.messages():
        for item in parent.fields:
            if item.label is Label.REPEATED and item.type == MessageRef(message.full_name):
                yield ColumnsField(parent, item)


class _Tree:
    """Nodes mirror the nesting of messages: a message has nodes at each place that holds it."""

    def __init__(self, schema: Schema, root: Message) -> None:
        self._schema = schema
        self._root = root
        self._nodes: list[Node] = []

    def nodes(self) -> tuple[Node, ...]:
        self._fields(self._root, None, (), (self._root.full_name,))
        return tuple(self._nodes)

    def _fields(
        self, message: Message, parent: int | None, path: tuple[str, ...], around: tuple[str, ...]
    ) -> None:
        for item in sorted(message.fields, key=lambda f: f.number):
            if item.number >= BAND:
                raise CompileError(
                    item.origin,
                    f"field {item.name} has number {item.number}; columns need numbers below "
                    f"{BAND}",
                    "take the message out of --columns",
                )
            self._field(item, parent, (*path, item.name), around)

    def _field(
        self, item: Field, parent: int | None, path: tuple[str, ...], around: tuple[str, ...]
    ) -> None:
        index = len(self._nodes)
        self._refuse_too_much(item, path)
        node = Node(index, index, parent, path, item)
        self._nodes.append(node)
        if item.label is Label.MAP and item.key and item.value:
            for part in (item.key, item.value):
                at = len(self._nodes)
                self._field(part, index, (*path, part.name), around)
                self._nodes[at] = replace(self._nodes[at], in_entry=True)
        elif isinstance(item.type, MessageRef):
            name = item.type.name
            if name in around:
                raise CompileError(
                    item.origin,
                    f"{name} contains itself by {'.'.join(path)}, so it has no columns",
                    "take the message out of --columns",
                )
            self._fields(self._schema.message(name), index, path, (*around, name))
        elif node.wraps:
            text = replace(
                item,
                name="value",
                number=1,
                label=Label.SINGLE,
                presence=Presence.IMPLICIT,
                capacity=None,
            )
            self._field(text, index, (*path, "value"), around)
        self._nodes[index] = replace(node, end=len(self._nodes))

    def _refuse_too_much(self, item: Field, path: tuple[str, ...]) -> None:
        for has, most, what in (
            (len(path), DEEPEST, "messages, one inside the other"),
            (len(self._nodes) + 1, MOST_NODES, "fields, those of nested messages included"),
        ):
            if has > most:
                raise CompileError(
                    item.origin,
                    f"{self._root.full_name} has more than {most} {what}, too much for columns",
                    "take the message out of --columns",
                )


def _reduced(roots: list[Root], text: str) -> list[Root]:
    where, _, how = text.rpartition("=")
    try:
        reduction = parse_reduction(how)
    except ValueError:
        raise UserError(
            f"--reduce {text}: error: {how!r} is not a reduction; give exact, auto, float32 or "
            "error:<largest error>"
        ) from None
    changed = [_reduced_root(root, where, reduction) for root in roots]
    if not any(count for _, count in changed):
        raise UserError(
            f"--reduce {text}: error: no column {where!r} that can be stored in this form; "
            f"{_columns_hint(roots)}"
        )
    return [root for root, _ in changed]


def _reduced_root(root: Root, where: str, reduction: Reduction) -> tuple[Root, int]:
    nodes = list(root.nodes)
    count = 0
    for node in root.nodes:
        names = (node.dotted, f"{root.message.full_name}.{node.dotted}")
        chosen = where in names or where in ("*", f"{root.message.full_name}.*")
        if chosen and can_reduce(node, reduction):
            nodes[node.index] = replace(node, reduction=reduction)
            count += 1
    return replace(root, nodes=tuple(nodes)), count


def can_reduce(node: Node, reduction: Reduction) -> bool:
    """Return whether a reduction makes sense for a node."""
    if reduction.form is Reduce.FLOAT32:
        return node.kind is Kind.FLOAT64
    if reduction.form is Reduce.ERROR:
        return node.kind in (Kind.FLOAT64, Kind.FLOAT32)
    return node.shape is not Shape.MESSAGE


def _columns_hint(roots: Sequence[Root]) -> str:
    names = [n.dotted for root in roots for n in root.nodes if n.shape is Shape.SCALAR]
    return f"there are {', '.join(names[:12])}{' …' if len(names) > 12 else ''}"
