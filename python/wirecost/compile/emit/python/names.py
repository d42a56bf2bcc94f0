# SPDX-License-Identifier: Apache-2.0
"""How declarations are called in Python and in which module they lie."""

from __future__ import annotations

import keyword
from pathlib import PurePosixPath

from wirecost.compile.emit import location
from wirecost.compile.plan import WIRES
from wirecost.compile.schema import Enum, Field, File, Message, Schema

# Names a class body uses for other things.
_TAKEN = {"bool", "bytes", "dict", "float", "int", "list", "str", "unknown_fields"}
_TAKEN |= {f"{verb}_{wire}" for verb in ("encode", "decode", "encoded_size") for wire in WIRES}


def identifier(name: str) -> str:
    """``name``; with an underscore behind if Python or the generated code has another use for it.

    Different names stay different: ``in`` → ``in_``, ``in_`` → ``in__``.
    """
    if name.startswith("__"):
        name = f"field{name}"  # Python mangles names that begin so
    core = name.rstrip("_")
    return f"{name}_" if keyword.iskeyword(core) or core in _TAKEN else name


def enum_member(name: str) -> str:
    """Every member of Python's enums has a ``name`` and a ``value``."""
    return f"{name}_" if name.rstrip("_") in ("mro", "name", "value") else identifier(name)


def attribute(item: Field) -> str:
    return identifier(item.name)


def class_name(file: File, full_name: str) -> str:
    """``EventMetaData_UserInfo`` for a nested one."""
    return identifier(file.local_name(full_name).replace(".", "_"))


def short_name(full_name: str) -> str:
    """``UserInfo``, as the message around it calls it."""
    return identifier(full_name.rpartition(".")[2])


def module_place(file: File) -> PurePosixPath:
    """A module's place below the namespace, without suffix."""
    return PurePosixPath(*(identifier(part) for part in location(file).parts))


def folders(schema: Schema) -> frozenset[PurePosixPath]:
    """All folders that hold modules, without the namespace's own."""
    found: set[PurePosixPath] = set()
    for file in schema.files:
        found.update(p for p in module_place(file).parents if p.parts)
    return frozenset(found)


def declarations(file: File) -> list[Message | Enum]:
    return [*file.messages, *file.enums]


def oneof_members(message: Message, oneof: str) -> tuple[Field, ...]:
    return tuple(f for f in message.fields if f.oneof == oneof)


def is_ros(file: File) -> bool:
    return file.name.endswith((".msg", ".srv"))
