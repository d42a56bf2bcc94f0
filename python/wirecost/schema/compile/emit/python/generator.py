# SPDX-License-Identifier: Apache-2.0
"""Context of the template of a module."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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

    def context(self, module: Module) -> dict[str, Any]:
        """Ask the module for all names first, so that its imports are complete."""
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
        surface = self.surface(module)
        return surface | {
            "functions": functions,
            "constants": module.constants,
            "empties": self._empties(module, messages),
            "imports": list(module.imports()),
        }

    def surface(self, module: Module) -> dict[str, Any]:
        """Return what users see of a module: all but the codecs' functions."""
        file = module.file
        messages = [self._schema.message(name) for name in module.order]
        return {
            "banner": banner(escape.line_comment, file),
            "doc": escape.docstring(file.comment or f"Messages of {file.name}."),
            "enums": [_enum(module, enum) for enum in file.enums],
            "classes": [self._class(module, message) for message in messages],
            "imports": list(module.imports()),
            "wires": self._request.wires,
            "preserve_unknown": self._request.preserve_unknown,
            "json": bool(messages) and self._request.json,
            "dots": module.dots,
            "comment": escape.comment,
            "doc_of": _field_doc,
        }

    def _functions(self, module: Module, message: Message) -> list[str]:
        keeps = self._request.preserve_unknown
        found = []
        if "protobuf" in self._request.wires:
            found.append(protobuf_writer.Writer(module, message, keeps).function())
            reader = protobuf_reader.Reader(module, message, keeps, self._limits, self._groups)
            found.append(reader.function())
        for plans in self._plans.values():
            writer = sequential_writer.Writer(module, plans, message)
            found.append(writer.function())
            if message.full_name in self._defaulted:
                found.append(writer.default())
            found.append(sequential_reader.Reader(module, plans, message, keeps).function())
        return found

    def _empties(self, module: Module, messages: list[Message]) -> list[tuple[str, str]]:
        """Return messages that stand for absent ones where they are encoded inline."""
        if not self._plans:
            return []
        return [
            (module.private("EMPTY", m.full_name), f"{module.cls(m.full_name)}()")
            for m in messages
            if m.full_name in self._defaulted
        ]

    def _class(self, module: Module, message: Message) -> dict[str, Any]:
        name = message.full_name
        private = {
            f"{verb}_{wire}": module.private(f"{verb}_{wire}", name)
            for wire in self._request.wires
            for verb in (("encode", "decode") if wire == "protobuf" else ("write", "read"))
        }
        return {
            "name": module.cls(name),
            "doc": escape.docstring(message.comment or f"``{name}``.", _INDENT),
            "aliases": self._aliases(module, message),
            "constants": self._constants(module, message),
            "fields": [_field(module, message, item) for item in message.fields],
            "json": self._json(module, message),
            "is_heavy": name in self._limits.heavy,
            "is_group": name in self._groups,
            **{f"more_{wire}": self._more(wire, name) for wire in self._plans},
            **private,
        }

    def _json(self, module: Module, message: Message) -> str:
        if not self._request.json:
            return ""
        return json_tables.table(module, message, self._limits.weight(message.full_name))

    def _more(self, wire: str, name: str) -> str:
        """Return what a reader of the outermost message is given besides."""
        plans = self._plans[wire]
        return ", 0" * (name in plans.deep) + ", [_CONTENTLESS]" * (name in plans.hollow)

    def _aliases(self, module: Module, message: Message) -> list[tuple[str, str]]:
        """Nested declarations under the names the schema gives them."""
        return [
            (names.short_name(d.full_name), module.cls(d.full_name))
            for d in module.file.nested.get(message.full_name, ())
        ]

    def _constants(self, module: Module, message: Message) -> list[dict[str, str]]:
        found = [
            {
                "name": names.identifier(c.name),
                "type": values.scalar(c.type),
                "value": escape.literal(c.value),
                "comment": c.comment,
            }
            for c in message.constants
        ]
        for item in message.fields:
            if values.can_lack(module, message, item) and item.default is not None:
                found.append(
                    {
                        "name": f"{item.name.upper()}_DEFAULT",
                        "type": values.scalar(item.type),
                        "value": values.zero(item),
                        "comment": f"What an absent ``{names.attribute(item)}`` stands for.",
                    }
                )
        return found


def _field(module: Module, message: Message, item: Field) -> dict[str, str]:
    lacking = " | None" if values.can_lack(module, message, item) else ""
    return {
        "name": names.attribute(item),
        "type": values.annotation(module, item) + lacking,
        "initial": values.initial(module, message, item),
        "comment": item.comment,
    }


def _enum(module: Module, enum: Enum) -> dict[str, Any]:
    members = [
        {"name": names.enum_member(v.name), "number": v.number, "comment": v.comment}
        for v in enum.values
    ]
    doc = escape.docstring(enum.comment, _INDENT) if enum.comment else ""
    return {"name": module.cls(enum.full_name), "doc": doc, "members": members}


def _field_doc(comment: str) -> str:
    """Return a docstring below a field, or nothing."""
    return f"{_INDENT}{escape.docstring(comment, _INDENT)}\n" if comment else ""
