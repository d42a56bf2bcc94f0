# SPDX-License-Identifier: Apache-2.0
"""Types that a trace's metadata declares; sizes and alignments are bits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from wirecost.results.records.ctf.tokens import TsdlError

DEEPEST = 24
MOST_STEPS = 2_000_000


@dataclass(frozen=True)
class Extent:
    """Extent of a type.

    ``align``: bits; ``depth``: types inside of one another; ``size``: what is to be read where each
    type inside is written out, nothing as little as 0.
    """

    align: int = 1
    depth: int = 1
    size: int = 1


@dataclass(frozen=True)
class Integer:
    """An integer type.

    ``big_endian`` None: as the trace; ``clock``: the clock that its value is of; ``is_text``: its
    bytes are characters.
    """

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
    """Raises TsdlError where what is inside nests too deep or is too much."""

    fields: tuple[tuple[str, Type], ...]
    align: int = 1
    extent: Extent = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        inside = [extent_of(part) for _, part in self.fields]
        align = max([self.align, *(extent.align for extent in inside)])
        object.__setattr__(self, "extent", _around(inside, align))


@dataclass(frozen=True)
class Variant:
    """``tag``: the path of an enumeration read before; None in a declaration without one.

    Raises TsdlError where what is inside nests too deep or is too much.
    """

    tag: str | None
    options: tuple[tuple[str, Type], ...]
    extent: Extent | None = field(default=None, repr=False, compare=False)
    """Kept where only the tag is replaced."""

    def __post_init__(self) -> None:
        if self.extent is None:
            inside = (extent_of(option) for _, option in self.options)
            object.__setattr__(self, "extent", _around(inside, align=1))


@dataclass(frozen=True)
class Array:
    """``length``: a number, or the path of a field read before.

    Raises TsdlError where arrays nest too deep.
    """

    element: Type
    length: int | str
    extent: Extent = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        inside = extent_of(self.element)
        object.__setattr__(self, "extent", _around([inside], inside.align))


Type: TypeAlias = Integer | Float | Text | Enum | Struct | Variant | Array


def extent_of(declared: Type) -> Extent:
    match declared:
        case Integer() | Float():
            return Extent(declared.align)
        case Enum():
            return Extent(declared.base.align)
        case Text():
            return Extent(align=8)
        case Struct() | Array():
            return declared.extent
        case Variant():
            assert declared.extent is not None
            return declared.extent


def _around(inside: Iterable[Extent], align: int) -> Extent:
    depth = size = 1
    for extent in inside:
        depth = max(depth, 1 + extent.depth)
        size += extent.size
    if depth > DEEPEST:
        raise TsdlError("types nest too deep")
    if size > MOST_STEPS:
        raise TsdlError("too many fields")
    return Extent(align, depth, size)


Attributes: TypeAlias = dict[str, int | str]
EMPTY = Struct(())


@dataclass
class Clock:
    frequency: int = 1_000_000_000
    offset_s: int = 0
    offset: int = 0
    """Offset in ticks, from 1970."""


@dataclass
class Stream:
    event_header: Struct = EMPTY
    event_context: Struct = EMPTY
    packet_context: Struct = EMPTY


@dataclass
class TraceEvent:
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
    events: dict[tuple[int, int], TraceEvent] = field(default_factory=dict)
    """Events by stream and event number."""
