# SPDX-License-Identifier: Apache-2.0
"""What a generated module states about a message's fields, and the wire's numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

BAND = 1 << 26
"""Field n has its column at n, what else belongs to it at k · BAND + n."""
PRESENCE, OFFSETS, SCALE, BASE, CONSTANT = (k * BAND for k in range(1, 6))
COUNT, PADDING = 7 * BAND, 7 * BAND + 1
ALIGNMENT = 64
MOST_ELEMENTS = (1 << 31) - 1
LIMIT = 1 << 26
"""Elements and last offsets that a reader takes unless another limit is given."""

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5

DTYPES: dict[str, np.dtype[Any]] = {
    "bool": np.dtype("?"),
    "int8": np.dtype("i1"),
    "uint8": np.dtype("u1"),
    "int16": np.dtype("<i2"),
    "uint16": np.dtype("<u2"),
    "int32": np.dtype("<i4"),
    "uint32": np.dtype("<u4"),
    "int64": np.dtype("<i8"),
    "uint64": np.dtype("<u8"),
    "float32": np.dtype("<f4"),
    "float64": np.dtype("<f8"),
    "enum": np.dtype("<i4"),
}
"""How the values of a kind are held."""
OFFSET = np.dtype("<u4")


@dataclass(frozen=True)
class Reduction:
    """How a writer may store a column: ``exact``, ``auto``, ``float32`` or ``error``."""

    form: str = "exact"
    error: float = 0.0

    @classmethod
    def parse(cls, text: str) -> Reduction:
        """``exact``, ``auto``, ``float32`` or ``error:<largest error>``. Raises ValueError."""
        form, _, number = text.partition(":")
        if form == "error":
            error = float(number) if number else math.nan
            if math.isfinite(error) and error > 0:
                return cls(form, error)
        elif form in ("exact", "auto", "float32") and not number:
            return cls(form)
        raise ValueError(
            f"{text!r} is not a reduction; give exact, auto, float32 or error:<largest error>"
        )


@dataclass(frozen=True)
class Node:
    """A field of a message in columns, or, with number 0, the message itself."""

    number: int
    path: str
    """Field names from the root, dotted; empty for the root."""
    kind: str
    """A key of ``DTYPES``, ``string``, ``bytes`` or ``message``."""
    attribute: str = ""
    """Of the columns' class, where it is not the field's name."""
    row_attribute: str = ""
    """Of a row, where it is not the field's name."""
    repeated: bool = False
    optional: bool = False
    """Can be absent, which differs from the default."""
    required: bool = False
    """Is there wherever the message around it is, also in bytes."""
    lacks: bool = False
    """A row without it has ``None``."""
    wraps: bool = False
    """A repeated text: the only child has the texts."""
    is_map: bool = False
    default: bool | int | float | str | bytes | None = None
    oneof: str = ""
    capacity: int | None = None
    """Most elements of a repeated field; all of them if it is ``fixed``."""
    fixed: bool = False
    text_capacity: int | None = None
    reduction: str = "exact"
    children: tuple[Node, ...] = ()
    group: Callable[..., Any] | None = None
    """Class of a message's columns."""
    holder: Callable[..., Any] | None = None
    """Class of a message among rows."""
    by_number: dict[int, Node] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        self.by_number.update((child.number, child) for child in self.children)

    @property
    def field_name(self) -> str:
        return self.path.rpartition(".")[2]

    @property
    def name(self) -> str:
        """Attribute of the columns' class."""
        return self.attribute or self.field_name

    @property
    def held(self) -> str:
        """Attribute of a row."""
        return self.row_attribute or self.field_name

    @property
    def is_text(self) -> bool:
        return self.kind in ("string", "bytes")

    @property
    def is_message(self) -> bool:
        return self.kind == "message"

    @property
    def width(self) -> int:
        """Bytes of a stored value of a scalar without reduction; of an enum the least."""
        return 1 if self.kind == "enum" else DTYPES[self.kind].itemsize

    @property
    def is_packed(self) -> bool:
        """Whether the column is a packed field unless it is scaled."""
        return not self.is_message and not self.is_text and self.width >= 4

    def can_reduce(self, form: str) -> bool:
        """Whether a reduction makes sense for the field."""
        if form == "float32":
            return self.kind == "float64"
        if form == "error":
            return self.kind in ("float64", "float32")
        return not self.is_message
