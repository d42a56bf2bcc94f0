# SPDX-License-Identifier: Apache-2.0
"""Names of a schema become names of generated code and paths: each must be one and nothing else.

Texts that are values may be anything, but not longer than all languages can write.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from wirecost.schema.compile.schema import CompileError, File, Origin

LONGEST = 255
"""Characters of a name: as much as a file's name may have."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
LONGEST_TEXT = 30_000
"""Bytes of a default or of a constant: Java's class files have room for no much longer one."""
_REMEDY = f"take letters, digits and underscores, no digit first, at most {LONGEST}"


def refuse_bad_names(files: Iterable[File], source: str) -> None:
    """Raise CompileError for the first name that is none. ``source``: the input, for people."""
    for file in files:
        _refuse_bad_path(file.name, source)
        for origin, what, name in _names(file, source):
            if len(name) > LONGEST or not _NAME.fullmatch(name):
                where = "" if origin.file == source else f" in {source}"
                quoted = f"`{name[: 2 * LONGEST]}`{where}"
                raise CompileError(origin, f"{quoted} is no name of {what}", _REMEDY)


def refuse_long_values(files: Iterable[File]) -> None:
    """Raise CompileError for the first text that is too long a value."""
    for file in files:
        fields = [f for message in file.messages for f in message.fields]
        fields += [extension.field for extension in file.extensions]
        values = [(c.name, c.value, m.origin) for m in file.messages for c in m.constants]
        values += [(f.name, f.default, f.origin) for f in fields if f.default is not None]
        values += [(f"{f.name} in JSON", f.json_name, f.origin) for f in fields]
        for name, value, origin in values:
            data = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
            if isinstance(data, bytes) and len(data) > LONGEST_TEXT:
                raise CompileError(
                    origin, f"the value of {name} is longer than {LONGEST_TEXT} bytes", "shorten it"
                )


def _refuse_bad_path(name: str, source: str) -> None:
    """Raise CompileError for a path that is not as protoc has those that files are imported by."""
    parts = name.split("/")
    if "\\" in name or not name.isprintable() or {"", ".", ".."} & set(parts):
        raise CompileError(
            Origin(source),
            f"`{name}` is no name of a file",
            "take a relative path without `.`, `..`, backslashes and invisible characters",
        )


def _names(file: File, source: str) -> Iterator[tuple[Origin, str, str]]:
    """Yield where each name is declared, what it names, and the name."""
    here = Origin(source)
    for part in file.package.split(".") if file.package else ():
        yield here, "a package", part
    for enum in file.enums:
        for part in file.local_name(enum.full_name).split("."):
            yield enum.origin, "an enum", part
        for value in enum.values:
            yield enum.origin, "an enum's value", value.name
    for message in file.messages:
        for part in file.local_name(message.full_name).split("."):
            yield message.origin, "a message", part
        for oneof in message.oneofs:
            yield message.origin, "a oneof", oneof
        for constant in message.constants:
            yield message.origin, "a constant", constant.name
        for item in message.fields:
            for named in filter(None, (item, item.key, item.value)):
                yield item.origin, "a field", named.name
    for extension in file.extensions:
        yield extension.field.origin, "an extension", extension.field.name
