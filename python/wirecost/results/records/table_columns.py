# SPDX-License-Identifier: Apache-2.0
"""What the columns of a table must be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

LARGEST_NUMBER = 1e18
"""Nanoseconds: 31 years. Sums and products of such numbers stay finite."""
SMALLEST_NUMBER = 1e-9
"""That is not 0: quotients stay finite."""


class Kind(Enum):
    """What the values of a column are, whatever their width in a file."""

    TEXT = "text"
    WHOLE = "whole numbers"
    NUMBER = "numbers"


@dataclass(frozen=True)
class Column:
    """``least``: of its numbers. ``optional``: older files have none; it is read as nulls."""

    kind: Kind
    least: float = -LARGEST_NUMBER
    nullable: bool = False
    optional: bool = False


TEXT = Column(Kind.TEXT)
WHOLE, COUNT = Column(Kind.WHOLE), Column(Kind.WHOLE, 0)
NUMBER, AMOUNT = Column(Kind.NUMBER), Column(Kind.NUMBER, 0)
Columns = Mapping[str, Column]
"""By name; ``counter:*`` is every name that begins so."""
