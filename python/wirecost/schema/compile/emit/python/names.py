# SPDX-License-Identifier: Apache-2.0
"""Names of declarations in Python, and the modules in which they lie."""

from __future__ import annotations

import keyword
import re
from pathlib import PurePosixPath

from wirecost.schema.compile.emit import location
from wirecost.schema.compile.plan.wires import SEQUENTIAL, WIRES
from wirecost.schema.compile.schema import Enum, Field, File, Message, Schema

# Names a class body uses for other things.
_TAKEN = {"bool", "bytes", "dict", "float", "int", "list", "str", "unknown_fields"}
_TAKEN |= {"_field", "classmethod", "_json", "from_json", "to_json"}
_TAKEN |= {f"{verb}_{wire}" for verb in ("encode", "decode", "encoded_size") for wire in WIRES}
_TAKEN |= {f"encode_{wire}_{form}" for form in ("parts", "into") for wire in SEQUENTIAL}
_IN_FUNCTIONS = frozenset(
    re.findall(
        r"\w+",
        """budget bytearray cls data depth empties end entry fault frozenset group high item key
        last len m n order parts pos range self setattr sorted start tag type unknown value
        views""",
    )
)
"""Names that generated functions use: no class of a module has one of them."""
_MODULES = {"_columns", "_json", "_native", "_wirecost"}
"""Modules beside the generated ones."""


def identifier(name: str) -> str:
    """Return ``name``, with an underscore behind if Python or the generated code uses it.

    Different names stay different: ``in`` → ``in_``, ``in_`` → ``in__``.
    """
    if name.startswith("__"):
        name = f"field{name}"  # Python mangles names that begin so
    core = name.rstrip("_")
    return f"{name}_" if keyword.iskeyword(core) or core in _TAKEN else name


def enum_member(name: str) -> str:
    """Return a member's name, which is none of those that Python's enums have themselves."""
    member = f"{name}_" if name.rstrip("_") in ("mro", "name", "value") else identifier(name)
    return f"field{member}" if member.startswith("_") and member.endswith("_") else member


def attribute(item: Field) -> str:
    return identifier(item.name)


def class_name(file: File, full_name: str) -> str:
    """Return a class's name, ``EventMetaData_UserInfo`` for a nested one.

    Names that begin with ``_`` are the codecs'.
    """
    name = identifier(file.local_name(full_name).replace(".", "_"))
    if name.startswith("_"):
        return f"message{name}"
    return f"{name}_" if name.rstrip("_") in _IN_FUNCTIONS else name


def short_name(full_name: str) -> str:
    """Return a nested declaration's name within the message around it, ``UserInfo``."""
    return identifier(full_name.rpartition(".")[2])


def module_place(file: File) -> PurePosixPath:
    """Return a module's place below the namespace, without suffix."""
    parts = (identifier(part) for part in location(file).parts)
    return PurePosixPath(*(f"{name}_" if name.rstrip("_") in _MODULES else name for name in parts))


def folders(schema: Schema) -> frozenset[PurePosixPath]:
    """Return all folders that hold modules, without the namespace's own."""
    parents: set[PurePosixPath] = set()
    for file in schema.files:
        parents.update(p for p in module_place(file).parents if p.parts)
    return frozenset(parents)


def declarations(file: File) -> list[Message | Enum]:
    return [*file.messages, *file.enums]


def oneof_members(message: Message, oneof: str) -> tuple[Field, ...]:
    return message.members.get(oneof, ())


def is_ros(file: File) -> bool:
    return file.name.endswith((".msg", ".srv"))
