# SPDX-License-Identifier: Apache-2.0
"""The program of lists in columns, which are filled and read where they lie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
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
from wirecost.schema.compile.schema import CompileError, Field, Label, Message, MessageRef, Schema

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
    """A list: its columns, and the way to it in the message or element that is written.

    ``holder``: full name of the message that holds it; ``around``: numbers of the messages between.
    """

    index: int
    table: str
    holder: str
    number: int
    around: list[int]
    steps: list[Step]
    nodes: list[NodeAccess]


@dataclass(frozen=True)
class WrittenMessage:
    """A message with lists in columns, or each element of a list that has such lists.

    ``holder``, ``codec``: C++ type and namespace; ``rest``: statements that copy all but the lists
    and ``elements``; ``number``, ``around``, ``steps`` lead to it as to a list.
    """

    index: str
    holder: str
    codec: str
    rest: list[str]
    lists: list[ListAccess]
    elements: list[WrittenMessage]
    number: int
    around: list[int]
    steps: list[Step]

    def all(self) -> Iterator[WrittenMessage]:
        """Yield the messages in it, then itself."""
        for inner in self.elements:
            yield from inner.all()
        yield self


@dataclass(frozen=True)
class ColumnsWay:
    """The fields that lead from a message to a list, and the columns of its elements."""

    index: int
    fields: Sequence[Field]
    root: Root

    @property
    def to_element(self) -> tuple[Field, ...]:
        """Return the fields up to the first other list, none where there is none."""
        for count, field in enumerate(self.fields[:-1], 1):
            if field.label is not Label.SINGLE:
                return (*self.fields[:count],)
        return ()


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
    ways = [
        ColumnsWay(index, fields_along(schema, subject.type, path), roots[type_])
        for index, (path, type_) in enumerate(_told_apart(subject, lists))
    ]
    names = CppNames(schema, ROOT)
    messages = list(_written(schema, names, subject.type, ways).all())
    around = (field for way in ways for field in way.fields[:-1] if field.label is not Label.SINGLE)
    homes = [schema.home(_message_type(field)) for field in around]
    text = rendered(
        "columns.cpp.j2",
        type=subject.type,
        containers_header=str(containers),
        containers=f"{'::'.join(('', ROOT, *containers.parent.parts))}::ColumnContainers",
        codec_headers=sorted({names.header(home, f".{subject.wire}") for home in homes}),
        messages=messages,
        lists=sorted(
            (list_ for message in messages for list_ in message.lists), key=lambda it: it.index
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


def _written(
    schema: Schema,
    names: CppNames,
    type_: str,
    ways: Sequence[ColumnsWay],
    index: str = "0",
    outer: str = "",
    way: Sequence[Field] = (),
) -> WrittenMessage:
    """Return what is written of a message; ``way`` leads to it in the message ``outer``."""
    in_elements: dict[tuple[Field, ...], list[ColumnsWay]] = {}
    for to_list in ways:
        in_elements.setdefault(to_list.to_element, []).append(to_list)
    own = in_elements.pop((), [])
    return WrittenMessage(
        index,
        names.qualified(MessageRef(type_)),
        f"::{names.namespace(schema.home(type_))}::protobuf",
        list(_rest(schema, schema.message(type_), [to.fields for to in ways], "to", "from", 0)),
        [_list(schema, names, type_, to_list) for to_list in own],
        [
            _written(
                schema,
                names,
                _message_type(to_element[-1]),
                [replace(to, fields=to.fields[len(to_element) :]) for to in inner],
                f"{index}_{number}",
                type_,
                to_element,
            )
            for number, (to_element, inner) in enumerate(in_elements.items())
        ],
        way[-1].number if way else 0,
        [field.number for field in way[:-1]],
        _steps(schema, outer, way),
    )


def _message_type(field: Field) -> str:
    assert isinstance(field.type, MessageRef)
    return field.type.name


def _steps(schema: Schema, type_: str, way: Sequence[Field]) -> list[Step]:
    """Return the steps along fields from a message of that type."""
    steps = []
    for field in way:
        steps.append(_step(schema.message(type_), field))
        type_ = _message_type(field)
    return steps


def _list(schema: Schema, names: CppNames, type_: str, way: ColumnsWay) -> ListAccess:
    """Return a list that a message of that type holds, or a single message in it."""
    *around, last = way.fields
    root = way.root
    struct = emitter.struct_names(names, root.file, (root,))[root.message.full_name]
    tokens = emitter.token_names(schema, names, root, struct)
    return ListAccess(
        way.index,
        table=f"::{names.namespace(root.file)}::{struct}",
        holder=_message_type(around[-1]) if around else type_,
        number=last.number,
        around=[field.number for field in around],
        steps=_steps(schema, type_, way.fields),
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
    """Yield statements that copy all of a message but the lists that these ways lead to first."""
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
        elif inner and isinstance(field.type, MessageRef) and field.label is Label.SINGLE:
            inner_source, inner_to = f"{name}_from{depth}", f"{name}_to{depth}"
            yield f"if (const auto* const {inner_source} = there({source}.{name})) {{"
            yield f"    auto& {inner_to} = {to}.{name}.touch();"
            outer = (inner_to, f"(*{inner_source})", depth + 1)
            for line in _rest(schema, schema.message(field.type), inner, *outer):
                yield f"    {line}"
            yield "} else {"
            yield f"    {to}.{name}.reset();"
            yield "}"
