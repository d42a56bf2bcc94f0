# SPDX-License-Identifier: Apache-2.0
"""Readers of what a user has into the IR: one file per kind of source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from importlib.machinery import PathFinder
from pathlib import Path, PurePosixPath

from google.protobuf import descriptor_pb2 as pb

from wirecost.schema.compile.frontends import descriptor_checks, descriptor_set, module, proto, ros
from wirecost.schema.compile.frontends.checked import refuse_bad_names, refuse_long_values
from wirecost.schema.compile.schema import (
    CompileError,
    Enum,
    EnumRef,
    File,
    Message,
    MessageRef,
    Origin,
    Schema,
)
from wirecost.system.errors import UserError
from wirecost.system.file_kinds import reading_command

SETS = (".fds", ".pb", ".desc", ".binpb", ".protoset", ".bin")
"""Names under which tools keep FileDescriptorSets: protoc, buf, grpcurl, prost."""


def load(
    inputs: Sequence[str],
    include: Sequence[Path] = (),
    dialect: str | None = None,
    any_case: bool = False,
) -> Schema:
    """Read ``.proto`` files, descriptor sets, ``.msg``/``.srv`` files or Python modules.

    ``include`` are folders in which imports are searched. ``dialect``: ``ros1`` or ``ros2``, the
    dialect of ``.msg`` files; ``any_case``: names in these need not be as ROS 2 wants them. The
    schema holds the inputs and everything they import. Raises CompileError, or UserError where an
    input cannot be read at all.
    """
    of_kind: dict[str, list[str]] = {"proto": [], "set": [], "ros": [], "module": []}
    for name in inputs:
        of_kind[_kind(name)].append(name)
    files: dict[str, File] = {}

    def add(loaded: Iterable[File], source: str) -> None:
        new_files = list(loaded)
        refuse_bad_names(new_files, source)
        refuse_long_values(new_files)
        for file in new_files:
            _refuse_another(file, files.setdefault(file.name, file), source)

    if protos := of_kind["proto"]:
        add(proto.load([Path(p) for p in protos], include), protos[0])
    for name in of_kind["set"]:
        add(descriptor_set.load(Path(name)), name)
    if messages := of_kind["ros"]:
        add(ros.load([Path(p) for p in messages], include, dialect, any_case), messages[0])
    for name in of_kind["module"]:
        add(module.load(name), name)
    return _schema(files.values())


def descriptors(inputs: Sequence[str], include: Sequence[Path] = ()) -> pb.FileDescriptorSet:
    """Return schemas as Protobuf's own tools read them, with all that they import, in any order.

    Inputs are ``.proto`` files, descriptor sets and modules. Raises CompileError, or UserError
    where an input cannot be read or is none of Protobuf's.
    """
    of_kind: dict[str, list[str]] = {"proto": [], "set": [], "module": []}
    for name in inputs:
        kind = _kind(name)
        if kind not in of_kind:
            raise UserError(f"{name}: error: no schema of Protobuf's; give .proto files")
        of_kind[kind].append(name)
    sets = []
    if protos := of_kind["proto"]:
        sets.append(proto.descriptors([Path(p) for p in protos], include))
    sets += [descriptor_set.read(Path(name)) for name in of_kind["set"]]
    sets += [module.descriptors(name) for name in of_kind["module"]]
    return pb.FileDescriptorSet(file=(file for part in sets for file in part.file))


def in_order(found: pb.FileDescriptorSet, source: str) -> pb.FileDescriptorSet:
    """Return each file once, behind those it imports, as Protobuf's own runtime needs them.

    ``source``: what the files are from, for people. Raises CompileError.
    """
    return pb.FileDescriptorSet(file=descriptor_checks.in_order(found.file, source))


def load_descriptors(found: pb.FileDescriptorSet, source: str) -> Schema:
    """Load files that another program has parsed. ``source``: it, for people."""
    files = descriptor_set.described(found, source)
    refuse_bad_names(files, source)
    refuse_long_values(files)
    return _schema(files)


def _schema(files: Iterable[File]) -> Schema:
    files = list(files)
    _refuse_declared_twice(files)
    _refuse_undeclared(files)
    return Schema(tuple(_with_own_stems(files)))


def _refuse_another(file: File, other: File, source: str) -> None:
    """Raise CompileError where an earlier input has a file of that name which is another."""
    if file != other and not file.name.startswith(descriptor_checks.GOOGLES_OWN):
        raise CompileError(
            Origin(file.name),
            f"is in {source} another file than in the input before it",
            "compile them apart, or rename one of the two",
        )


def _with_own_stems(files: list[File]) -> list[File]:
    """Return the files, of which those with one place get stems of their own.

    ``a/x.proto`` and ``b/x.proto`` of one package are written as ``a_x`` and ``b_x``.
    """
    sharing = Counter((file.package, _stem(file)) for file in files)
    return [
        file
        if sharing[file.package, _stem(file)] == 1
        else replace(file, stem="_".join(PurePosixPath(file.name).with_suffix("").parts))
        for file in files
    ]


def _stem(file: File) -> str:
    return file.stem or PurePosixPath(file.name).stem


def _refuse_declared_twice(files: Iterable[File]) -> None:
    """Raise CompileError for a name that two files declare.

    Each frontend knows its own files only; a service's halves have made-up names.
    """
    seen: dict[str, File] = {}
    for file in files:
        declarations: tuple[Message | Enum, ...] = (*file.messages, *file.enums)
        for declared in declarations:
            other = seen.setdefault(declared.full_name, file)
            if other is not file:
                raise CompileError(
                    declared.origin,
                    f"{declared.full_name} is declared in {other.name} already",
                    "rename one of the two or compile them apart",
                )


def _refuse_undeclared(files: Iterable[File]) -> None:
    """Raise CompileError for a type that nothing declares.

    A map's entries, for one, are known to their own map only.
    """
    messages = {m.full_name for file in files for m in file.messages}
    enums = {e.full_name for file in files for e in file.enums}
    for file in files:
        held = [(m.full_name, item) for m in file.messages for item in m.fields]
        held += [(extension.scope, extension.field) for extension in file.extensions]
        for owner, item in held:
            type_ = item.type if item.value is None else item.value.type
            declared = messages if isinstance(type_, MessageRef) else enums
            if isinstance(type_, MessageRef | EnumRef) and type_.name not in declared:
                raise CompileError(
                    item.origin,
                    f"{owner}.{item.name} is of type {type_.name}, which nothing declares",
                    "declare it, or make a new descriptor set with protoc",
                )


def _is_module(name: str) -> bool:
    """Return whether Python finds it, as it does ``trip.proto`` where a package ``trip`` has it.

    Nothing of it is run: the name may be that of a missing file.
    """
    folders = None
    for part in name.split("."):
        spec = PathFinder.find_spec(part, folders) if part.isidentifier() else None
        if spec is None:
            return False
        folders = spec.submodule_search_locations or []
    return True


def _kind(name: str) -> str:
    path = Path(name)
    if path.is_dir():
        raise UserError(
            f"{name}: error: a folder; {reading_command(path) or 'name the files in it'}"
        )
    suffix = path.suffix
    if suffix in (".proto", ".proto3") and (path.exists() or not _is_module(name)):
        return "proto"
    if suffix in (".msg", ".srv", ".action"):
        return "ros"
    if suffix in SETS:
        return "set"
    if "/" in name and not path.exists():
        raise UserError(f"{name}: error: no such file; name a schema")
    if path.exists():
        if command := reading_command(path):
            raise UserError(f"{name}: error: no schema; {command}")
        raise UserError(
            f"{name}: error: not a kind of schema that is known; give .proto, .msg, .srv, a "
            f"descriptor set ({', '.join(SETS)}) or a Python module with descriptors"
        )
    return "module"
