# SPDX-License-Identifier: Apache-2.0
"""The compiler's intermediate representation: typed, independent of source and target language."""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import NoReturn

from wirecost.schema.compile.graph import components
from wirecost.system.errors import UserError
from wirecost.system.foreign import printable, shortened


class FreeText(str):
    """A comment, or a text that is a value. Nothing prints it as it is.

    In generated text it is a comment or a literal, made by a function of ``emit.escape``. Printing,
    formatting or joining it raises TypeError, in templates as well, so that none can forget that.
    """

    __slots__ = ()

    def __str__(self) -> NoReturn:
        raise TypeError("text of a schema is printed by the functions of emit.escape only")

    def __format__(self, _: str) -> NoReturn:
        self.__str__()

    def __add__(self, _: object) -> NoReturn:
        self.__str__()

    def __radd__(self, _: object) -> NoReturn:
        self.__str__()

    def __mod__(self, _: object) -> NoReturn:
        self.__str__()


@dataclass(frozen=True)
class Origin:
    """Place of a declaration; line 0 when the source has no lines."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        parts = [self.file, *(str(n) for n in (self.line, self.column) if n)]
        return ":".join(parts)


class CompileError(UserError):
    """A fault in a schema: ``file:line:column: error: what; what to do``."""

    def __init__(self, origin: Origin, what: str, remedy: str) -> None:
        fault = shortened(printable(what), _LONGEST)
        super().__init__(f"{printable(str(origin))}: error: {fault}; {printable(remedy)}")
        self.origin = origin


@dataclass(frozen=True)
class Omission:
    """Declaration of a schema that the output leaves out.

    Its text is ``file:line:column: warning: what; what to do``.
    """

    origin: Origin = field(compare=False)
    what: str
    remedy: str
    in_classes: bool = False
    """True if C++ classes with Protobuf's interface have it all the same."""

    def __str__(self) -> str:
        fault = shortened(printable(self.what), _LONGEST)
        return f"{printable(str(self.origin))}: warning: {fault}; {printable(self.remedy)}"


_LONGEST = 1000
"""Characters that an error says about a schema, in which names and texts can be long."""


class Kind(StrEnum):
    """Types of values that are no message and no enum."""

    BOOL = "bool"
    INT8 = "int8"
    UINT8 = "uint8"
    INT16 = "int16"
    UINT16 = "uint16"
    INT32 = "int32"
    UINT32 = "uint32"
    INT64 = "int64"
    UINT64 = "uint64"
    FLOAT32 = "float32"
    FLOAT64 = "float64"
    STRING = "string"
    BYTES = "bytes"

    @property
    def code(self) -> str:
        """Code of a fixed-width value for ``struct`` and, but for bool, for ``array``."""
        return _CODES[self]

    @property
    def width(self) -> int | None:
        """Bytes of a fixed-width value; None for strings and bytes."""
        return _WIDTHS.get(self)

    @property
    def is_text(self) -> bool:
        return self in (Kind.STRING, Kind.BYTES)


_CODES = dict(zip(Kind, "?bBhHiIqQfd", strict=False))
_WIDTHS = {kind: struct.calcsize(f"<{code}") for kind, code in _CODES.items()}


@dataclass(frozen=True)
class EnumRef:
    """A reference to an enum by its full name."""

    name: str


@dataclass(frozen=True)
class MessageRef:
    """A reference to a message by its full name."""

    name: str


Type = Kind | EnumRef | MessageRef


class Label(StrEnum):
    """Number of values that a field holds."""

    SINGLE = "single"
    REPEATED = "repeated"
    """Any number, or up to ``Field.capacity``."""
    ARRAY = "array"
    """Exactly ``Field.capacity``."""
    MAP = "map"


class Presence(StrEnum):
    """Presence of a single field: whether it can be absent."""

    IMPLICIT = "implicit"
    """Always has a value; Protobuf leaves the default out."""
    EXPLICIT = "explicit"
    """Can be absent, which differs from having the default."""
    REQUIRED = "required"
    """Always has a value and is always sent."""


class Coding(StrEnum):
    """Form in which Protobuf writes an integer; the other wires do not care."""

    VARINT = "varint"
    ZIGZAG = "zigzag"
    FIXED = "fixed"


Value = bool | int | float | str | bytes


