# SPDX-License-Identifier: Apache-2.0
"""An importable Python module or package with Protobuf descriptors, such as ``osi3``, to the IR."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from google.protobuf import descriptor_pb2 as pb
from google.protobuf.descriptor import FileDescriptor

from wirecost.schema.compile.frontends import descriptor_set
from wirecost.schema.compile.schema import File
from wirecost.system.errors import UserError


def load(name: str) -> list[File]:
    """Return all files of a module, or of a package's ``*_pb2`` modules, and what they import."""
    protos, sources = _described(name)
    return [
        replace(file, sources=sources.get(file.name, ()))
        for file in descriptor_set.convert(protos.file)
    ]


def descriptors(name: str) -> pb.FileDescriptorSet:
    """Return the same files as their descriptors. Raises UserError."""
    return _described(name)[0]


def _described(name: str) -> tuple[pb.FileDescriptorSet, dict[str, tuple[Path, ...]]]:
    files: dict[str, FileDescriptor] = {}
    sources: dict[str, tuple[Path, ...]] = {}
    for module in _modules(name):
        descriptor = getattr(module, "DESCRIPTOR", None)
        if isinstance(descriptor, FileDescriptor):
            _collect(descriptor, files)
            if module.__file__ is not None:
                sources[descriptor.name] = (Path(module.__file__),)
    if not files:
        raise UserError(f"{name}: the module holds no Protobuf descriptors; name a *_pb2 module")
    protos = pb.FileDescriptorSet()
    for file in files.values():
        file.CopyToProto(protos.file.add())
    return protos, sources


def _modules(name: str) -> list[ModuleType]:
    try:
        top = importlib.import_module(name)
        below = [
            importlib.import_module(f"{name}.{m.name}")
            for m in sorted(
                pkgutil.iter_modules(getattr(top, "__path__", [])), key=lambda m: m.name
            )
            if m.name.endswith("_pb2")
        ]
    except ImportError as error:
        raise UserError(f"{name}: cannot be imported ({error}); is it installed here?") from error
    return [top, *below]


def _collect(file: FileDescriptor, found: dict[str, FileDescriptor]) -> None:
    for dependency in file.dependencies:
        _collect(dependency, found)
    found.setdefault(file.name, file)
