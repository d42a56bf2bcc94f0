# SPDX-License-Identifier: Apache-2.0
"""Extensions in classes with Protobuf's interface: each lies in an object of a class of its own.

That class is made by the same templates as any other, of a message whose one field the extension
is; so an extension can be whatever a field can be.
"""

from __future__ import annotations

from dataclasses import replace

from wirecost.schema.compile.schema import Extension, File, Message, Schema

_FIELD = "value"


def with_holders(schema: Schema) -> Schema:
    """Return the schema with the messages that hold extensions of messages in it."""
    extensible = {m.full_name for m in schema.messages() if m.extensible}
    return Schema(tuple(_with_holders(file, extensible) for file in schema.files))


def _with_holders(file: File, known: set[str]) -> File:
    extensions = tuple(
        extension for extension in file.extensions if extension.extendee.name in known
    )
    holders = (
        Message(
            holder_name(file, extension),
            (replace(extension.field, name=_FIELD),),
            origin=extension.field.origin,
        )
        for extension in extensions
    )
    return replace(file, messages=(*file.messages, *holders), extensions=extensions)


def holder_name(file: File, extension: Extension) -> str:
    """Return the full name of the message that holds an extension."""
    local = file.local_name(extension.full_name).replace(".", "_")
    name = f"wirecost_extension_{local}"
    return f"{file.package}.{name}" if file.package else name


def held_by(file: File, message: Message) -> Extension | None:
    """Return the extension that a message was made for."""
    for extension in file.extensions:
        if holder_name(file, extension) == message.full_name:
            return extension
    return None
