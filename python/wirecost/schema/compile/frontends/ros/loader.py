# SPDX-License-Identifier: Apache-2.0
"""Order of reading: names are looked up, used files read before their users."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from wirecost.schema.compile.frontends.ros import builtin
from wirecost.schema.compile.frontends.ros.builtin import Dialect
from wirecost.schema.compile.frontends.ros.grammar import Declaration
from wirecost.schema.compile.frontends.ros.packages import (
    LONGEST_NAME,
    Finder,
    folder_of,
    name_of,
    read,
    sources,
)
from wirecost.schema.compile.frontends.ros.reader import FileReader
from wirecost.schema.compile.schema import CompileError, File, MessageRef, Origin
from wirecost.system.current_folder import from_here
from wirecost.system.foreign import shortened

_IDENTIFIER = re.compile(r"[A-Za-z]\w*", re.ASCII)
DEEPEST = 100
"""Messages one inside the other: no decoder goes deeper."""


def qualified(name: str, package: str) -> tuple[str, str] | None:
    """Return package and message that a type's name means inside ``package``.

    None if it is neither form.
    """
    match name.split("/"):
        case [message]:
            return package, message
        case [other, message] | [other, "msg", message]:
            return other, message
    return None


class Loader:
    """Loads each file once, and what it uses before it."""

    def __init__(self, finder: Finder, dialect: Dialect, inputs: Sequence[Path]) -> None:
        self._finder = finder
        self._dialect = dialect
        self._files: dict[str, File] = {}
        self._open: list[str] = []
        """Names of the files that are being loaded, outermost first."""
        self._paths: dict[str, Path] = {}
        for path in inputs:
            name = _file_name(path)
            earlier = self._paths.setdefault(name, path)
            if not earlier.samefile(path):
                raise CompileError(
                    Origin(str(path)), f"{name} is {earlier} already", "give one of the two"
                )

    def add(self, path: Path) -> None:
        self._load(_file_name(path), path)

    def files(self) -> list[File]:
        return list(self._files.values())

    def _load(self, name: str, path: Path) -> None:
        if name in self._files:
            return
        package = name.partition("/")[0]
        readable = from_here(path)
        for part in (package, path.stem):
            if not _IDENTIFIER.fullmatch(part):
                raise CompileError(
                    Origin(readable), f"`{part}` is no name of a package or message", "rename it"
                )
        self._open.append(name)
        reader = FileReader(readable, package, self._dialect, self._message)
        file = replace(reader.file(name, read(path)), sources=sources(path))
        if path.suffix == ".srv" and self._finder.find(package, path.stem):
            file = replace(file, stem=f"{path.stem}_srv")
        self._open.pop()
        self._files[name] = file

    def _message(self, declaration: Declaration, package: str) -> tuple[MessageRef, str]:
        """Return the message a declaration's type means, and the file it is in, which is loaded."""
        written, origin = declaration.type, declaration.origin
        builtin_type = self._dialect.types.get(written)
        if isinstance(builtin_type, MessageRef):
            return self._builtin(builtin_type)
        if len(written) > LONGEST_NAME:
            raise CompileError(
                origin,
                f"`{shortened(written, 40)}` is no type",
                f"no name of a type is longer than {LONGEST_NAME}",
            )
        used = qualified(written, package)
        if written == "Header" and not self._dialect.is_ros2:
            used = ("std_msgs", "Header")
        if used is None:
            raise CompileError(
                origin, f"`{written}` is no type", "write a message of another package PACKAGE/NAME"
            )
        name = f"{used[0]}/{used[1]}.msg"
        path = self._paths.get(name) or self._finder.find(*used)
        if path is None and ".".join(used) in builtin.FILES:
            return self._builtin(MessageRef(".".join(used)))
        if path is None:
            raise self._unknown(written, origin, used, package)
        if name in self._open:
            circle = [*self._open[self._open.index(name) :], name]
            raise CompileError(
                origin,
                f"{' uses '.join(n.removesuffix('.msg') for n in circle)}",
                "a message cannot contain itself; remove the field",
            )
        if len(self._open) >= DEEPEST:
            raise CompileError(
                origin,
                f"{self._open[0]} holds more than {DEEPEST} messages, one inside the other",
                "nest fewer: no decoder goes deeper",
            )
        self._load(name, path)
        return MessageRef(".".join(used)), name

    def _builtin(self, message: MessageRef) -> tuple[MessageRef, str]:
        source = builtin.FILES[message.name]
        self._files.setdefault(source.name, source)
        return message, source.name

    def _unknown(
        self, written: str, origin: Origin, used: tuple[str, str], package: str
    ) -> CompileError:
        names = self._finder.names(used[0])
        if "/" not in written:
            for dialect in builtin.DIALECTS.values():
                if written in dialect.types:
                    what = f"`{written}` is a type of {dialect.name} only"
                    instead = "builtin_interfaces/Time or builtin_interfaces/Duration"
                    return CompileError(origin, what, f"use {instead}, or --dialect {dialect.name}")
            if written in ("wstring", "u16string"):
                return CompileError(origin, f"`{written}` is not supported", "use string")
            meant = difflib.get_close_matches(written, [*self._dialect.types, *names], 1)
            remedy = "write a message of another package PACKAGE/NAME"
            what = f"`{written}` is no type, nor a message of {package}"
            return CompileError(origin, what, f"did you mean {meant[0]}?" if meant else remedy)
        if names:
            meant = difflib.get_close_matches(used[1], names, 1)
            remedy = f"did you mean {used[0]}/{meant[0]}?" if meant else "see the package's folder"
            return CompileError(origin, f"package {used[0]} has no message {used[1]}", remedy)
        searched = ", ".join(map(from_here, self._finder.roots))
        what = f"package {used[0]} is not found in {searched}"
        return CompileError(origin, what, "give the folder that holds it with -I")


def _file_name(path: Path) -> str:
    return f"{name_of(folder_of(path))}/{path.name}"
