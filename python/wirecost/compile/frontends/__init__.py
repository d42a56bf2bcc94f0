# SPDX-License-Identifier: Apache-2.0
"""From what a user has to the IR: one file a kind of source."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from wirecost.compile.frontends import descriptor_set, module, proto, ros
from wirecost.compile.schema import CompileError, Enum, File, Message, Schema
from wirecost.errors import UserError


def load(inputs: Sequence[str], include: Sequence[Path] = (), dialect: str | None = None) -> Schema:
    """Read ``.proto`` files, descriptor sets, ``.msg``/``.srv`` files or Python modules.

    ``include`` are folders in which imports are searched. ``dialect``: ``ros1`` or ``ros2``, the
    dialect of ``.msg`` files. The schema holds the inputs and everything they import. Raises
    CompileError, or UserError where an input cannot be read at all.
    """
    of_kind: dict[str, list[str]] = {"proto": [], "set": [], "ros": [], "module": []}
    for name in inputs:
        of_kind[_kind(name)].append(name)
    files: dict[str, File] = {}
    if of_kind["proto"]:
        files |= {f.name: f for f in proto.load([Path(p) for p in of_kind["proto"]], include)}
    for name in of_kind["set"]:
        files |= {f.name: f for f in descriptor_set.load(Path(name))}
    if of_kind["ros"]:
        files |= {f.name: f for f in ros.load([Path(p) for p in of_kind["ros"]], include, dialect)}
    for name in of_kind["module"]:
        files |= {f.name: f for f in module.load(name)}
    _refuse_declared_twice(files.values())
    return Schema(tuple(files.values()))


def _refuse_declared_twice(files: Iterable[File]) -> None:
    """Each frontend knows its own files only; a service's halves have made-up names."""
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


def _kind(name: str) -> str:
    path = Path(name)
    if path.is_dir():
        raise UserError(f"{name}: error: is a folder; name the files in it")
    suffix = path.suffix
    if suffix == ".proto":
        return "proto"
    if suffix in (".msg", ".srv", ".action"):
        return "ros"
    if suffix in (".fds", ".pb", ".desc", ".binpb"):
        return "set"
    if "/" in name and not path.exists():
        raise UserError(f"{name}: error: no such file; name a schema")
    if path.exists():
        raise UserError(
            f"{name}: error: not a kind of schema that is known; give .proto, .msg, .srv, a "
            "descriptor set (.fds, .pb, .desc, .binpb) or a Python module with descriptors"
        )
    return "module"
