# SPDX-License-Identifier: Apache-2.0
"""C++ names and types of what a schema declares."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path

from wirecost.schema.compile.emit import location, runtime
from wirecost.schema.compile.emit.escape import cpp as escape
from wirecost.schema.compile.schema import (
    Enum,
    EnumRef,
    Field,
    File,
    Kind,
    Label,
    Message,
    MessageRef,
    Schema,
    Type,
    Value,
)

_HERE = Path(__file__).parent
KEYWORDS = frozenset((_HERE / "reserved.txt").read_text().split())
_RESERVED = KEYWORDS | frozenset((_HERE / "macros.txt").read_text().split())
"""C++'s keywords, and macros of its and the system's headers."""
_IMPLEMENTATION = re.compile("_[A-Z_]")
"""Beginnings of names that compilers and their libraries keep for themselves."""
_SCOPES = frozenset({"json_codecs", "json_types", "std", "wirecost"})
_JINJA = re.compile(r"\{([{%#]).*?[}%#]\}", re.S)
_TYPES = frozenset(
    re.findall(
        r"\w+",
        """Byte Coding Fields Limits Of Payloads Reading Reason cdr columns detail protobuf ros1 std
        from_json json_codecs json_types to_json wirecost""",
    )
) | frozenset(
    word
    for text in (
        *(
            path.read_text()
            for path in (_HERE / "templates").rglob("*.j2")
            if not path.name.startswith("json")  # whose names are all written in full
        ),
        *runtime.texts("cpp/wirecost", "support*.hpp").values(),
    )
    for word in re.findall(r"\b[a-z]\w*", _JINJA.sub(" ", text))
)
"""Functions that generated code calls without a namespace, and its variables."""
_MEMBERS = frozenset(
    re.findall(
        r"\w+",
        """AppendToString ByteSizeLong Clear CopyFrom Fields IsInitialized MergeFrom ParseFromArray
        ParseFromString SerializeAsString SerializeToArray SerializeToString Swap clear
        default_instance fields_ unknown_fields wirecost_fields wirecost_present""",
    )
) | frozenset(re.findall(r"\b[A-Z]\w*(?=\()", runtime.text("cpp/wirecost/api/message.hpp")))
"""Members of every holder or class."""

SCALARS = {kind: f"std::{kind.value}_t" for kind in Kind} | {
    Kind.BOOL: "bool",
    Kind.FLOAT32: "float",
    Kind.FLOAT64: "double",
    Kind.STRING: "wirecost::String",
    Kind.BYTES: "wirecost::String",
}


def identifier(name: str) -> str:
    """Return a name that C++ and its headers leave free; different names stay different."""
    is_reserved = name.rstrip("_") in _RESERVED or _IMPLEMENTATION.match(name)
    return f"{name}_" if is_reserved else name


def member(item: Field) -> str:
    return f"{item.name}_" if item.name.rstrip("_") in _MEMBERS else identifier(item.name)


def scope(name: str) -> str:
    """Return the same for a namespace, which could hide those that generated code names."""
    return f"{name}_" if name.rstrip("_") in _SCOPES else identifier(name)


def type_name(name: str) -> str:
    """Return the same for a type or a value beside types."""
    return f"{name}_" if name.rstrip("_") in _TYPES else identifier(name)


WITHOUT_PACKAGE = "protobuf_api"
"""Namespace of our classes with Protobuf's interface where a file has no package."""


@dataclass(frozen=True)
class NamedType:
    """A name and its C++ type."""

    name: str
    type: str


