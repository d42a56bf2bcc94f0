# SPDX-License-Identifier: Apache-2.0
"""Parts of a type, whatever the wire: what they are, and how many there can be."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

from wirecost.schema.compile.schema import Kind, Schema
from wirecost.system.errors import UserError

MOST_PARTS = 20_000
"""Parts of a type: a short definition can have any number."""
DEEPEST = 100
"""Messages in messages, as deep as Google's readers allow."""
FORMATS = dict(zip(Kind, "bcCsSiIlLfg", strict=False))
"""Arrow's formats of fixed-width values."""
BINARY, TEXT, STRUCTURE = "Z", "U", "+s"


class PartKind(IntEnum):
    """How a part lies on the wire, by its number in C++."""

    RECORDED = 0
    SCALAR = 1
    TIME = 2
    TEXT = 3
    SEQUENCE = 4
    BLOCK = 5
    STRUCTURE = 6
    LIST = 7
    ARRAY = 8
    POINTS = 9


class Part(NamedTuple):
    """A part of a type; see ``cpp/wirecost/arrow/plan.hpp``.

    ``is_hidden``: it is kept to read points by and has no column; ``offset``: within a point. Of
    Protobuf: the field's ``number``, its ``coding``, whether it ``is_nullable``, the number of its
    ``oneof`` in the message, from 1 on, and an enum's numbers and ``names``, ascending. Of JSON:
    ``size`` is 1 where a text is the value as JSON.
    """

    kind: PartKind
    name: str
    format: str
    width: int = 0
    size: int = 0
    children: int = 0
    is_kept: bool = True
    is_hidden: bool = False
    offset: int = 0
    number: int = 0
    coding: int = 0
    is_nullable: bool = False
    oneof: int = 0
    names: tuple[tuple[int, str], ...] = ()


Wanted = dict[str, "Wanted"] | None
"""Fields that are kept, by name; None for all."""


_PLAIN_NAME = re.compile(r'[^."]+')
_STEP = re.compile(r'"(?:[^"\\]|\\.)*"|[^.]+')


def joined(path: str, name: str) -> str:
    """Return the path of a field within another; names of JSON with dots are in quotes."""
    step = name if _PLAIN_NAME.fullmatch(name) else json.dumps(name, ensure_ascii=False)
    return f"{path}.{step}" if path else step


def steps(path: str) -> list[str]:
    """Return the names of a path."""
    found: list[str] = _STEP.findall(path)
    return [str(json.loads(step)) if step.startswith('"') else step for step in found]


@dataclass
class PartsBuilder:
    """What both builders note: paths of fields, and messages without fields."""

    schema: Schema
    source: str
    paths: dict[str, None] = field(default_factory=dict)
    dropped: list[str] = field(default_factory=list)
    count: int = 0

    def check_depth(self, name: str, depth: int) -> None:
        """Raise UserError where a message lies too deep."""
        if depth > DEEPEST:
            raise UserError(
                f"{self.source}: {name} lies more than {DEEPEST} messages deep; "
                "choose another topic"
            )

    def note(self, path: str) -> None:
        """Count a field. Raises UserError where there are too many."""
        self.paths[path] = None
        self.count += 1
        if self.count > MOST_PARTS:
            raise UserError(
                f"{self.source}: the type has more than {MOST_PARTS:,} fields in fields, the most "
                "that are read as columns; choose another topic"
            )
