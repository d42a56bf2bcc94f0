# SPDX-License-Identifier: Apache-2.0
"""A descriptor set is data: nothing says that protoc made it. It is checked before it is used."""

from __future__ import annotations

import graphlib
from collections.abc import Collection, Iterable, Iterator

from google.protobuf import descriptor_pb2 as pb
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import Message

from wirecost.schema.compile.schema import CompileError, Origin

_Descriptor = pb.FieldDescriptorProto
_NAMED = (_Descriptor.TYPE_MESSAGE, _Descriptor.TYPE_GROUP, _Descriptor.TYPE_ENUM)
GOOGLES_OWN = "google/protobuf/"
"""Folder of the well-known types."""
_NO_KEYS = (*_NAMED, _Descriptor.TYPE_BYTES, _Descriptor.TYPE_FLOAT, _Descriptor.TYPE_DOUBLE)


def refuse_bytes(descriptors: Message, source: str) -> None:
    """Raise CompileError for a text that is not UTF-8, which Protobuf gives as bytes."""
    if not all(isinstance(text, str) for text in _texts(descriptors)):
        raise CompileError(
            Origin(source), "holds text that is not UTF-8", "save the schema as UTF-8"
        )


def _texts(message: Message) -> Iterator[object]:
    for field, value in message.ListFields():
        values = value if field.is_repeated else [value]
        if field.type == field.TYPE_STRING:
            yield from values
        elif field.type == field.TYPE_MESSAGE:
            for inner in values:
                yield from _texts(inner)


def checked(
    descriptors: Iterable[pb.FileDescriptorProto], source: str
) -> list[pb.FileDescriptorProto]:
    """Return the files, dependencies first. Raises CompileError if they are not valid."""
    ordered = in_order(descriptors, source)
    _refuse_invalid(ordered, source)
    return ordered


def in_order(
    descriptors: Iterable[pb.FileDescriptorProto], source: str
) -> list[pb.FileDescriptorProto]:
    """Return each file once, behind those it imports.

    Raises CompileError where one is missing, is there twice with different contents, or imports
    itself.
    """
    files = _each_once(descriptors, source)
    _refuse_missing(files.values())
    return _dependencies_first(files)


def _each_once(
    descriptors: Iterable[pb.FileDescriptorProto], source: str
) -> dict[str, pb.FileDescriptorProto]:
    """Return the files by name.

    Of equal ones the one with comments is taken, of Google's own the first, because those of all
    versions fit.
    """
    files: dict[str, pb.FileDescriptorProto] = {}
    for file in descriptors:
        other = files.setdefault(file.name, file)
        if other is file or file.name.startswith(GOOGLES_OWN):
            continue
        if _without_comments(other) != _without_comments(file):
            raise CompileError(
                Origin(file.name),
                f"is in {source} twice, with different contents",
                "rename one of the two, or use a set for each",
            )
        if not other.HasField("source_code_info"):
            files[file.name] = file
    return files


def _without_comments(file: pb.FileDescriptorProto) -> pb.FileDescriptorProto:
    bare = pb.FileDescriptorProto()
    bare.CopyFrom(file)
    bare.ClearField("source_code_info")
    return bare


def _refuse_missing(descriptors: Collection[pb.FileDescriptorProto]) -> None:
    present = {d.name for d in descriptors}
    for descriptor in descriptors:
        for needed in descriptor.dependency:
            if needed not in present:
                raise CompileError(
                    Origin(descriptor.name),
                    f"imports {needed}, which is not in the descriptor set",
                    "make the set with --include_imports",
                )


def _dependencies_first(files: dict[str, pb.FileDescriptorProto]) -> list[pb.FileDescriptorProto]:
    """Return the files with dependencies first.

    protoc writes them so, and its order stays; other tools need not.
    """
    seen: set[str] = set()
    if all(_seen_before(file, seen) for file in files.values()):
        return list(files.values())
    graph = {name: list(file.dependency) for name, file in files.items()}
    try:
        return [files[name] for name in graphlib.TopologicalSorter(graph).static_order()]
    except graphlib.CycleError as error:
        circle = error.args[1]
        raise CompileError(
            Origin(circle[0]), f"imports itself: {' → '.join(circle)}", "make a new descriptor set"
        ) from error


def _seen_before(descriptor: pb.FileDescriptorProto, seen: set[str]) -> bool:
    """Return whether what a file imports is in ``seen``, to which it is added."""
    before = seen.issuperset(descriptor.dependency)
    seen.add(descriptor.name)
    return before


def _refuse_invalid(descriptors: Iterable[pb.FileDescriptorProto], source: str) -> None:
    """Raise CompileError for a file that Protobuf's own runtime refuses."""
    pool = DescriptorPool()
    for descriptor in descriptors:
        try:
            pool.AddSerializedFile(descriptor.SerializeToString())
        except (TypeError, ValueError) as error:
            what = f"{source} describes it wrongly ({str(error).splitlines()[0]})"
            raise CompileError(
                Origin(descriptor.name), what, "make a new descriptor set with protoc"
            ) from error


def refuse_odd_type(descriptor: pb.FieldDescriptorProto, origin: Origin) -> None:
    """Raise CompileError for a type that protoc would not write, such as a relative one."""
    named = descriptor.type in _NAMED
    if not descriptor.HasField("type") or named != descriptor.type_name.startswith("."):
        raise CompileError(
            origin,
            f"the type of {descriptor.name} is not written as protoc writes it",
            "make a new descriptor set with protoc",
        )


def refuse_odd_entry(
    descriptor: pb.FieldDescriptorProto, entry: pb.DescriptorProto, origin: Origin
) -> None:
    """Raise CompileError for entries that protoc would not make: with no key and value."""
    numbers = [f.number for f in entry.field]
    keys = [f.type for f in entry.field if f.number == 1]
    is_repeated = descriptor.label == _Descriptor.LABEL_REPEATED
    singles = all(f.label == _Descriptor.LABEL_OPTIONAL for f in entry.field)
    if sorted(numbers) != [1, 2] or not is_repeated or not singles or keys[0] in _NO_KEYS:
        raise CompileError(
            origin,
            f"{descriptor.name} has entries that are none of a map",
            "make a new descriptor set with protoc",
        )