@dataclass(frozen=True)
class Field:
    """A field of a message, or the key or value of a map's entries."""

    name: str
    number: int
    type: Type
    label: Label = Label.SINGLE
    presence: Presence = Presence.IMPLICIT
    coding: Coding = Coding.VARINT
    packed: bool = False
    group: bool = False
    """Written between Protobuf's group tags instead of behind a length."""
    utf8: bool = False
    """A string whose UTF-8 a decoder must check."""
    default: Value | None = None
    """Declared default; for an enum the number. None: zero or empty."""
    oneof: str | None = None
    capacity: int | None = None
    text_capacity: int | None = None
    """Longest string or bytes allowed, in bytes."""
    key: Field | None = None
    value: Field | None = None
    json_name: str = ""
    """The name in JSON where the source declares one; any text."""
    comment: str = field(default="", compare=False)
    origin: Origin = field(default=Origin(""), compare=False)

    def __post_init__(self) -> None:
        _guard(self, "comment", "default", "json_name")

    @property
    def is_optional(self) -> bool:
        """Return whether the holder must distinguish absent from present."""
        return (
            self.label is Label.SINGLE and self.presence is Presence.EXPLICIT and self.oneof is None
        )


@dataclass(frozen=True)
class Constant:
    """A named value in a ``.msg`` file."""

    name: str
    type: Kind
    value: Value
    comment: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        _guard(self, "comment", "value")


@dataclass(frozen=True)
class EnumValue:
    name: str
    number: int
    comment: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        _guard(self, "comment")


@dataclass(frozen=True)
class Enum:
    """An enum. ``closed``: a number that is not declared is an unknown field (proto2)."""

    full_name: str
    values: tuple[EnumValue, ...]
    closed: bool = False
    comment: str = field(default="", compare=False)
    origin: Origin = field(default=Origin(""), compare=False)

    def __post_init__(self) -> None:
        _guard(self, "comment")


@dataclass(frozen=True)
class Message:
    """A message; fields in the order of declaration, which ``ros1`` and ``cdr`` follow."""

    full_name: str
    fields: tuple[Field, ...]
    oneofs: tuple[str, ...] = ()
    constants: tuple[Constant, ...] = ()
    comment: str = field(default="", compare=False)
    origin: Origin = field(default=Origin(""), compare=False)
    parent: str | None = None
    """Full name of the message it is nested in."""
    extensible: bool = False
    """True if files may add extensions to it."""

    def __post_init__(self) -> None:
        _guard(self, "comment")

    @cached_property
    def members(self) -> dict[str, tuple[Field, ...]]:
        """The fields of each oneof."""
        by_oneof: dict[str, list[Field]] = {oneof: [] for oneof in self.oneofs}
        for item in self.fields:
            if item.oneof is not None:
                by_oneof.setdefault(item.oneof, []).append(item)
        return {oneof: tuple(fields) for oneof, fields in by_oneof.items()}

    @cached_property
    def choices(self) -> dict[str, int]:
        """Positions of fields in their oneofs, from 1 on, by the field's name."""
        return {f.name: i for fields in self.members.values() for i, f in enumerate(fields, 1)}


@dataclass(frozen=True)
class OptionType:
    """An option of files, which is an extension of ``google.protobuf.FileOptions``."""

    name: str
    number: int
    type: MessageRef


@dataclass(frozen=True)
class Extension:
    """A field that a file adds to a message, its own or another file's."""

    field: Field
    extendee: MessageRef
    scope: str
    """Full name of the message that declares it, or the package."""

    @property
    def full_name(self) -> str:
        return f"{self.scope}.{self.field.name}" if self.scope else self.field.name


