# SPDX-License-Identifier: Apache-2.0
"""A schema of Simple Binary Encoding derived from the user's, and the program of its flyweights.

Messages of numbers that are always there become composites. Every other message, every list and
every map becomes a repeating group, a message that can be absent one of at most one entry; texts
and bytes are data of variable length. What else can be absent has a flag beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path

from wirecost.data.messages.subject import Subject
from wirecost.measure.bench.message.cpp.code import ROOT, rendered
from wirecost.measure.bench.message.cpp.derived import (
    DerivedField,
    derived_fields,
    form,
    struct_messages,
)
from wirecost.schema.compile.emit.cpp.names import CppNames
from wirecost.schema.compile.graph import components
from wirecost.schema.compile.schema import Field, Message, MessageRef, Schema

Texts = dict[str, str]

SCHEMA = "message.sbe.xml"
ARTIFACT = "uk.co.real-logic:sbe-all:1.38.1"
REMEDY = (
    "apt-get install default-jre-headless maven, then "
    f"`mvn dependency:get -Dartifact={ARTIFACT} -Dtransitive=false`"
)
MOST_GROUPS = 500
"""Most groups of a message: each place where a type stands is compiled by itself."""
_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<sbe:messageSchema xmlns:sbe="http://fixprotocol.io/2016/sbe" package="sb" id="1" version="0"
    byteOrder="littleEndian">
<types>
<composite name="messageHeader">
  <type name="blockLength" primitiveType="uint16"/><type name="templateId" primitiveType="uint16"/>
  <type name="schemaId" primitiveType="uint16"/><type name="version" primitiveType="uint16"/>
</composite>
<composite name="groupSizeEncoding">
  <type name="blockLength" primitiveType="uint16"/>
  <type name="numInGroup" primitiveType="uint32" maxValue="2147483647"/>
</composite>
<composite name="varDataEncoding">
  <type name="length" primitiveType="uint32" maxValue="1073741824"/>
  <type name="varData" primitiveType="uint8" length="0"/>
</composite>"""


@dataclass(frozen=True)
class _Flyweight:
    """A message as its functions know it; ``number``: behind the letter of their names."""

    number: int
    is_struct: bool
    holder: str
    fields: list[DerivedField]

    def of(self, *forms: str) -> list[DerivedField]:
        return [field for field in self.fields if field.form in forms]


BLOCK = ("number", "struct")
DATA = ("text", "octets")


def jar() -> Path | None:
    """Return the tool in Maven's local repository, the newest version; None where there is none."""
    group, name, _ = ARTIFACT.split(":")
    folder = Path.home() / ".m2" / "repository" / group.replace(".", "/") / name
    # Beside a version's classes may lie its sources and its documentation, under longer names.
    found = [one for one in folder.glob("*/*.jar") if one.name == f"{name}-{one.parent.name}.jar"]
    return max(found, key=lambda path: _numbers(path.parent.name), default=None)


def _numbers(version: str) -> list[int]:
    return [int(part) if part.isdigit() else 0 for part in version.split(".")]


def inexpressible(schema: Schema, top: str) -> str:
    """Return why a schema has no counterpart, if so."""
    number = components(schema.references)
    for message in schema.messages():
        for held in schema.references[message.full_name]:
            if number[held] == number[message.full_name]:
                return f"{message.full_name} can hold itself, which SBE's groups cannot"

    structs = struct_messages(schema, top)

    @cache
    def groups(name: str) -> int:
        return sum(map(of_field, schema.message(name).fields))

    def of_field(field: Field) -> int:
        if form(field, structs.__contains__) in (*BLOCK, *DATA):
            return 0
        held = (field.value or field).type
        has_groups = isinstance(held, MessageRef) and held.name not in structs
        return 1 + groups(held.name) if has_groups else 1

    if groups(top) > MOST_GROUPS:
        return f"left out: {top} would have {groups(top)} groups, which compile for long"
    return ""


def sbe(subject: Subject) -> Texts:
    """Return the schema, and ``sbe.cpp``."""
    derived = _Derived(subject)
    return {
        SCHEMA: "\n".join(derived.text()) + "\n",
        "sbe.cpp": rendered(
            "sbe.cpp.j2",
            type=subject.type,
            top=derived.name(subject.type)[1:],
            messages=[derived.message(message) for message in derived.ordered],
            composites=[derived.name(name) for name in derived.structs],
        ),
    }