class CppNames:
    """Names within one schema and root namespace."""

    def __init__(
        self,
        schema: Schema,
        root: str,
        codec: str = "{wire}::detail",
        text: str | None = None,
        recycling: bool = True,
    ) -> None:
        """Name the declarations of a schema, in namespaces below ``root``.

        ``codec``: namespace of the functions that read and write, within a file's. ``text``: type
        of strings and bytes, if not ours. ``recycling``: threads keep small blocks.
        """
        self._memory = "" if recycling else "Plain"
        self._text = text or f"wirecost::{self._memory}String"
        self._schema = schema
        self._root = root
        self._codec = codec
        self._here: File | None = None
        self._hidden: set[str] = set()
        self._plain: dict[str, str] = {}

    def inside(self, file: File) -> None:
        """Write names from now on as code in this file's namespace sees them."""
        self._here = file
        self._hidden = {member(f) for m in file.messages for f in m.fields}
        self._hidden |= {part for m in file.messages for part in m.full_name.split(".")[:-1]}
        nested = (declared for inner in file.nested.values() for declared in inner)
        self._hidden |= {type_name(n.full_name.rpartition(".")[2]) for n in nested}

    def namespace(self, file: File) -> str:
        parts = [self._root, *(scope(p) for p in file.package.split("."))]
        return "::".join(part for part in parts if part) or WITHOUT_PACKAGE

    def header(self, file: File, suffix: str = "") -> str:
        return f"{location(file)}{suffix}.hpp"

    def plain(self, declared: Message | Enum) -> str:
        """Return the name in its namespace; nested types are flattened: ``Outer_Inner``."""
        name = self._plain.get(declared.full_name)
        if name is None:
            local = self._schema.home(declared.full_name).local_name(declared.full_name)
            name = type_name(local.replace(".", "_"))
            if isinstance(declared, Message):  # of which no member may have the name
                members = {*map(member, declared.fields), *map(identifier, declared.oneofs)}
                while name in members:
                    name += "_"
            self._plain[declared.full_name] = name
        return name

    def qualified(self, reference: MessageRef | EnumRef) -> str:
        """Return a type's name; with its namespace unless the file at hand shares it."""
        home = self._schema.home(reference.name)
        name = self.plain(
            self._schema.message(reference)
            if isinstance(reference, MessageRef)
            else self._schema.enum(reference)
        )
        if self._sees(home) and name not in self._hidden:
            return name
        return f"::{self.namespace(home)}::{name}"

    def codec(self, reference: MessageRef, wire: str) -> str:
        """Return what stands before the functions that read and write a message."""
        home = self._schema.home(reference.name)
        inner = self._codec.format(wire=wire)
        return "" if self._sees(home) else f"::{self.namespace(home)}::{inner}::"

    def _sees(self, home: File) -> bool:
        return self._here is not None and home.package == self._here.package

    def view(self, reference: MessageRef, wire: str) -> str:
        home = self._schema.home(reference.name)
        name = f"{self.plain(self._schema.message(reference))}View"
        return name if self._sees(home) else f"::{self.namespace(home)}::{wire}::{name}"

    def value(self, type_: Type) -> str:
        """Return the type of one value."""
        if not isinstance(type_, Kind):
            return self.qualified(type_)
        return self._text if type_.is_text else SCALARS[type_]

    def holder(self, message: Message, item: Field) -> str:
        """Return the type of the data member that holds a field (not of a oneof's members)."""
        value = self.value(item.type) if item.label is not Label.MAP else ""
        if item.label is Label.MAP and item.key is not None and item.value is not None:
            entry = f"{self.value(item.key.type)}, {self.value(item.value.type)}"
            return f"wirecost::{self._memory}Map<{entry}>"
        if item.label is Label.ARRAY:
            return f"std::array<{value}, {item.capacity}>"
        if item.label is Label.REPEATED:
            return f"{self._sequence(item.type)}<{self.element(item.type)}>"
        if self._schema.recursive(message, item):
            return f"wirecost::Box<{value}>"
        return f"wirecost::Optional<{value}>" if item.is_optional else value

    def element(self, type_: Type) -> str:
        """Return the type of a repeated field's elements; bool takes a byte, unlike in vectors."""
        return "std::uint8_t" if type_ is Kind.BOOL else self.value(type_)

    def _sequence(self, type_: Type) -> str:
        keeps = isinstance(type_, MessageRef) or (isinstance(type_, Kind) and type_.is_text)
        return f"wirecost::{self._memory}Sequence" if keeps else "std::vector"

    def alternatives(self, message: Message, oneof: str) -> list[tuple[Field, str]]:
        """Return members of a oneof and their types in its std::variant, from index 1 on."""
        return [
            (
                f,
                f"wirecost::Box<{self.value(f.type)}>"
                if self._schema.recursive(message, f)
                else self.value(f.type),
            )
            for f in message.members[oneof]
        ]

    def literal(self, type_: Type, value: Value | None) -> str:
        """Return a default as a C++ expression."""
        if isinstance(type_, EnumRef):
            return f"static_cast<{self.value(type_)}>({int(value or 0)})"
        if not isinstance(type_, Kind):
            return f"{self.value(type_)}{{}}"
        if type_.is_text:
            return escape.literal(value if isinstance(value, (str, bytes)) else b"")
        if type_ is Kind.BOOL:
            return "true" if value else "false"
        if type_ in (Kind.FLOAT32, Kind.FLOAT64):
            return float_literal(SCALARS[type_], 0.0 if value is None else float(value))
        return integer_literal(SCALARS[type_], int(value or 0))


def integer_literal(type_: str, value: int) -> str:
    if value == -(2**63):
        return "std::numeric_limits<std::int64_t>::min()"
    suffix = "U" if type_.startswith("std::u") else ""
    wide = "L" if abs(value) > 2**31 - 1 else ""
    return f"{value}{suffix}{wide}"


def float_literal(type_: str, value: float) -> str:
    if math.isnan(value):
        return f"std::numeric_limits<{type_}>::quiet_NaN()"
    if math.isinf(value):
        sign = "-" if value < 0 else ""
        return f"{sign}std::numeric_limits<{type_}>::infinity()"
    return f"{value!r}F" if type_ == "float" else repr(value)
