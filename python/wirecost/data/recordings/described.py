# SPDX-License-Identifier: Apache-2.0
"""Subjects, by what a recording itself says of its messages."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from google.protobuf import descriptor_pb2 as pb
from google.protobuf.message import DecodeError

from wirecost.data.messages.ros.definitions import (
    RosDefinitions,
    completed,
    of_text,
    short,
    short_name,
)
from wirecost.data.messages.ros.known import KnownTypes
from wirecost.data.messages.ros.subject import ros_subject
from wirecost.data.messages.subject import Subject, subject
from wirecost.data.recordings.connection import NONE, WIRES, RecordedConnection
from wirecost.data.recordings.recording import ConnectionGroup, Recording
from wirecost.schema.compile.frontends.ros.packages import Finder
from wirecost.schema.compile.schema import Field, Label, MessageRef, Schema
from wirecost.system.counted import counted
from wirecost.system.errors import UserError
from wirecost.system.foreign import shown

_EMPTY_MD5 = "d41d8cd98f00b204e9800998ecf8427e"
_EMPTY_CDR = 5
"""Bytes of a message of ROS 2 without fields: a header and the byte that stands for none."""
_MOST_NAMED = 5
_NULS = re.compile(r"\0+[ \t]*$", re.MULTILINE)
_FOLDER = re.compile("/(?:msg|srv|action)/")


def subject_of(
    recording: Recording, topic: str, type_name: str, include: Sequence[Path]
) -> Subject:
    """Return the type of most readable messages of a topic. Raises UserError."""
    groups = recording.groups(topic, has_schema=False)
    name = short_name(type_name)
    named = [group for group in groups if name and short_name(group.first.type) == name] or groups
    faults = []
    for group in sorted(named, key=lambda group: -group.count):
        try:
            described, _ = _described(recording, group, type_name, include)
        except UserError as error:
            faults.append(error)
        else:
            return described
    raise faults[0]


@dataclass(frozen=True)
class ReadableGroups:
    """Groups whose messages are read by one schema.

    ``notes``: what was left out, and what was taken from elsewhere.
    """

    groups: list[ConnectionGroup]
    notes: list[str] = field(default_factory=list)

    @property
    def count(self) -> int:
        return sum(group.count for group in self.groups)


class MessageSource(Protocol):
    """Where the messages of a connection are, as far as its type may need one."""

    @property
    def path(self) -> Path: ...

    @property
    def types(self) -> dict[object, tuple[Subject, str]]: ...

    def messages(
        self, groups: Collection[ConnectionGroup], wanted: Sequence[int]
    ) -> list[bytes]: ...


@dataclass(frozen=True)
class Sample:
    """Messages of one connection that are here already; ``path``: for people."""

    path: Path
    data: list[bytes]
    types: dict[object, tuple[Subject, str]] = field(default_factory=dict)

    def messages(self, groups: Collection[ConnectionGroup], wanted: Sequence[int]) -> list[bytes]:
        del groups
        return [self.data[number] for number in wanted]


def subject_of_connection(
    source: MessageSource, connection: RecordedConnection, include: Sequence[Path]
) -> Subject:
    """Return the type of a connection by its own definition, or ROS's. Raises UserError."""
    if not connection.is_described:
        raise UserError(f"{source.path}: {shown(str(connection))}: it cannot be read")
    return _described(source, ConnectionGroup(connection), "", include)[0]


def kept_for(
    recording: Recording, topic: str, about: Subject, has_schema: bool, include: Sequence[Path]
) -> ReadableGroups:
    """Return the groups of a topic whose definition is that of ``about``. Raises UserError.

    Where none is and somebody gave the schema, they are those that it is to be for.
    """
    expected = _layout(about.schema, about.type)
    same: list[ConnectionGroup] = []
    others: list[tuple[ConnectionGroup, str]] = []
    lacking: list[ConnectionGroup] = []
    notes: list[str] = []
    groups = recording.groups(topic, has_schema)
    for group in groups:
        try:
            described, borrowed = _described(recording, group, "", include)
        except UserError as error:
            if group.first.definition:
                others.append((group, str(error)))
            else:
                lacking.append(group)
            continue
        if _layout(described.schema, described.type) == expected:
            same.append(group)
            if borrowed and not has_schema:
                notes.append(f"definitions that it lacks are those of files or of ROS: {borrowed}")
        else:
            others.append((group, _difference(group, about)))
    unusable = recording.unusable(groups[0].first.topic, has_schema)
    types = {group.first.type for group in same}
    alike = [group for group in lacking if group.first.type in types]
    if not same:
        same = _meant(groups, about)
        if any(group in same for group, _ in others):
            notes.append("read by the schema given, which is not the definition that it carries")
        others = [pair for pair in others if pair[0] not in same]
        alike = []
    omitted = [(group.count, why) for group, why in others]
    omitted += [
        (group.count, f"no definition of {group.first.type}")
        for group in lacking
        if group not in (*alike, *same)
    ]
    omitted += [(connection.count, str(connection)) for connection in unusable]
    notes += [f"{counted(count, 'message')} left out: {shown(why, 240)}" for count, why in omitted]
    return ReadableGroups([group for group in groups if group in (*same, *alike)], notes)


