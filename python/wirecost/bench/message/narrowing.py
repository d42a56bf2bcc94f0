# SPDX-License-Identifier: Apache-2.0
"""Part of a large schema: what a message holds in some of its fields."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from google.protobuf import descriptor_pb2 as pb

Declared = pb.DescriptorProto | pb.EnumDescriptorProto


def narrowed(
    descriptors: pb.FileDescriptorSet, type_name: str, fields: Sequence[str]
) -> pb.FileDescriptorSet:
    """Return the files with a message of these fields alone, and with all that they hold; for the
    lite runtime. Programs of the whole schema would compile for long."""
    narrow = pb.FileDescriptorSet()
    narrow.CopyFrom(descriptors)
    declared = {name: (one, file.name) for file in narrow.file for name, one in _declared(file)}
    top = declared[type_name][0]
    assert isinstance(top, pb.DescriptorProto)
    kept = [field for field in top.field if field.name in fields]
    del top.field[:]
    top.field.extend(kept)
    reached = _reached(type_name, {name: one for name, (one, _) in declared.items()})
    homes = {name: file for name, (_, file) in declared.items() if name in reached}
    for file in narrow.file:
        prefix = f"{file.package}." if file.package else ""
        _keep(file, prefix, reached, file.message_type)
        needed = {
            homes[_plain(field.type_name)]
            for _, one in _declared(file)
            if isinstance(one, pb.DescriptorProto)
            for field in one.field
            if field.type_name
        }
        file.ClearField("dependency")
        file.ClearField("public_dependency")
        file.ClearField("weak_dependency")
        file.ClearField("service")
        file.dependency.extend(sorted(needed - {file.name}))
        file.options.optimize_for = pb.FileOptions.LITE_RUNTIME
    return pb.FileDescriptorSet(file=[file for file in narrow.file if any(_declared(file))])


def _declared(file: pb.FileDescriptorProto) -> Iterator[tuple[str, Declared]]:
    """Yield the messages and enums of a file by their full names."""
    prefix = f"{file.package}." if file.package else ""
    waiting = [(prefix, one) for one in file.message_type]
    yield from ((f"{prefix}{one.name}", one) for one in file.enum_type)
    while waiting:
        outer, message = waiting.pop()
        name = f"{outer}{message.name}"
        yield name, message
        yield from ((f"{name}.{one.name}", one) for one in message.enum_type)
        waiting += [(f"{name}.", nested) for nested in message.nested_type]


def _reached(type_name: str, declared: dict[str, Declared]) -> set[str]:
    reached: set[str] = set()
    waiting = [type_name]
    while waiting:
        name = waiting.pop()
        one = declared[name]
        if name not in reached and isinstance(one, pb.DescriptorProto):
            waiting += [_plain(field.type_name) for field in one.field if field.type_name]
        reached.add(name)
    return reached


def _plain(reference: str) -> str:
    return reference.removeprefix(".")


def _keep(
    holder: pb.FileDescriptorProto | pb.DescriptorProto,
    prefix: str,
    reached: set[str],
    messages: Sequence[pb.DescriptorProto],
) -> None:
    """Leave what is reached in a file or message, and what has such a thing within."""
    holder.ClearField("extension")
    enums = [one for one in holder.enum_type if f"{prefix}{one.name}" in reached]
    del holder.enum_type[:]
    holder.enum_type.extend(enums)
    kept = []
    for message in messages:
        name = f"{prefix}{message.name}"
        _keep(message, f"{name}.", reached, message.nested_type)
        if name not in reached:
            message.ClearField("field")
            message.ClearField("oneof_decl")
        if name in reached or message.nested_type or message.enum_type:
            kept.append(message)
    held = holder.nested_type if isinstance(holder, pb.DescriptorProto) else holder.message_type
    del held[:]
    held.extend(kept)
