# SPDX-License-Identifier: Apache-2.0
"""The source text of the Java program of a message of Protobuf."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from google.protobuf import descriptor_pb2 as pb

from wirecost.data.messages.shapes import is_list, is_octets
from wirecost.data.messages.subject import Subject
from wirecost.measure.serializers.choices import COLUMNS
from wirecost.schema.compile.emit.java.holders import Holders, Member
from wirecost.schema.compile.emit.java.names import JavaNames
from wirecost.schema.compile.emit.templates import Templates
from wirecost.schema.compile.schema import (
    EnumRef,
    Field,
    Kind,
    Label,
    Message,
    MessageRef,
    Presence,
)

TEMPLATES = Path(__file__).parent / "templates"
ROOT = "wire"
"""Package of our holders."""
GOOGLES = "googles"
"""Package of protoc's classes."""
WELL_KNOWN = "google/protobuf/"
_KINDS = {
    Kind.BOOL: "bool",
    Kind.FLOAT32: "float",
    Kind.FLOAT64: "double",
    Kind.STRING: "text",
    Kind.BYTES: "bytes",
}
_FORBIDDEN = frozenset(
    {
        "Class",
        "CachedSize",
        "SerializedSize",
        "AllFields",
        "DescriptorForType",
        "InitializationErrorString",
        "UnknownFields",
    }
)
"""Names of methods that every message has: protoc marks fields of these names."""


def programs(
    subject: Subject, has_google: bool, users: Sequence[str], has_columns: bool = False
) -> str:
    """Return ``Programs.java``.

    ``users``: classes of the package ``users`` that are codecs; ``has_columns``: whether there is
    ``Columns.java``.
    """
    generator = _Code(subject)
    return Templates(TEMPLATES).render(
        "Programs.java.j2",
        type=subject.type,
        wire=subject.wire.capitalize(),
        ours=generator.ours(subject.type),
        google=generator.google(subject.type) if has_google else "",
        users=users,
        columns=COLUMNS if has_columns else "",
        messages=[generator.message(message) for message in subject.schema.messages()],
    )


def ours(names: JavaNames, full_name: str) -> str:
    """Return the whole name of our holder's class."""
    place = names.place(full_name)
    return ".".join((place.package, *place.classes))


def with_packages(descriptors: pb.FileDescriptorSet) -> pb.FileDescriptorSet:
    """Return files for which protoc writes one file per class, in packages of their own."""
    changed = pb.FileDescriptorSet()
    changed.CopyFrom(descriptors)
    for file in changed.file:
        if not file.name.startswith(WELL_KNOWN):
            file.options.java_multiple_files = True
            file.options.java_package = f"{GOOGLES}.{file.package}".rstrip(".")
    return changed


def camel(name: str) -> str:
    """Return a name as protoc writes it in names of methods."""
    result, upper = "", True
    for letter in name:
        if letter.isascii() and letter.isalpha():
            result += letter.upper() if upper else letter
            upper = False
        else:
            result += letter if letter.isdigit() else ""
            upper = True
    return f"{result}_" if result in _FORBIDDEN else result


@dataclass(frozen=True)
class _ClassField:
    """A field in our class and in Google's: names, and expressions that read it."""

    member: str
    has: str | None
    mode: str
    kind: str
    is_octets: bool
    box: str
    google_box: str
    key_box: str
    key_kind: str
    ours: str
    enum: str
    is_closed: bool
    suffix: str
    camel: str
    present: str
    google_present: str


@dataclass(frozen=True)
class _Class:
    """A message as our class and as Google's."""

    ours: str
    google: str
    name: str
    is_recursive: bool
    cases: list[str]
    fields: list[_ClassField]


