# SPDX-License-Identifier: Apache-2.0
"""A subject's descriptors with numbers for names, so that none is a word of Rust.

Names are not on Protobuf's wire. Messages are ``T0``, enums ``E0``, by their places and all in one
package; fields are ``f1`` by their numbers, oneofs ``o1`` by the lowest number of a member.
"""

from __future__ import annotations

from collections.abc import Iterator

from google.protobuf import descriptor_pb2 as pb

from wirecost.data.messages.subject import Subject

PACKAGE = "wire"


def numbered(subject: Subject) -> pb.FileDescriptorSet:
    """Return what the type needs, without nesting, options that only others read, and defaults."""
    return _Numbered(subject).files()


def message_names(subject: Subject) -> dict[str, str]:
    """Return the names in Rust by those of the messages."""
    return {message.full_name: f"T{i}" for i, message in enumerate(subject.schema.messages())}


def enum_names(subject: Subject) -> dict[str, str]:
    """Return the names in Rust by those of the enums."""
    enums = (enum for file in subject.schema.files for enum in file.enums)
    return {enum.full_name: f"E{i}" for i, enum in enumerate(enums)}


class _Numbered:
    def __init__(self, subject: Subject) -> None:
        self._described = subject.descriptors.file
        self._messages = message_names(subject)
        self._enums = enum_names(subject)

    def files(self) -> pb.FileDescriptorSet:
        files = pb.FileDescriptorSet()
        for number, described in enumerate(self._described):
            file = pb.FileDescriptorProto(name=f"{number}.proto", package=PACKAGE)
            file.dependency.extend(other.name for other in files.file)
            file.syntax = described.syntax or "proto2"
            for full_name, declared in _declared(described):
                if isinstance(declared, pb.EnumDescriptorProto):
                    if full_name in self._enums:
                        file.enum_type.append(_enum(self._enums[full_name], declared))
                elif full_name in self._messages:
                    file.message_type.append(self._message(full_name, declared))
            if file.message_type or file.enum_type:
                files.file.append(file)
        return files

    def _message(self, full_name: str, declared: pb.DescriptorProto) -> pb.DescriptorProto:
        name = self._messages[full_name]
        message = pb.DescriptorProto(name=name)
        entries = {}
        for number, entry in enumerate(declared.nested_type):
            if entry.options.map_entry:
                renamed = message.nested_type.add()
                renamed.CopyFrom(entry)
                entries[f".{full_name}.{entry.name}"] = f".{PACKAGE}.{name}.M{number}Entry"
                renamed.name = f"M{number}Entry"
                for field in renamed.field:
                    self._retype(field, entries)
        for place in range(len(declared.oneof_decl)):
            members = (f for f in declared.field if f.HasField("oneof_index"))
            numbers = (f.number for f in members if f.oneof_index == place)
            message.oneof_decl.add(name=f"o{min(numbers)}")
        for field in declared.field:
            copied = message.field.add()
            copied.CopyFrom(field)
            copied.name = f"f{field.number}"
            for gone in ("json_name", "default_value", "options"):
                copied.ClearField(gone)
            if field.options.HasField("packed"):
                copied.options.packed = field.options.packed
            self._retype(copied, entries)
        return message

    def _retype(self, field: pb.FieldDescriptorProto, entries: dict[str, str]) -> None:
        if not field.type_name:
            return
        full_name = field.type_name.removeprefix(".")
        name = self._messages.get(full_name) or self._enums.get(full_name)
        field.type_name = f".{PACKAGE}.{name}" if name else entries[field.type_name]


def _enum(name: str, declared: pb.EnumDescriptorProto) -> pb.EnumDescriptorProto:
    enum = pb.EnumDescriptorProto(name=name)
    numbers = dict.fromkeys(value.number for value in declared.value)  # each once, in order
    for place, number in enumerate(numbers):
        enum.value.add(name=f"{name}_V{place}", number=number)
    return enum


def _declared(
    file: pb.FileDescriptorProto,
) -> Iterator[tuple[str, pb.DescriptorProto | pb.EnumDescriptorProto]]:
    """Yield all messages and enums with their full names."""
    waiting = [(file.package, message) for message in file.message_type]
    yield from ((_joined(file.package, enum.name), enum) for enum in file.enum_type)
    while waiting:
        scope, message = waiting.pop(0)
        full_name = _joined(scope, message.name)
        yield full_name, message
        yield from ((f"{full_name}.{enum.name}", enum) for enum in message.enum_type)
        waiting += [(full_name, nested) for nested in message.nested_type]


def _joined(scope: str, name: str) -> str:
    return f"{scope}.{name}" if scope else name
