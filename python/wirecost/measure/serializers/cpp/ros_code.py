# SPDX-License-Identifier: Apache-2.0
"""The source text of the programs of ROS's own libraries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from wirecost.data.messages.shapes import is_list
from wirecost.data.messages.subject import Subject
from wirecost.measure.serializers.cpp.code import (
    ROOT,
    LibraryClass,
    read_by,
    rendered,
    stands_apart,
)
from wirecost.schema.compile.emit.cpp.names import CppNames, member
from wirecost.schema.compile.schema import Field, Kind, Label, Message, MessageRef, Schema

Texts = dict[str, str]

_TYPES = {
    Kind.BOOL: "bool",
    Kind.FLOAT32: "float",
    Kind.FLOAT64: "double",
    Kind.STRING: "std::string",
}


@dataclass(frozen=True)
class _PlainField:
    """A field of a standard struct, with the statements that write and read it."""

    name: str
    type: str
    write: str
    read: str


@dataclass(frozen=True)
class _PlainStruct:
    """A message as a standard struct."""

    name: str
    fields: list[_PlainField]


@dataclass(frozen=True)
class _StructField:
    """A field of ROS's struct, the holder's member, and the function that reads the field."""

    name: str
    member: str
    function: str


def gencpp(subject: Subject) -> Texts:
    """Return ``gencpp.cpp`` and the header that it includes."""
    schema = subject.schema

    def class_of(message: Message) -> str:
        package, _, name = message.full_name.rpartition(".")
        return f"ros::{name}" if package == "ros" else f"{package}::{name}_<RosAllocator<void>>"

    generated = [message for message in schema.messages() if not _is_roscpps(message)]
    return {
        "gencpp.cpp": rendered(
            "gencpp.cpp.j2",
            type=subject.type,
            headers=[f"{m.full_name.replace('.', '/')}.h" for m in generated],
            top=class_of(schema.message(subject.type)),
        ),
        "gencpp_structs.hpp": _access(schema, subject.type, class_of, lambda field: field.name),
    }


def _is_roscpps(message: Message) -> bool:
    """Return whether a message is a class of roscpp's own, as times are."""
    return message.full_name.startswith("ros.")


def fast_cdr(subject: Subject) -> Texts:
    """Return ``fast-cdr.cpp`` and the headers that it includes."""
    schema = subject.schema
    messages = [
        _PlainStruct(
            _plain(message.full_name),
            [
                _PlainField(
                    member(field), _type(field), _serialized(field, "<<"), _serialized(field, ">>")
                )
                for field in message.fields
            ],
        )
        for message in schema.messages()
    ]

    def class_of(message: Message) -> str:
        return f"plain::{_plain(message.full_name)}"

    return {
        "fast-cdr.cpp": rendered(
            "fast-cdr.cpp.j2",
            type=subject.type,
            messages=messages,
            top=class_of(schema.message(subject.type)),
        ),
        "fast_cdr_structs.hpp": rendered(
            "fast_cdr_structs.hpp.j2", type=subject.type, messages=messages
        ),
        "fast_cdr_access.hpp": _access(schema, subject.type, class_of, member),
    }


def rosidl(subject: Subject, prefix: Path | None, headers: Sequence[str]) -> Texts:
    """Return ``rosidl.cpp`` and its header; ``headers``: of the type supports."""

    def class_of(message: Message) -> str:
        package, _, name = message.full_name.rpartition(".")
        return f"{package}::msg::{name}"

    top = subject.schema.message(subject.type)
    return {
        "rosidl.cpp": rendered(
            "rosidl.cpp.j2",
            type=subject.type,
            prefix=prefix,
            headers=headers,
            support=f"{subject.type.rpartition('.')[0]}::msg::typesupport_fastrtps_cpp",
            top=class_of(top),
        ),
        "rosidl_access.hpp": _access(
            subject.schema, subject.type, class_of, lambda field: field.name
        ),
    }


def _plain(full_name: str) -> str:
    return full_name.replace(".", "__")


def _type(field: Field) -> str:
    kind = field.type
    if isinstance(kind, MessageRef):
        single = _plain(kind.name)
    else:
        assert isinstance(kind, Kind)  # ROS has no enums
        single = _TYPES.get(kind, f"std::{kind.value}_t")
    if field.label is Label.ARRAY:
        return f"std::array<{single}, {field.capacity}>"
    return f"std::vector<{single}>" if field.label is Label.REPEATED else single


def _serialized(field: Field, operator: str) -> str:
    """Return the statement of Write, or of Read."""
    attribute = f"m.{member(field)}"
    if not isinstance(field.type, MessageRef):
        return f"cdr {operator} {attribute}"
    if not is_list(field):
        return f"(*this)({attribute})"
    return f"{'counted' if field.label is Label.REPEATED else 'all'}({attribute})"


def _access(
    schema: Schema,
    type_name: str,
    class_of: Callable[[Message], str],
    name_of: Callable[[Field], str],
) -> str:
    """Return code that fills and reads structs of ``class_of`` with members of ``name_of``."""
    holders = CppNames(schema, ROOT)
    return rendered(
        "structs.hpp.j2",
        type=type_name,
        messages=[
            LibraryClass(
                class_of(message),
                holders.qualified(MessageRef(message.full_name)),
                stands_apart(schema, message),
                [_StructField(name_of(f), member(f), read_by(f)) for f in message.fields],
            )
            for message in schema.messages()
        ],
    )
