# SPDX-License-Identifier: Apache-2.0
"""The source text of a message's programs: what the templates here print for its schema."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from wirecost.data.messages.ros import mirror
from wirecost.data.messages.shapes import is_list, is_octets
from wirecost.data.messages.subject import Subject
from wirecost.measure.serializers.cpp.source import HARNESS, MAIN
from wirecost.schema.compile.emit.cpp.api import camel
from wirecost.schema.compile.emit.cpp.api_names import ApiNames
from wirecost.schema.compile.emit.cpp.names import (
    KEYWORDS,
    WITHOUT_PACKAGE,
    CppNames,
    identifier,
    member,
)
from wirecost.schema.compile.emit.cpp.order import is_plain
from wirecost.schema.compile.emit.cpp.presence import can_be_absent
from wirecost.schema.compile.emit.templates import Templates
from wirecost.schema.compile.plan import nesting
from wirecost.schema.compile.schema import (
    EnumRef,
    Field,
    File,
    Kind,
    Label,
    Message,
    MessageRef,
    Presence,
    Schema,
)

TEMPLATES = Path(__file__).parent / "templates"
rendered = Templates(TEMPLATES).render
"""Return the text that one of the templates here prints."""
FEW = 12
"""Messages of a schema that are compiled into one function."""
ROOT = "wire"
"""Namespace of our holders."""


@dataclass(frozen=True)
class HolderMember:
    """A member of a holder, and the function to which it is passed."""

    name: str
    function: str


@dataclass(frozen=True)
class Holder:
    """C++ type of a holder, with its members."""

    holder: str
    members: list[HolderMember]
    stands_apart: bool = False


@dataclass(frozen=True)
class HolderView:
    """C++ types of a message's holder and view."""

    holder: str
    view: str


AnyField = TypeVar("AnyField")


@dataclass(frozen=True)
class LibraryClass(Generic[AnyField]):
    """C++ types of a library's class and of the holder from which it is filled."""

    type: str
    holder: str
    stands_apart: bool
    fields: list[AnyField]


@dataclass(frozen=True)
class ClassField:
    """A field of a class with Protobuf's interface."""

    member: str
    """Name in the holder."""
    call: str
    """Name in the class's functions."""
    camel: str
    """Name in the class's constants."""
    mode: str
    kind: str
    key_kind: str
    is_enum: bool
    value: str
    """C++ type of a value."""
    oneof: str
    """Name of the field's oneof in the holder; empty where there is none."""
    oneof_call: str
    index: int | None
    """Position in the oneof, from 1."""
    is_boxed: bool


def fixed() -> dict[str, str]:
    """Return the sources that are the same for every schema."""
    headers = ("alteration.hpp", "members.hpp", "owned.hpp", "random.hpp", "stopwatch.hpp")
    names = (HARNESS, MAIN, *headers)
    return {name: (TEMPLATES / name).read_text(encoding="utf-8") for name in names}


def holders(subject: Subject) -> str:
    """Return ``holders.hpp``, which reads our holders."""
    schema, names = subject.schema, CppNames(subject.schema, ROOT)
    top = MessageRef(subject.type)
    home = schema.home(subject.type)
    return rendered(
        "holders.hpp.j2",
        type=subject.type,
        header=names.header(home),
        holder=names.qualified(top),
        messages=[
            Holder(
                names.qualified(MessageRef(message.full_name)),
                [
                    *(
                        HolderMember(member(f), read_by(f))
                        for f in message.fields
                        if f.oneof is None
                    ),
                    *(HolderMember(identifier(oneof), "add") for oneof in message.oneofs),
                ],
                stands_apart(schema, message),
            )
            for message in schema.messages()
        ],
    )


def shared(subject: Subject) -> str:
    """Return ``holders.cpp``: what all programs do with our codec of the subject's wire."""
    return rendered("holders.cpp.j2", type=subject.type, **codec_of(subject, subject.wire))


def codec_of(subject: Subject, wire: str) -> dict[str, str]:
    """Return where our codec is."""
    names = CppNames(subject.schema, ROOT)
    home = subject.schema.home(subject.type)
    return {
        "codec_header": names.header(home, f".{wire}"),
        "codec": f"::{names.namespace(home)}::{wire}",
    }


def stands_apart(schema: Schema, message: Message) -> bool:
    """Return whether a message is read in a function of its own, whoever holds it.

    Compiling all of a wide or recursive message into one function takes minutes.
    """
    is_small = len(list(schema.messages())) <= FEW and not nesting.deep(schema)
    return bool(schema.references[message.full_name]) and not is_small


