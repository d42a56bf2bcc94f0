# SPDX-License-Identifier: Apache-2.0
"""The program of lists in columns, which are filled and read where they lie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from wirecost.data.messages.fields import fields_along
from wirecost.data.messages.subject import Subject
from wirecost.measure.serializers.choices import COLUMNS
from wirecost.measure.serializers.cpp.code import TEMPLATES, rendered
from wirecost.measure.serializers.cpp.source import ProgramSource
from wirecost.schema.compile.compiler import Columns, emitted, write
from wirecost.schema.compile.emit import Request
from wirecost.schema.compile.emit.cpp import columns as emitter
from wirecost.schema.compile.emit.cpp.names import CppNames, identifier, member
from wirecost.schema.compile.plan.column_node import Node
from wirecost.schema.compile.plan.columns import Root, plan
from wirecost.schema.compile.schema import CompileError, Field, Message, MessageRef, Schema

HEADER = "in_columns.hpp"
ROOT = "wire"


@dataclass(frozen=True)
class Step:
    """Expression of a field of the message ``m``; ``is_choice``: it is a pointer."""

    expression: str
    is_choice: bool = False


@dataclass(frozen=True)
class NodeAccess:
    """A field of the elements: its token, the lists between, and the way in the innermost one."""

    token: str
    lists: list[list[Step]]
    steps: list[Step]


@dataclass(frozen=True)
class ListAccess:
    """A list: its columns, the way to it in a message, and the numbers of the fields around it."""

    table: str
    holder: str
    """Full name of the message that holds it."""
    number: int
    around: list[int]
    steps: list[Step]
    nodes: list[NodeAccess]


def generate(
    lists: Sequence[tuple[str, str]], subject: Subject, folder: Path
) -> ProgramSource | str:
    """Write the program and what it includes into a folder, or return why there is none.

    ``lists``: paths of lists in the message, and the types of their elements.
    """
    schema = subject.schema
    types = tuple(dict.fromkeys(type_ for _, type_ in lists))
    generated = folder / "columns"
    request = Request(("protobuf",), recycling=False)
    try:
        roots = {root.message.full_name: root for root in plan(schema, types)}
        write(emitted(schema, ("cpp",), request, Columns(types, ("*=auto",))), generated)
    except CompileError as error:
        return str(error)
    headers = sorted((generated / "cpp").rglob("columns_containers.hpp"))
    containers = PurePosixPath(headers[0].relative_to(generated / "cpp"))
    apart = _told_apart(subject, lists)
    ways = {path: fields_along(schema, subject.type, path) for path, _ in apart}
    names = CppNames(schema, ROOT)
    text = rendered(
        "columns.cpp.j2",
        type=subject.type,
        containers_header=str(containers),
        containers=f"{'::'.join(('', ROOT, *containers.parent.parts))}::ColumnContainers",
        lists=[
            _list(schema, names, subject.type, ways[path], roots[type_]) for path, type_ in apart
        ],
        rest=list(
            _rest(schema, schema.message(subject.type), list(ways.values()), "to", "from", 0)
        ),
    )
    (folder / f"{COLUMNS}.cpp").write_text(text, encoding="utf-8")
    (folder / HEADER).write_text((TEMPLATES / HEADER).read_text(encoding="utf-8"), encoding="utf-8")
    return ProgramSource(COLUMNS, (f"{COLUMNS}.cpp",), include=("columns/cpp",))


def _told_apart(subject: Subject, lists: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the lists without those that are the same field of a message as one before.

    A reader finds columns by the message that holds them.
    """
    distinct: dict[tuple[str, int], tuple[str, str]] = {}
    for path, type_ in lists:
        *around, last = fields_along(subject.schema, subject.type, path)
        inner = around[-1].type if around else MessageRef(subject.type)
        assert isinstance(inner, MessageRef)
        distinct.setdefault((inner.name, last.number), (path, type_))
    return list(distinct.values())


def _list(
    schema: Schema, names: CppNames, top: str, way: Sequence[Field], root: Root
) -> ListAccess:
    *around, last = way
    holders = [top, *(field.type.name for field in around if isinstance(field.type, MessageRef))]
    messages = [schema.message(name) for name in holders]
    struct = emitter.struct_names(names, root.file, (root,))[root.message.full_name]
    tokens = emitter.token_names(schema, names, root, struct)
    return ListAccess(
        table=f"::{names.namespace(root.file)}::{struct}",
        holder=holders[-1],
        number=last.number,
        around=[field.number for field in around],
        steps=[_step(message, field) for message, field in zip(messages, way, strict=True)],
        nodes=[
            NodeAccess(tokens[node.index], *_way(schema, root, node))
            for node in root.nodes
            if node.parent is None or not root.nodes[node.parent].wraps
        ],
    )


def _way(schema: Schema, root: Root, node: Node) -> tuple[list[list[Step]], list[Step]]:
    """Return the lists from the outermost one to a node, and its way in their elements."""
    lists: list[list[Step]] = []
    steps: list[Step] = []
    for place in (*reversed(list(_around(root, node))), node):
        outer = None if place.parent is None else root.nodes[place.parent]
        steps.append(_step(_message(schema, root, outer), place.field))
        if place is not node and place.repeated:
            lists.append(steps)
            steps = []
    return lists, steps


def _around(root: Root, node: Node) -> Iterator[Node]:
    """Yield the message nodes around one, from the inside."""
    while node.parent is not None:
        node = root.nodes[node.parent]
        yield node


def _message(schema: Schema, root: Root, node: Node | None) -> Message | None:
    """Return the type of a message node, or of the elements; None for the entries of a map."""
    if node is None:
        return root.message
    if node.is_map or not isinstance(node.field.type, MessageRef):
        return None
    return schema.message(node.field.type)


def _step(message: Message | None, field: Field) -> Step:
    if message is None:
        return Step(f"m.{field.name}")
    if field.oneof is not None:
        index = message.choices[field.name]
        return Step(f"std::get_if<{index}>(&m.{identifier(field.oneof)})", is_choice=True)
    return Step(f"m.{member(field)}")


def _rest(
    schema: Schema,
    message: Message,
    ways: Sequence[Sequence[Field]],
    to: str,
    source: str,
    depth: int,
) -> Iterator[str]:
    """Yield statements that copy all of a message but the lists that these ways lead to."""
    leading = {way[0].name: way[0] for way in ways}
    for oneof in message.oneofs:
        yield f"{to}.{identifier(oneof)} = {source}.{identifier(oneof)};"
    for field in message.fields:
        if field.oneof is not None:
            continue
        name = member(field)
        inner = [way[1:] for way in ways if way[0].name == field.name and len(way) > 1]
        if field.name not in leading:
            yield f"{to}.{name} = {source}.{name};"
        elif inner and isinstance(field.type, MessageRef):
            inner_source, inner_to = f"{name}_from{depth}", f"{name}_to{depth}"
            yield f"if (const auto* const {inner_source} = there({source}.{name})) {{"
            yield f"    auto& {inner_to} = {to}.{name}.touch();"
            outer = (inner_to, f"(*{inner_source})", depth + 1)
            for line in _rest(schema, schema.message(field.type), inner, *outer):
                yield f"    {line}"
            yield "} else {"
            yield f"    {to}.{name}.reset();"
            yield "}"
