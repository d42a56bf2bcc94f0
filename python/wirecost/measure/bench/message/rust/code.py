# SPDX-License-Identifier: Apache-2.0
"""The source text of the Rust program of a library and a message."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from wirecost.data.messages.subject import Subject
from wirecost.measure.bench.message.rust.descriptors import (
    enum_names,
    message_names,
    numbered,
)
from wirecost.schema.compile.emit.templates import Templates
from wirecost.schema.compile.schema import (
    EnumRef,
    Field,
    Label,
    Message,
    MessageRef,
    Presence,
)

HERE = Path(__file__).parent
CRATE = HERE / "crate"
"""What is the same for every schema, and the versions of all crates."""
_rendered = Templates(HERE / "templates").render


@dataclass(frozen=True)
class _Filled:
    """A field or oneof of a struct; ``is_required``: a message that is always there."""

    name: str
    is_required: bool = False


@dataclass(frozen=True)
class _Choice:
    name: str
    is_altered: bool


@dataclass(frozen=True)
class _Oneof:
    name: str
    choices: list[_Choice]


@dataclass(frozen=True)
class _Struct:
    """A message; ``altered``: members that can change without another size on a wire."""

    name: str
    fields: list[_Filled]
    altered: list[str]
    oneofs: list[_Oneof]

    @property
    def module(self) -> str:
        return self.name.lower()

    @property
    def members(self) -> list[str]:
        return [field.name for field in self.fields]


def refused(subject: Subject) -> str:
    """Return why a subject has no program, if so."""
    if subject.ros is not None:
        return "in Rust for Protobuf's schemas only"
    if any(file.edition for file in subject.descriptors.file):
        return "prost, from whose messages all are filled, knows no editions; use proto2 or proto3"
    return ""


def generate(subject: Subject, library: str, folder: Path) -> None:
    """Write the crate of a library's program into a folder, which may have another's."""
    shutil.copytree(CRATE, folder, dirs_exist_ok=True)
    (folder / "schema.fds").write_bytes(numbered(subject).SerializeToString(deterministic=True))
    names = message_names(subject)
    text = _rendered(
        "schema.rs.j2",
        type=subject.type,
        library=library,
        top=names[subject.type],
        enums=list(enum_names(subject).values()),
        messages=[
            _struct(names[message.full_name], message) for message in subject.schema.messages()
        ],
    )
    (folder / "src" / "schema.rs").write_text(text, encoding="utf-8")


def _struct(name: str, message: Message) -> _Struct:
    alone = [field for field in message.fields if field.oneof is None]
    oneofs = [
        _Oneof(
            f"O{min(field.number for field in members)}",
            [_Choice(f"F{field.number}", _is_altered(field)) for field in members],
        )
        for members in message.members.values()
    ]
    named = [oneof.name.lower() for oneof in oneofs]
    return _Struct(
        name,
        [_Filled(f"f{field.number}", _is_required(field)) for field in alone]
        + [_Filled(oneof) for oneof in named],
        [f"f{field.number}" for field in alone if _is_altered(field)] + named,
        oneofs,
    )


def _is_required(field: Field) -> bool:
    return isinstance(field.type, MessageRef) and field.presence is Presence.REQUIRED


def _is_altered(field: Field) -> bool:
    return field.label is not Label.MAP and not isinstance(field.type, EnumRef)
