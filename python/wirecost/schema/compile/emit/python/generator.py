# SPDX-License-Identifier: Apache-2.0
"""Context of the template of a module."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wirecost.schema.compile.emit import Request, banner
from wirecost.schema.compile.emit.escape import python as escape
from wirecost.schema.compile.emit.python import (
    json_tables,
    names,
    protobuf_reader,
    protobuf_writer,
    sequential_reader,
    sequential_writer,
    values,
)
from wirecost.schema.compile.emit.python.limits import Limits
from wirecost.schema.compile.emit.python.module import Module, defaulted_messages
from wirecost.schema.compile.emit.python.sequential import Plans
from wirecost.schema.compile.emit.templates import Templates
from wirecost.schema.compile.plan.wires import SEQUENTIAL
from wirecost.schema.compile.schema import Enum, Field, Message, Schema

TEMPLATES = Templates(Path(__file__).parent / "templates", empty_lines=2)
_SHARED = "FAULTS WireError Buffer as_bytes decode_error encode_error"
_SEQUENTIAL = "as_view end_error gathered new place"
_INDENT = "    "


@dataclass(frozen=True)
class PythonField:
    """An attribute of a class, with the expressions of its type and first value."""

    name: str
    type: str
    initial: str
    comment: str


@dataclass(frozen=True)
class PythonConstant:
    """A class variable."""

    name: str
    type: str
    value: str
    comment: str


@dataclass(frozen=True)
class PythonEnumMember:
    """A member of an enum."""

    name: str
    number: int
    comment: str


@dataclass(frozen=True)
class PythonEnum:
    """An enum; ``doc``: its docstring, empty where it has none."""

    name: str
    doc: str
    members: list[PythonEnumMember]


@dataclass(frozen=True)
class PythonCodec:
    """Names of the functions of a class on one wire."""

    write: str
    read: str
    more: str
    """Further arguments of the reader of the outermost message."""


@dataclass(frozen=True)
class PythonClass:
    """A message as a class."""

    name: str
    doc: str
    aliases: list[tuple[str, str]]
    """Nested declarations under the names that the schema gives them, and their own names."""
    constants: list[PythonConstant]
    fields: list[PythonField]
    json: str
    """Expression of the table by which it becomes JSON."""
    is_heavy: bool
    is_group: bool
    codecs: dict[str, PythonCodec]


@dataclass(frozen=True)
class ModuleSurface:
    """Module without the codecs' functions, as users see it."""

    banner: str
    doc: str
    enums: list[PythonEnum]
    classes: list[PythonClass]
    wires: tuple[str, ...]
    preserve_unknown: bool
    json: bool
    dots: str
    comment: Callable[[str, str], str]
    doc_of: Callable[[str], str]


@dataclass(frozen=True)
class ModuleCode(ModuleSurface):
    """A module with the codecs' functions, and the names that these use."""

    functions: list[str]
    constants: list[tuple[str, str]]
    empties: list[tuple[str, str]]