class _Code:
    def __init__(self, subject: Subject) -> None:
        self._schema = subject.schema
        self._names = JavaNames(subject.schema, ROOT)
        self._holders = Holders(subject.schema, self._names)
        self._open = {file.name: file.syntax == "proto3" for file in subject.descriptors.file}
        self._editions = {file.name for file in subject.descriptors.file if file.edition}

    def ours(self, full_name: str) -> str:
        return ours(self._names, full_name)

    def google(self, full_name: str) -> str:
        home = self._schema.home(full_name)
        package = f"{GOOGLES}.{home.package}".rstrip(".")
        if home.name.startswith(WELL_KNOWN):
            package = "com.google.protobuf"
        return f"{package}.{home.local_name(full_name)}"

    def message(self, message: Message) -> _Class:
        return _Class(
            ours=self.ours(message.full_name),
            google=self.google(message.full_name),
            name=message.full_name.replace(".", "_"),
            is_recursive=self._holds_itself(message),
            cases=list(self._holders.cases(message).values()),
            fields=[self._field(message, field) for field in message.fields],
        )

    def _holds_itself(self, message: Message) -> bool:
        """Return whether a message can be built while another of its type is."""
        reached: set[str] = set()
        waiting = list(self._schema.references[message.full_name])
        while waiting:
            name = waiting.pop()
            if name not in reached:
                reached.add(name)
                waiting += self._schema.references[name]
        return message.full_name in reached

    def _field(self, message: Message, field: Field) -> _ClassField:
        member = self._holders.member(message, field)
        held = field.value if field.value is not None else field
        kind = self._kind(held)
        is_enum = isinstance(held.type, EnumRef)
        is_closed = is_enum and not self._is_open(message, held)
        # protoc calls a group by its message.
        is_group = field.group and isinstance(field.type, MessageRef)
        name = camel(field.type.name.rpartition(".")[2] if is_group else field.name)
        present, google_present = _present(field, member, name)
        return _ClassField(
            member=member.name,
            has=member.has,
            mode="map" if field.label is Label.MAP else "list" if is_list(field) else "single",
            kind=kind,
            is_octets=is_octets(field),
            box=self._box(message, held),
            google_box=self._google_box(held, is_closed, message),
            key_box=self._box(message, field.key) if field.key is not None else "",
            key_kind=self._kind(field.key) if field.key is not None else "",
            ours=self.ours(held.type.name) if isinstance(held.type, MessageRef) else "",
            enum=self.google(held.type.name) if isinstance(held.type, EnumRef) else "",
            is_closed=is_closed,
            suffix="Value" if is_enum and not is_closed else "",
            camel=name,
            present=present,
            google_present=google_present,
        )

    def _is_open(self, message: Message, field: Field) -> bool:
        """Return whether Google's class takes and returns an enum's number."""
        assert isinstance(field.type, EnumRef)
        home = self._schema.home(message.full_name).name
        if home in self._editions:
            return not self._schema.enum(field.type).closed
        return self._open[home]

    def _kind(self, field: Field) -> str:
        if isinstance(field.type, MessageRef):
            return "message"
        return _KINDS.get(field.type, "whole") if isinstance(field.type, Kind) else "whole"

    def _box(self, message: Message, field: Field) -> str:
        if isinstance(field.type, MessageRef):
            return self.ours(field.type.name)
        return self._holders.box(self._holders.value_type(message, field))

    def _google_box(self, field: Field, is_closed: bool, message: Message) -> str:
        if isinstance(field.type, MessageRef):
            return self.google(field.type.name)
        if isinstance(field.type, EnumRef) and is_closed:
            return self.google(field.type.name)
        return "ByteString" if field.type is Kind.BYTES else self._box(message, field)


def _present(field: Field, member: Member, name: str) -> tuple[str, str]:
    """Return expressions for whether a field is there, in our holder and in Google's message.

    They are empty where it always is.
    """
    single_message = isinstance(field.type, MessageRef) and field.label is Label.SINGLE
    if member.case:
        ours = f"m.{member.case} == {field.number}"
    elif field.presence is Presence.REQUIRED and not single_message:
        return "", ""
    elif member.has:
        ours = f"m.{member.has}"
    elif field.is_optional or single_message:
        ours = f"m.{member.name} != null"
    else:
        return "", ""
    return ours, f"m.has{name}()"
