# SPDX-License-Identifier: Apache-2.0
"""A schema of Zserio derived from the user's, and its classes in Python, made by its compiler.

Names are numbers, so that none is a word of Zserio or of Python. What can be absent is optional,
also the members of a oneof: a union could not hold the message that it is in. Entries of maps are
structures.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from wirecost.data.messages.shapes import is_list, is_octets
from wirecost.data.messages.subject import Subject
from wirecost.measure.bench.message.cpp.tools import ran
from wirecost.measure.bench.message.python.zserio_library import (
    NAME,
    PACKAGE,
    entry_names,
    numbered,
)
from wirecost.schema.compile.graph import components
from wirecost.schema.compile.schema import EnumRef, Field, Kind, Label, Message, MessageRef, Schema

_TYPES = {
    **{kind: kind.value for kind in Kind},
    Kind.FLOAT32: "float32",
    Kind.FLOAT64: "float64",
}
"""Types in a schema of Zserio: nearly all have our names."""


def generate(subject: Subject, folder: Path) -> str:
    """Generate the classes below ``folder/python``; return why there are none, if so."""
    if find_spec(NAME) is None:
        return f"pip install {NAME}"
    homes = (f"{home}/bin" for home in (os.environ.get("JAVA_HOME"),) if home)
    if shutil.which("java", path=next(homes, None)) is None:
        return "its compiler needs Java: apt-get install default-jre-headless"
    if refused := inexpressible(subject.schema):
        return refused
    source = folder / f"{PACKAGE}.zs"
    source.write_text("\n".join(text(subject.schema)) + "\n", encoding="utf-8")
    options = ("-src", str(folder), source.name, "-python", str(folder / "python"))
    complaint = ran([sys.executable, "-P", "-m", NAME, *options])
    return f"{NAME}: {complaint}" if complaint else ""


def inexpressible(schema: Schema) -> str:
    """Return why a schema has no counterpart: Zserio's types hold themselves directly or not."""
    number = components(schema.references)
    for message in schema.messages():
        for field in message.fields:
            held = field.value or field
            if not isinstance(held.type, MessageRef):
                continue
            is_within = number[held.type.name] == number[message.full_name]
            if is_within and (held.type.name != message.full_name or field.label is Label.MAP):
                return (
                    f"{message.full_name}.{field.name} holds {message.full_name} again by way of "
                    "another type, which Zserio refuses"
                )
    return ""


def text(schema: Schema) -> Iterator[str]:
    """Yield the schema's lines."""
    names, entries = numbered(schema), entry_names(schema)
    yield f"package {PACKAGE};"
    for message in schema.messages():
        for place, field in enumerate(message.fields):
            if field.key is not None and field.value is not None:
                key, value = _single(field.key, names), _single(field.value, names)
                name = entries[message.full_name, place]
                yield f"struct {name} {{ {key} k; {value} v; }};"
        yield f"struct {names[message.full_name]} {{"
        for place, field in enumerate(message.fields):
            yield f"    {_declared(message, place, field, names, entries)};"
        yield "};"


def _declared(
    message: Message,
    place: int,
    field: Field,
    names: dict[str, str],
    entries: dict[tuple[str, int], str],
) -> str:
    if field.label is Label.MAP:
        return f"{entries[message.full_name, place]} f{place}[]"
    if is_octets(field):
        return f"bytes f{place}"
    single = f"{_single(field, names)} f{place}"
    if is_list(field):
        return f"{single}[]"
    can_lack = field.is_optional or field.oneof is not None
    return f"optional {single}" if can_lack else single


def _single(field: Field, names: dict[str, str]) -> str:
    if isinstance(field.type, MessageRef):
        return names[field.type.name]
    # A number that an enum does not declare stays what it is.
    return "int32" if isinstance(field.type, EnumRef) else _TYPES[field.type]
