# SPDX-License-Identifier: Apache-2.0
"""The source text of a message's programs: what the templates here print for its schema."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from wirecost.bench.message.subject import Subject
from wirecost.compile.emit.cpp.api import camel
from wirecost.compile.emit.cpp.api_names import ApiNames
from wirecost.compile.emit.cpp.names import KEYWORDS, Names, identifier, member
from wirecost.compile.emit.cpp.order import is_plain
from wirecost.compile.emit.cpp.presence import can_be_absent
from wirecost.compile.emit.templates import tidy
from wirecost.compile.schema import (
    EnumRef,
    Field,
    Kind,
    Label,
    Message,
    MessageRef,
    Presence,
    Schema,
)

TEMPLATES = Path(__file__).parent / "templates"
ROOT = "wire"
"""Namespace of our holders."""
_ENVIRONMENT = Environment(
    loader=FileSystemLoader(TEMPLATES),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)


def harness() -> str:
    return (TEMPLATES / "harness.hpp").read_text(encoding="utf-8")


def holders(subject: Subject) -> str:
    """``holders.hpp``: reading our holders and views."""
    schema, names = subject.schema, Names(subject.schema, ROOT)
    top = MessageRef(subject.type)
    home = schema.home(subject.type)
    return _rendered(
        "holders.hpp.j2",
        type=subject.type,
        codec_header=names.header(home, f".{subject.wire}"),
        codec=f"::{names.namespace(home)}::{subject.wire}",
        holder=names.qualified(top),
        messages=[
            SimpleNamespace(
                holder=names.qualified(MessageRef(message.full_name)),
                view=names.view(MessageRef(message.full_name), subject.wire),
                holds=bool(schema.references[message.full_name]),
                is_own_view=is_plain(schema, message),
                members=[
                    *(member(f) for f in message.fields if f.oneof is None),
                    *map(identifier, message.oneofs),
                ],
            )
            for message in schema.messages()
        ],
    )


def ours(subject: Subject) -> str:
    """The program of our holders; a message of a few numbers has no view of its own."""
    plain = is_plain(subject.schema, subject.schema.message(subject.type))
    names = Names(subject.schema, ROOT)
    view = "" if plain else names.view(MessageRef(subject.type), subject.wire)
    return _rendered("wirecost.cpp.j2", type=subject.type, view=view)


def classes(subject: Subject) -> str:
    """``classes.hpp``: filling in and reading classes with Protobuf's interface."""
    schema = subject.schema
    holders, names = Names(schema, ROOT), ApiNames(schema, "")
    return _rendered(
        "classes.hpp.j2",
        type=subject.type,
        headers=[names.header(file) for file in schema.files if file.messages or file.enums],
        **{"class": names.qualified(MessageRef(subject.type))},
        messages=[
            SimpleNamespace(
                holder=holders.qualified(MessageRef(message.full_name)),
                fields=list(_fields(schema, names, message)),
                holds=bool(schema.references[message.full_name]),
                **{"class": names.qualified(MessageRef(message.full_name))},
            )
            for message in schema.messages()
        ],
    )


def google(subject: Subject) -> str:
    """The program of Google's classes."""
    return _rendered("protobuf.cpp.j2", type=subject.type)


def users(subject: Subject, header: str) -> str:
    """The program of a user's codec, which is in ``header``."""
    return _rendered("user.cpp.j2", type=subject.type, header=header)


def _fields(schema: Schema, names: ApiNames, message: Message) -> Iterator[SimpleNamespace]:
    for field in message.fields:
        lowered = field.name.lower()
        held = field.value if field.value is not None else field
        yield SimpleNamespace(
            member=member(field),
            call=f"{lowered}_" if lowered in KEYWORDS else lowered,
            camel=camel(field.name),
            mode=_mode(field),
            kind=_kind(held),
            key_kind=_kind(field.key) if field.key is not None else "",
            is_enum=isinstance(held.type, EnumRef),
            value=names.value(held.type),
            oneof=identifier(field.oneof) if field.oneof is not None else "",
            oneof_call=field.oneof or "",
            index=message.choices.get(field.name),
            is_boxed=schema.recursive(message, field),
        )


def _mode(field: Field) -> str:
    if field.label is Label.MAP:
        return "map"
    if field.label is Label.REPEATED:
        return "repeated"
    if field.oneof is not None:
        return "oneof"
    required = field.presence is Presence.REQUIRED
    return "optional" if can_be_absent(field) and not required else "plain"


def _kind(field: Field) -> str:
    if isinstance(field.type, MessageRef):
        return "message"
    return "text" if isinstance(field.type, Kind) and field.type.is_text else "scalar"


def _rendered(template: str, **context: object) -> str:
    return tidy(_ENVIRONMENT.get_template(template).render(context))