def read_by(field: Field) -> str:
    """Return the harness's function that reads a field."""
    return "add_octets" if is_octets(field) else "add"


def ours(subject: Subject, wire: str) -> str:
    """Return the program of our holders on a wire.

    A message of a few numbers has no view of its own.
    """
    schema, names = subject.schema, CppNames(subject.schema, ROOT)
    viewed = [message for message in schema.messages() if not is_plain(schema, message)]
    return rendered(
        "wirecost.cpp.j2",
        type=subject.type,
        **codec_of(subject, wire),
        shared=wire == subject.wire,
        view=names.view(MessageRef(subject.type), wire) if has_view(subject) else "",
        views=[
            HolderView(
                names.qualified(MessageRef(message.full_name)),
                names.view(MessageRef(message.full_name), wire),
            )
            for message in viewed
        ],
    )


def has_view(subject: Subject) -> bool:
    """Return whether a message has a view: one of a few numbers is its own."""
    return not is_plain(subject.schema, subject.schema.message(subject.type))


class _ClassNames(ApiNames):
    """Names that protoc's classes have; ``classes.hpp.j2`` lets ours have them, too."""

    def qualified(self, reference: MessageRef | EnumRef) -> str:
        return super().qualified(reference).removeprefix(f"::{WITHOUT_PACKAGE}")


def classes(subject: Subject) -> str:
    """Return ``classes.hpp``, which fills and reads classes with Protobuf's interface."""
    schema = subject.schema
    holders, names = CppNames(schema, ROOT), _ClassNames(schema, "")
    return rendered(
        "classes.hpp.j2",
        type=subject.type,
        headers=[classes_header(subject, names, file) for file in _with_types(schema)],
        top=names.qualified(MessageRef(subject.type)),
        messages=[
            LibraryClass(
                names.qualified(MessageRef(message.full_name)),
                holders.qualified(MessageRef(message.full_name)),
                stands_apart(schema, message),
                list(_fields(schema, names, message)),
            )
            for message in schema.messages()
        ],
    )


def _with_types(schema: Schema) -> list[File]:
    return [file for file in schema.files if file.messages or file.enums]


def classes_header(subject: Subject, names: ApiNames, file: File) -> str:
    """Return the header of a file's classes, as protoc names it and we do."""
    if subject.ros is None:
        return names.header(file)
    return f"{mirror.file_name(file).removesuffix('.proto')}.pb.h"


def messagepack_program(subject: Subject) -> str:
    return rendered("user.cpp.j2", type=subject.type, header="messagepack.hpp", codec_header="")


def messagepack(subject: Subject) -> str:
    """Return ``messagepack.hpp``, a codec as users write one."""
    schema, names = subject.schema, CppNames(subject.schema, ROOT)
    return rendered(
        "messagepack.hpp.j2",
        type=subject.type,
        messages=[
            Holder(
                names.qualified(MessageRef(message.full_name)),
                [
                    *(
                        HolderMember(
                            member(field),
                            "octets" if is_octets(field) or _is_bytes(field) else "value",
                        )
                        for field in message.fields
                        if field.oneof is None
                    ),
                    *(HolderMember(identifier(oneof), "value") for oneof in message.oneofs),
                ],
            )
            for message in schema.messages()
        ],
    )


def _is_bytes(field: Field) -> bool:
    """Return whether a field is bytes that are always there."""
    return field.type is Kind.BYTES and field.label is Label.SINGLE and not can_be_absent(field)


def google(subject: Subject, googles: bool = True) -> str:
    """Return the program of classes with Protobuf's interface; ``googles``: with its arena."""
    return rendered("protobuf.cpp.j2", type=subject.type, googles=googles)


def users(subject: Subject, header: str) -> str:
    """Return the program of a user's codec, which is in ``header`` and may use ours."""
    own = codec_of(subject, subject.wire)["codec_header"]
    return rendered("user.cpp.j2", type=subject.type, header=header, codec_header=own)


def _fields(schema: Schema, names: ApiNames, message: Message) -> Iterator[ClassField]:
    for field in message.fields:
        lowered = field.name.lower()
        held = field.value if field.value is not None else field
        yield ClassField(
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
    if is_list(field) and not is_octets(field):
        return "repeated"
    if field.oneof is not None:
        return "oneof"
    required = field.presence is Presence.REQUIRED
    return "optional" if can_be_absent(field) and not required else "plain"


def _kind(field: Field) -> str:
    if isinstance(field.type, MessageRef):
        return "message"
    if is_octets(field):
        return "octets"
    return "text" if isinstance(field.type, Kind) and field.type.is_text else "scalar"