@dataclass(frozen=True)
class File:
    """One source file: what it declares, nested declarations flattened, and what it imports.

    ``name`` is the path by which others import it: ``osi_common.proto``, ``std_msgs/Header.msg``.
    """

    name: str
    package: str
    """Dotted: ``rsb.protocol``."""
    messages: tuple[Message, ...]
    enums: tuple[Enum, ...] = ()
    imports: tuple[str, ...] = ()
    comment: str = field(default="", compare=False)
    omissions: tuple[Omission, ...] = ()
    stem: str = ""
    """Name of the output, without suffix, where the file's own would be that of another."""
    options: bytes = b""
    """The file's own options, serialized."""
    option_types: tuple[OptionType, ...] = ()
    extensions: tuple[Extension, ...] = ()
    """Extensions of messages; options are extensions of Protobuf's own."""
    sources: tuple[Path, ...] = field(default=(), compare=False)
    """The files on disk that it was read from: those that change it when they change."""

    def __post_init__(self) -> None:
        _guard(self, "comment")

    @cached_property
    def nested(self) -> dict[str, tuple[Message | Enum, ...]]:
        """Declarations directly inside a message or the package, by that one's full name."""
        by_outer: dict[str, list[Message | Enum]] = {}
        declarations: tuple[Message | Enum, ...] = (*self.messages, *self.enums)
        for declared in declarations:
            by_outer.setdefault(declared.full_name.rpartition(".")[0], []).append(declared)
        return {outer: tuple(inner) for outer, inner in by_outer.items()}

    def local_name(self, full_name: str) -> str:
        """Return a declaration's name without the package: ``LidarSensorView.Reflection``."""
        return full_name.removeprefix(f"{self.package}.") if self.package else full_name


@dataclass(frozen=True, eq=False)
class Schema:
    """All files of a compilation, dependencies first."""

    files: tuple[File, ...]
    _messages: dict[str, Message] = field(default_factory=dict, repr=False)
    _enums: dict[str, Enum] = field(default_factory=dict, repr=False)
    _homes: dict[str, File] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        for file in self.files:
            self._messages.update((m.full_name, m) for m in file.messages)
            self._enums.update((e.full_name, e) for e in file.enums)
            declarations: tuple[Message | Enum, ...] = (*file.messages, *file.enums)
            for declared in declarations:
                self._homes[declared.full_name] = file

    def message(self, name: str | MessageRef) -> Message:
        return self._messages[name if isinstance(name, str) else name.name]

    def enum(self, name: str | EnumRef) -> Enum:
        return self._enums[name if isinstance(name, str) else name.name]

    def home(self, full_name: str) -> File:
        """Return the file that declares a message or enum."""
        return self._homes[full_name]

    def messages(self) -> Iterator[Message]:
        for file in self.files:
            yield from file.messages

    def imported(self, file: File) -> list[File]:
        """Return the files that a file imports, in the order of the schema."""
        return [self.files[i] for i in sorted({self._places[name] for name in file.imports})]

    @cached_property
    def imports(self) -> frozenset[str]:
        """Names of all files that another one imports."""
        return frozenset(name for file in self.files for name in file.imports)

    @cached_property
    def references(self) -> dict[str, Collection[str]]:
        """Messages, by message, that its fields hold in any form, maps in their values."""
        return {
            m.full_name: dict.fromkeys(
                type_.name
                for type_ in (f.type if f.value is None else f.value.type for f in m.fields)
                if isinstance(type_, MessageRef)
            )
            for m in self.messages()
        }

    @cached_property
    def inline(self) -> dict[str, Collection[str]]:
        """Messages, by message, that single fields and arrays of fixed length hold."""
        return {
            m.full_name: dict.fromkeys(
                f.type.name
                for f in m.fields
                if isinstance(f.type, MessageRef) and f.label in (Label.SINGLE, Label.ARRAY)
            )
            for m in self.messages()
        }

    @cached_property
    def inside_out(self) -> tuple[Message, ...]:
        """All messages, each behind those it holds inline, as far as none holds itself."""
        number = self._components
        return tuple(sorted(self.messages(), key=lambda m: number[m.full_name]))

    def recursive(self, message: Message, item: Field) -> bool:
        """Return whether a single field of ``message`` can contain ``message`` again inline."""
        if not isinstance(item.type, MessageRef) or item.label not in (Label.SINGLE, Label.ARRAY):
            return False
        return self._components[message.full_name] == self._components[item.type.name]

    @cached_property
    def _components(self) -> dict[str, int]:
        return components(self.inline)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {file.name: i for i, file in enumerate(self.files)}


def _guard(declared: object, *names: str) -> None:
    """Make the texts of a declaration such that nobody prints them as they are."""
    for name in names:
        value = getattr(declared, name)
        if isinstance(value, str) and not isinstance(value, FreeText):
            object.__setattr__(declared, name, FreeText(value))