def _difference(group: ConnectionGroup, about: Subject) -> str:
    type_ = group.first.type
    if short_name(type_) == short_name(about.type):
        return f"another definition of {type_}"
    return f"of type {type_}, which --type chooses"


def _meant(groups: list[ConnectionGroup], about: Subject) -> list[ConnectionGroup]:
    """Return the groups of the schema's type by its name, else of the type of most messages."""
    named = [group for group in groups if short_name(group.first.type) == short_name(about.type)]
    if named:
        return named
    most = max(groups, key=lambda group: group.count)
    return [group for group in groups if group.first.type == most.first.type]


def _described(
    recording: MessageSource, group: ConnectionGroup, type_name: str, include: Sequence[Path]
) -> tuple[Subject, str]:
    """Return the subject and the types that were taken from elsewhere. Raises UserError."""
    key = (id(group.first), type_name, *include)
    if key not in recording.types:
        recording.types[key] = _read_type(recording, group, type_name, include)
    return recording.types[key]


def _read_type(
    recording: MessageSource, group: ConnectionGroup, type_name: str, include: Sequence[Path]
) -> tuple[Subject, str]:
    connection, path = group.first, recording.path
    if connection.wire == "protobuf":
        return _of_protobuf(path, connection, type_name), ""
    dialect = WIRES[connection.wire]
    finder = Finder(include, [], dialect)
    text = _text(connection)
    if connection.encoding not in NONE and text and not _is_name(text, connection.type):
        kind = "IDL" if connection.encoding == "ros2idl" else "MSG"
        read = of_text(connection.type, text, dialect, str(path), kind)
    else:
        read = _lacking(recording, group, dialect, finder)
    read = completed(read, finder)
    names = read.notes[:_MOST_NAMED] + ["…"] * (len(read.notes) > _MOST_NAMED)
    return ros_subject(read, str(path), type_name or short(connection.type)), ", ".join(names)


def _text(connection: RecordedConnection) -> str:
    """Return the definition without the NULs that writers in C put at the end of each text."""
    return _NULS.sub("", connection.definition.decode("utf-8", "replace")).strip()


def _is_name(text: str, type_name: str) -> bool:
    """Return whether a definition is the type's name and nothing else."""
    return _FOLDER.sub("/", text) == _FOLDER.sub("/", type_name)


def _of_protobuf(path: Path, connection: RecordedConnection, type_name: str) -> Subject:
    name = shown(connection.type)
    if not connection.definition:
        raise UserError(f"{path}: has no schema of {name}; name its .proto as well")
    try:
        descriptors = pb.FileDescriptorSet.FromString(connection.definition)
    except DecodeError as error:
        raise UserError(
            f"{path}: its schema of {name} is damaged; name its .proto as well"
        ) from error
    return subject(descriptors, str(path), type_name or connection.type)


def _lacking(
    recording: MessageSource, group: ConnectionGroup, dialect: str, finder: Finder
) -> RosDefinitions:
    """Return definitions of a type that the recording names only. Raises UserError."""
    connection, path = group.first, str(recording.path)
    name = short(connection.type)
    text = KnownTypes(dialect, finder).text(name, connection.digest)
    if text is not None:
        return RosDefinitions(dialect, {name: text}, path, [name])
    if _is_empty(recording, group):
        return RosDefinitions(dialect, {name: ""}, path)
    file = ".srv" if "/srv/" in connection.type else ".msg"
    raise UserError(
        f"{path}: has no definition of {shown(connection.type)}; name its {file} as well, or "
        "give the folder that holds its package with -I"
    )


def _is_empty(recording: MessageSource, group: ConnectionGroup) -> bool:
    """Return whether the type is empty, rather than its definition lacking."""
    connection = group.first
    if connection.wire == "ros1":
        return connection.digest == _EMPTY_MD5 or not any(recording.messages([group], [0]))
    (data,) = recording.messages([group], [0])
    return (
        connection.encoding not in NONE
        and not _text(connection)
        and len(data) <= _EMPTY_CDR
        and not any(data[4:])
    )


def _layout(schema: Schema, top: str) -> list[list[tuple[Any, ...]]]:
    """Return names, numbers and types of all fields within a message.

    It is equal for equal definitions, whatever the message's own name is and in whichever files
    they are.
    """
    places = {top: 0}
    waiting = [top]
    messages: list[list[tuple[Any, ...]]] = []
    for name in waiting:  # which grows meanwhile

        def kind(field: Field) -> object:
            if field.label is Label.MAP:  # the entry is described below
                return None
            if not isinstance(field.type, MessageRef):
                return repr(field.type)
            if field.type.name not in places:
                places[field.type.name] = len(places)
                waiting.append(field.type.name)
            return places[field.type.name]

        def described(field: Field) -> tuple[Any, ...]:
            entry = [described(part) for part in (field.key, field.value) if part is not None]
            bounds = (field.capacity, field.text_capacity)
            return (field.name, field.number, field.label, kind(field), bounds, entry)

        messages.append([described(field) for field in schema.message(name).fields])
    return messages
