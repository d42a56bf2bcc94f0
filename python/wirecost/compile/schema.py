# SPDX-License-Identifier: Apache-2.0
"""The compiler's intermediate representation: typed, independent of source and target language."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from wirecost.errors import UserError


@dataclass(frozen=True)
class Origin:
    """Where something was declared; line 0 when the source has no lines."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        parts = [self.file, *(str(n) for n in (self.line, self.column) if n)]
        return ":".join(parts)


class CompileError(UserError):
    """A fault in a schema: ``file:line:column: error: what; what to do``."""

    def __init__(self, origin: Origin, what: str, remedy: str) -> None:
        super().__init__(f"{origin}: error: {what}; {remedy}")
        self.origin = origin


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
    def width(self) -> int | None:
        """Bytes of a fixed-width value; None for strings and bytes."""
        return _WIDTHS.get(self)

    @property
    def is_text(self) -> bool:
        return self in (Kind.STRING, Kind.BYTES)


_WIDTHS = {
    Kind.BOOL: 1,
    Kind.INT8: 1,
    Kind.UINT8: 1,
    Kind.INT16: 2,
    Kind.UINT16: 2,
    Kind.INT32: 4,
    Kind.UINT32: 4,
    Kind.INT64: 8,
    Kind.UINT64: 8,
    Kind.FLOAT32: 4,
    Kind.FLOAT64: 8,
}


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
    """How many values a field holds."""

    SINGLE = "single"
    REPEATED = "repeated"
    """Any number, or up to ``Field.capacity``."""
    ARRAY = "array"
    """Exactly ``Field.capacity``."""
    MAP = "map"


class Presence(StrEnum):
    """Whether a single field can be absent."""

    IMPLICIT = "implicit"
    """Always has a value; Protobuf leaves the default out."""
    EXPLICIT = "explicit"
    """Can be absent, which differs from having the default."""
    REQUIRED = "required"
    """Always has a value and is always sent."""


class Coding(StrEnum):
    """How Protobuf writes an integer; the other wires do not care."""

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
    comment: str = ""
    origin: Origin = Origin("")

    @property
    def is_optional(self) -> bool:
        """Whether the holder must tell absent from present."""
        return (
            self.label is Label.SINGLE and self.presence is Presence.EXPLICIT and self.oneof is None
        )


@dataclass(frozen=True)
class Constant:
    """A named value in a ``.msg`` file."""

    name: str
    type: Kind
    value: Value
    comment: str = ""


@dataclass(frozen=True)
class EnumValue:
    name: str
    number: int
    comment: str = ""


@dataclass(frozen=True)
class Enum:
    """An enum. ``closed``: a number that is not declared is an unknown field (proto2)."""

    full_name: str
    values: tuple[EnumValue, ...]
    closed: bool = False
    comment: str = ""
    origin: Origin = Origin("")


@dataclass(frozen=True)
class Message:
    """A message; fields in the order of declaration, which ``ros1`` and ``cdr`` follow."""

    full_name: str
    fields: tuple[Field, ...]
    oneofs: tuple[str, ...] = ()
    constants: tuple[Constant, ...] = ()
    comment: str = ""
    origin: Origin = Origin("")
    parent: str | None = None
    """Full name of the message it is nested in."""


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
    comment: str = ""

    def local_name(self, full_name: str) -> str:
        """A declaration's name without the package: ``LidarSensorView.Reflection``."""
        return full_name.removeprefix(f"{self.package}.") if self.package else full_name


@dataclass(frozen=True)
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
        """The file that declares a message or enum."""
        return self._homes[full_name]

    def messages(self) -> Iterator[Message]:
        for file in self.files:
            yield from file.messages

    def recursive(self, message: Message, item: Field) -> bool:
        """Whether a single message field of ``message`` can contain ``message`` again inline."""
        if not isinstance(item.type, MessageRef) or item.label not in (Label.SINGLE, Label.ARRAY):
            return False
        return message.full_name in self._inline_reach(item.type.name)

    def _inline_reach(self, start: str) -> set[str]:
        reached: set[str] = set()
        waiting = [start]
        while waiting:
            name = waiting.pop()
            if name in reached:
                continue
            reached.add(name)
            waiting += [
                f.type.name
                for f in self._messages[name].fields
                if isinstance(f.type, MessageRef) and f.label in (Label.SINGLE, Label.ARRAY)
            ]
        return reached
