# SPDX-License-Identifier: Apache-2.0
"""Part of a large schema: what a message holds in some of its fields."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from google.protobuf import descriptor_pb2 as pb


def narrowed(
    descriptors: pb.FileDescriptorSet, type_name: str, fields: Sequence[str]
) -> pb.FileDescriptorSet:
    """Return the files with a message of these fields alone, and with all that they hold; for the
    lite runtime. Programs of the whole schema would compile for long."""
    narrow = pb.FileDescriptorSet()
    narrow.CopyFrom(descriptors)
    declared = {
        f".{file.package}.{one.name}": (file, one)
        for file in narrow.file
        for one in (*file.message_type, *file.enum_type)
    }
    _, top = declared[f".{type_name}"]
    kept = [field for field in top.field if field.name in fields]
    del top.field[:]
    top.field.extend(kept)
    needed: dict[str, set[str]] = {}
    waiting = [f".{type_name}"]
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed[name] = {_outermost(one, declared) for one in _references(declared[name][1])}
            waiting += needed[name]
    for file in narrow.file:
        names = {name for name in needed if declared[name][0] is file}
        for declarations in (file.message_type, file.enum_type):
            remaining = [one for one in declarations if f".{file.package}.{one.name}" in names]
            del declarations[:]
            declarations.extend(remaining)
        others = {declared[other][0].name for name in names for other in needed[name]}
        file.ClearField("public_dependency")
        file.ClearField("weak_dependency")
        file.ClearField("extension")
        file.ClearField("service")
        file.dependency[:] = sorted(others - {file.name})
        file.options.optimize_for = pb.FileOptions.LITE_RUNTIME
    return pb.FileDescriptorSet(
        file=[file for file in narrow.file if file.message_type or file.enum_type]
    )


def _references(declared: pb.DescriptorProto | pb.EnumDescriptorProto) -> Iterator[str]:
    """Yield the types of a message's fields, and of those in it."""
    if isinstance(declared, pb.DescriptorProto):
        yield from (field.type_name for field in declared.field if field.type_name)
        for nested in declared.nested_type:
            yield from _references(nested)


def _outermost(name: str, declared: dict[str, tuple[pb.FileDescriptorProto, Any]]) -> str:
    """Return the declaration of a file that a type is, or is nested in."""
    while name not in declared:
        name = name.rpartition(".")[0]
    return name
