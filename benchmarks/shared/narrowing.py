# SPDX-License-Identifier: Apache-2.0
"""Part of a large schema: what a message holds in some of its fields."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from google.protobuf import descriptor_pb2 as pb

Declared = pb.DescriptorProto | pb.EnumDescriptorProto


def narrowed(
    descriptors: pb.FileDescriptorSet, type_name: str, fields: Sequence[str]
) -> pb.FileDescriptorSet:
    """Return the files with a message of these fields alone, for the lite runtime.

    They have all that the fields hold. Programs of the whole schema would compile for long.
    """
    narrow = pb.FileDescriptorSet()
    narrow.CopyFrom(descriptors)
    homes = {
        f".{file.package}.{item.name}": (file, item)
        for file in narrow.file
        for item in _declared(file)
    }
    _, top = homes[f".{type_name}"]
    assert isinstance(top, pb.DescriptorProto)
    chosen = [field for field in top.field if field.name in fields]
    del top.field[:]
    top.field.extend(chosen)
    needed: dict[str, set[str]] = {}
    waiting = [f".{type_name}"]
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed[name] = {
                _outermost(reference, homes) for reference in _references(homes[name][1])
            }
            waiting += needed[name]
    for file in narrow.file:
        prefix = f".{file.package}."
        messages = [message for message in file.message_type if f"{prefix}{message.name}" in needed]
        enums = [enum for enum in file.enum_type if f"{prefix}{enum.name}" in needed]
        del file.message_type[:], file.enum_type[:]
        file.message_type.extend(messages)
        file.enum_type.extend(enums)
        others = {
            homes[other][0].name
            for item in _declared(file)
            for other in needed[f"{prefix}{item.name}"]
        }
        file.ClearField("public_dependency")
        file.ClearField("weak_dependency")
        file.ClearField("extension")
        file.ClearField("service")
        file.dependency[:] = sorted(others - {file.name})
        file.options.optimize_for = pb.FileOptions.LITE_RUNTIME
    return pb.FileDescriptorSet(file=[file for file in narrow.file if _declared(file)])


def _declared(file: pb.FileDescriptorProto) -> list[Declared]:
    return [*file.message_type, *file.enum_type]


def _references(declared: Declared) -> Iterator[str]:
    """Yield the types of a message's fields, and of those in it."""
    if isinstance(declared, pb.DescriptorProto):
        yield from (field.type_name for field in declared.field if field.type_name)
        for nested in declared.nested_type:
            yield from _references(nested)


def _outermost(name: str, homes: Container[str]) -> str:
    """Return the declaration of a file that a type is, or is nested in."""
    while name not in homes:
        name = name.rpartition(".")[0]
    return name
