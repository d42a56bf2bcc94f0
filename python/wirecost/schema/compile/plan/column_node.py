# SPDX-License-Identifier: Apache-2.0
"""A field of a message in columns, and the numbers that its parts have."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from functools import cached_property

from wirecost.schema.compile.plan.reductions import EXACT, Reduction
from wirecost.schema.compile.schema import Coding, EnumRef, Field, Kind, Label, MessageRef, Presence

BAND = 1 << 26
"""Field n of the columned message has its column at n, what belongs to it at k · BAND + n."""


class Band(IntEnum):
    """k: what a number belongs to."""

    COLUMN = 0
    PRESENCE = 1
    OFFSETS = 2
    SCALE = 3
    BASE = 4
    CONSTANT = 5
    COLUMNS = 6
    OWN = 7

    def number(self, field: int) -> int:
        return self * BAND + field


COUNT = Band.OWN.number(0)
PADDING = Band.OWN.number(1)


class Shape(StrEnum):
    SCALAR = "scalar"
    TEXT = "text"
    MESSAGE = "message"


@dataclass(frozen=True)
class Node:
    """A field of the root or of a message in it."""

    index: int
    """Its place in ``Root.nodes``; its subtree ends before ``end``."""
    end: int
    parent: int | None
    """The message node around it; None in the root itself."""
    path: tuple[str, ...]
    """Field names from the root."""
    field: Field
    in_entry: bool = False
    """It is the key or value of a map: rows always have it."""
    reduction: Reduction = EXACT

    @property
    def number(self) -> int:
        return self.field.number

    @property
    def name(self) -> str:
        return self.path[-1]

    @property
    def dotted(self) -> str:
        return ".".join(self.path)

    @property
    def repeated(self) -> bool:
        """True if it has offsets; the last one counts its elements, and all below it."""
        return self.field.label is not Label.SINGLE

    @property
    def is_map(self) -> bool:
        """True if its children are the fields key and value of a map."""
        return self.field.label is Label.MAP

    @cached_property
    def wraps(self) -> bool:
        """True for a repeated text, whose only child (field 1) stands for the texts."""
        return self.repeated and not self.is_map and _is_text(self.field)

    @cached_property
    def shape(self) -> Shape:
        if self.is_map or self.wraps or isinstance(self.field.type, MessageRef):
            return Shape.MESSAGE
        return Shape.TEXT if _is_text(self.field) else Shape.SCALAR

    @cached_property
    def kind(self) -> Kind | None:
        """Return a scalar's kind; None for an enum, a text and a message."""
        type_ = self.field.type
        return type_ if self.shape is Shape.SCALAR and isinstance(type_, Kind) else None

    @cached_property
    def optional(self) -> bool:
        """True if it can be absent, which differs from the default."""
        item = self.field
        if self.repeated or item.presence is Presence.REQUIRED:
            return False
        explicit = item.presence is Presence.EXPLICIT or item.oneof is not None
        return explicit or self.shape is Shape.MESSAGE

    @property
    def required(self) -> bool:
        """True if a row without it is none."""
        return self.field.presence is Presence.REQUIRED and not self.repeated

    @property
    def type_name(self) -> str:
        """Name of its type: ``float64``, ``enum``, ``text``, ``message`` and others."""
        if self.shape is not Shape.SCALAR:
            return self.shape.value
        return "enum" if self.kind is None else self.kind.value

    @property
    def coding(self) -> Coding:
        """Return how a scalar stands in rows."""
        is_real = self.kind in (Kind.FLOAT32, Kind.FLOAT64)
        return Coding.FIXED if is_real else self.field.coding

    @property
    def is_enum(self) -> bool:
        return isinstance(self.field.type, EnumRef) and self.shape is Shape.SCALAR

    @property
    def width(self) -> int:
        """Bytes of a stored value of a scalar without reduction; of an enum the least."""
        return 1 if self.kind is None else self.kind.width or 1

    @property
    def in_bytes(self) -> bool:
        """True if its column is ``bytes``, as of texts and of scalars of width 1 and 2."""
        return self.shape is Shape.TEXT or self.width < 4


def _is_text(item: Field) -> bool:
    return isinstance(item.type, Kind) and item.type.is_text
