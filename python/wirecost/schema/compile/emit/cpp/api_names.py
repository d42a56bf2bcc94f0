# SPDX-License-Identifier: Apache-2.0
"""C++ names and types of the classes with Protobuf's interface."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from wirecost.schema.compile.emit import location
from wirecost.schema.compile.emit.cpp.names import CppNames
from wirecost.schema.compile.emit.cpp.presence import can_be_absent
from wirecost.schema.compile.emit.cpp.protobuf import FACADE_CODEC
from wirecost.schema.compile.schema import (
    EnumRef,
    Field,
    File,
    Kind,
    Label,
    Message,
    MessageRef,
    Schema,
    Type,
)

_PLAIN_PART = re.compile(r"\w[\w.+-]*", re.ASCII)


class ApiNames(CppNames):
    """Names within one schema and root namespace; ours stand where Protobuf's do."""

    def __init__(self, schema: Schema, root: str) -> None:
        super().__init__(schema, root, FACADE_CODEC, "std::string")

    def header(self, file: File, suffix: str = ".pb.h") -> str:
        """Name a header as protoc does: by the path by which others import the file.

        What has a root of its own stands beside protoc's, so it lies where our other headers lie,
        or below a folder of the root's name where protoc's headers lie in the same folder.
        """
        path, ours = PurePosixPath(file.name), location(file)
        plain = all(_PLAIN_PART.fullmatch(part) for part in path.parts)
        is_proto = path.suffix == ".proto"
        if is_proto and plain and not self._root:
            return f"{path.with_suffix('')}{suffix}"
        if is_proto and self._root and path.parent == ours.parent:
            ours = PurePosixPath(*self._root.split("::")) / ours
        return f"{ours}{suffix}"

    def element(self, type_: Type) -> str:
        """Return the type of elements, which for an enum is int."""
        return "int" if isinstance(type_, EnumRef) else self.value(type_)

    def holder(self, message: Message, item: Field) -> str:
        if item.label is Label.MAP and item.key is not None and item.value is not None:
            entry = f"{self.value(item.key.type)}, {self.value(item.value.type)}"
            return f"wirecost::api::Map<{entry}>"
        value = self.value(item.type)
        is_message = isinstance(item.type, MessageRef)
        if item.label is Label.ARRAY:
            return f"std::array<{value}, {item.capacity}>"
        if item.label is Label.REPEATED:
            has_address = is_message or (isinstance(item.type, Kind) and item.type.is_text)
            kind = "RepeatedPtrField" if has_address else "RepeatedField"
            return f"wirecost::api::{kind}<{self.element(item.type)}>"
        if is_message and self._schema.recursive(message, item):
            return f"wirecost::api::Sub<{value}, false>"
        return f"wirecost::api::Sub<{value}>" if is_message and can_be_absent(item) else value

    def alternatives(self, message: Message, oneof: str) -> list[tuple[Field, str]]:
        """Return the types; messages lie elsewhere, so that a oneof is as small as its numbers."""
        return [
            (f, f"wirecost::api::Sub<{value}, false>" if isinstance(f.type, MessageRef) else value)
            for f in message.members[oneof]
            for value in [self.value(f.type)]
        ]
