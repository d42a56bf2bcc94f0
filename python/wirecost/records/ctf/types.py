# SPDX-License-Identifier: Apache-2.0
"""What a trace's metadata declares. Sizes and alignments are bits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True)
class Integer:
    """``big_endian`` None: as the trace; ``clock``: the clock that its value is of; ``is_text``:
    its bytes are characters."""

    size: int
    align: int
    signed: bool = False
    big_endian: bool | None = None
    clock: str | None = None
    is_text: bool = False


@dataclass(frozen=True)
class Float:
    size: int
    align: int


@dataclass(frozen=True)
class Text:
    """Bytes that end with a zero."""


@dataclass(frozen=True)
class Enum:
    """``ranges``: the values of each label, both ends included."""

    base: Integer
    ranges: dict[str, list[tuple[int, int]]]


@dataclass(frozen=True)
class Struct:
    fields: tuple[tuple[str, Type], ...]
    align: int = 1


@dataclass(frozen=True)
class Variant:
    """``tag``: the path of an enumeration read before; None in a declaration without one."""

    tag: str | None
    options: tuple[tuple[str, Type], ...]


@dataclass(frozen=True)
class Array:
    """``length``: a number, or the path of a field read before."""

    element: Type
    length: int | str


Type: TypeAlias = Integer | Float | Text | Enum | Struct | Variant | Array

Attributes: TypeAlias = dict[str, int | str]
EMPTY = Struct(())


@dataclass
class Clock:
    frequency: int = 1_000_000_000
    offset_s: int = 0
    offset: int = 0
    """In ticks, from 1970."""


@dataclass
class Stream:
    event_header: Struct = EMPTY
    event_context: Struct = EMPTY
    packet_context: Struct = EMPTY


@dataclass
class Event:
    name: str
    stream: int
    context: Struct = EMPTY
    fields: Struct = EMPTY


@dataclass
class Metadata:
    big_endian: bool = False
    packet_header: Struct = EMPTY
    env: Attributes = field(default_factory=dict)
    clocks: dict[str, Clock] = field(default_factory=dict)
    streams: dict[int, Stream] = field(default_factory=dict)
    events: dict[tuple[int, int], Event] = field(default_factory=dict)
    """By stream and event number."""