_PRIMITIVES = {"bool": "uint8", "float": "float", "double": "double"}


def _primitive(cpp: str) -> str:
    return _PRIMITIVES.get(cpp) or cpp.removeprefix("std::").removesuffix("_t")


class _Derived:
    def __init__(self, subject: Subject) -> None:
        self._schema, self._top = subject.schema, subject.type
        self._names = CppNames(subject.schema, ROOT)
        self._numbers = {m.full_name: i for i, m in enumerate(subject.schema.messages())}
        self.structs = struct_messages(subject.schema, subject.type)
        self.ordered = subject.schema.inside_out
        self._ids = count(1)

    def name(self, full_name: str) -> str:
        return f"{'S' if full_name in self.structs else 'T'}{self._numbers[full_name]}"

    def _fields(self, message: Message) -> list[DerivedField]:
        return derived_fields(message, self.name, self.structs.__contains__)

    def message(self, message: Message) -> _Flyweight:
        return _Flyweight(
            number=self._numbers[message.full_name],
            is_struct=message.full_name in self.structs,
            holder=self._names.qualified(MessageRef(message.full_name)),
            fields=self._fields(message),
        )

    def text(self) -> Iterator[str]:
        yield _HEAD
        for message in self.ordered:
            if message.full_name in self.structs:
                yield f'<composite name="{self.name(message.full_name)}">'
                for f in self._fields(message):
                    if f.form == "struct":
                        yield f'  <ref name="f{f.place}" type="{f.value}"/>'
                    else:
                        primitive = _primitive(f.type)
                        yield f'  <type name="f{f.place}" primitiveType="{primitive}"/>'
                yield "</composite>"
        yield "</types>"
        yield f'<sbe:message name="Top" id="{next(self._ids)}">'
        yield from self._body(self._top)
        yield "</sbe:message>"
        yield "</sbe:messageSchema>"

    def _body(self, full_name: str, keys: tuple[str, str] = ("", "")) -> Iterator[str]:
        """Yield the members of a level; ``keys``: those before its fields and behind its data."""
        number = self._numbers[full_name]
        fields = self._fields(self._schema.message(full_name))
        yield keys[0]
        for f in fields:
            name = f"m{number}f{f.place}"
            if f.can_lack and f.form != "table":
                yield self._field(f"h{name}", "uint8")
            if f.form in BLOCK:
                yield self._field(name, f.value or _primitive(f.type))
        for f in fields:
            if f.form not in (*BLOCK, *DATA):
                yield self._tag("group", f"m{number}f{f.place}", "groupSizeEncoding")
                yield from self._entries(full_name, f)
                yield "</group>"
        for f in fields:
            if f.form in DATA:
                yield self._data(f"m{number}f{f.place}")
        yield keys[1]

    def _entries(self, full_name: str, f: DerivedField) -> Iterator[str]:
        """Yield the members of an entry of a field's group."""
        field = self._schema.message(full_name).fields[f.place]
        if f.form in ("table", "tables") and isinstance(field.type, MessageRef):
            yield from self._body(field.type.name)
        elif f.key is not None and f.held is not None and field.value is not None:
            is_data = f.key.form in DATA
            key = self._data("k") if is_data else self._field("k", _primitive(f.key.type))
            if f.held.form == "table" and isinstance(field.value.type, MessageRef):
                yield from self._body(field.value.type.name, ("", key) if is_data else (key, ""))
                return
            value = self._data("v")
            if f.held.form in BLOCK:
                value = self._field("v", f.held.value or _primitive(f.held.type))
            yield from (key, value) if not is_data or f.held.form in DATA else (value, key)
        elif f.form in ("texts", "octetss"):
            yield self._data("v")
        else:
            yield self._field("v", f.value or _primitive(f.type))

    def _field(self, name: str, kind: str) -> str:
        return f'<field name="{name}" id="{next(self._ids)}" type="{kind}"/>'

    def _data(self, name: str) -> str:
        return f'<data name="{name}" id="{next(self._ids)}" type="varDataEncoding"/>'

    def _tag(self, tag: str, name: str, kind: str) -> str:
        return f'<{tag} name="{name}" id="{next(self._ids)}" dimensionType="{kind}">'