class Generator:
    """Contexts of all modules of one schema."""

    def __init__(self, schema: Schema, request: Request) -> None:
        self._schema, self._request = schema, request
        self._limits = Limits(schema)
        self._defaulted = defaulted_messages(schema)
        self._groups = frozenset(
            f.type.name
            for m in schema.messages()
            for f in m.fields
            if f.group and not isinstance(f.type, str)
        )
        self._plans = {
            wire: Plans(schema, SEQUENTIAL[wire], self._limits.deep)
            for wire in request.wires
            if wire in SEQUENTIAL
        }

    def code(self, module: Module) -> ModuleCode:
        """Return the module, which knows its imports then."""
        for name in f"{_SHARED} {_SEQUENTIAL if self._plans else ''}".split():
            module.support(name)
        if "protobuf" in self._request.wires:
            module.support("budget")
        if "cdr" in self._plans:
            module.support("CDR_HEADER")
            module.support("read_cdr_header")
        if any(not plans.hollow.isdisjoint(module.order) for plans in self._plans.values()):
            module.support("CONTENTLESS")
        messages = [self._schema.message(name) for name in module.order]
        functions = [text for message in messages for text in self._functions(module, message)]
        return ModuleCode(
            **vars(self.surface(module)),
            functions=functions,
            constants=module.constants,
            empties=self._empties(module, messages),
        )

    def surface(self, module: Module) -> ModuleSurface:
        file = module.file
        messages = [self._schema.message(name) for name in module.order]
        return ModuleSurface(
            banner=banner(escape.line_comment, file),
            doc=escape.docstring(file.comment or f"Messages of {file.name}."),
            enums=[_enum(module, enum) for enum in file.enums],
            classes=[self._class(module, message) for message in messages],
            wires=self._request.wires,
            preserve_unknown=self._request.preserve_unknown,
            json=bool(messages) and self._request.json,
            dots=module.dots,
            comment=escape.comment,
            doc_of=_field_doc,
        )

    def _functions(self, module: Module, message: Message) -> list[str]:
        keeps = self._request.preserve_unknown
        functions = []
        if "protobuf" in self._request.wires:
            functions.append(protobuf_writer.ProtobufWriter(module, message, keeps).function())
            reader = protobuf_reader.ProtobufReader(
                module, message, keeps, self._limits, self._groups
            )
            functions.append(reader.function())
        for plans in self._plans.values():
            writer = sequential_writer.SequentialWriter(module, plans, message)
            functions.append(writer.function())
            if message.full_name in self._defaulted:
                functions.append(writer.default())
            reads = sequential_reader.SequentialReader(module, plans, message, keeps)
            functions.append(reads.function())
        return functions

    def _empties(self, module: Module, messages: list[Message]) -> list[tuple[str, str]]:
        """Return messages that stand for absent ones where they are encoded inline."""
        if not self._plans:
            return []
        return [
            (module.private("EMPTY", m.full_name), f"{module.cls(m.full_name)}()")
            for m in messages
            if m.full_name in self._defaulted
        ]

    def _class(self, module: Module, message: Message) -> PythonClass:
        name = message.full_name
        codecs = {wire: self._codec(module, wire, name) for wire in self._request.wires}
        return PythonClass(
            name=module.cls(name),
            doc=escape.docstring(message.comment or f"``{name}``.", _INDENT),
            aliases=self._aliases(module, message),
            constants=self._constants(module, message),
            fields=[_field(module, message, item) for item in message.fields],
            json=self._json(module, message),
            is_heavy=name in self._limits.heavy,
            is_group=name in self._groups,
            codecs=codecs,
        )

    def _codec(self, module: Module, wire: str, name: str) -> PythonCodec:
        write, read = ("encode", "decode") if wire == "protobuf" else ("write", "read")
        return PythonCodec(
            module.private(f"{write}_{wire}", name),
            module.private(f"{read}_{wire}", name),
            self._more(wire, name) if wire in self._plans else "",
        )

    def _json(self, module: Module, message: Message) -> str:
        if not self._request.json:
            return ""
        return json_tables.table(module, message, self._limits.weight(message.full_name))

    def _more(self, wire: str, name: str) -> str:
        plans = self._plans[wire]
        return ", 0" * (name in plans.deep) + ", [_CONTENTLESS]" * (name in plans.hollow)

    def _aliases(self, module: Module, message: Message) -> list[tuple[str, str]]:
        return [
            (names.short_name(d.full_name), module.cls(d.full_name))
            for d in module.file.nested.get(message.full_name, ())
        ]

    def _constants(self, module: Module, message: Message) -> list[PythonConstant]:
        constants = [
            PythonConstant(
                names.identifier(constant.name),
                values.scalar(constant.type),
                escape.literal(constant.value),
                constant.comment,
            )
            for constant in message.constants
        ]
        constants += [
            PythonConstant(
                f"{item.name.upper()}_DEFAULT",
                values.scalar(item.type),
                values.zero(item),
                f"What an absent ``{names.attribute(item)}`` stands for.",
            )
            for item in message.fields
            if values.can_lack(module, message, item) and item.default is not None
        ]
        return constants


def _field(module: Module, message: Message, item: Field) -> PythonField:
    lacking = " | None" if values.can_lack(module, message, item) else ""
    return PythonField(
        names.attribute(item),
        values.annotation(module, item) + lacking,
        values.initial(module, message, item),
        item.comment,
    )


def _enum(module: Module, enum: Enum) -> PythonEnum:
    members = [
        PythonEnumMember(names.enum_member(v.name), v.number, v.comment) for v in enum.values
    ]
    doc = escape.docstring(enum.comment, _INDENT) if enum.comment else ""
    return PythonEnum(module.cls(enum.full_name), doc, members)


def _field_doc(comment: str) -> str:
    """Return a docstring below a field, or nothing."""
    return f"{_INDENT}{escape.docstring(comment, _INDENT)}\n" if comment else ""
