# SPDX-License-Identifier: Apache-2.0
"""Declarations of a table's columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

LARGEST_NUMBER = 1e18
"""Nanoseconds: 31 years. Sums and products of such numbers stay finite."""
SMALLEST_NUMBER = 1e-9
"""Smallest number that is not 0: quotients stay finite."""


class ColumnKind(Enum):
    """Kind of a column's values, whatever their width in a file."""

    TEXT = "text"
    WHOLE = "whole numbers"
    NUMBER = "numbers"


@dataclass(frozen=True)
class TableColumn:
    """``least``: of its numbers. ``optional``: older files have none; it is read as nulls."""

    kind: ColumnKind
    least: float = -LARGEST_NUMBER
    nullable: bool = False
    optional: bool = False


TEXT = TableColumn(ColumnKind.TEXT)
WHOLE, COUNT = TableColumn(ColumnKind.WHOLE), TableColumn(ColumnKind.WHOLE, 0)
NUMBER, AMOUNT = TableColumn(ColumnKind.NUMBER), TableColumn(ColumnKind.NUMBER, 0)
Columns = Mapping[str, TableColumn]
"""Columns by name; ``counter:*`` is every name that begins so."""
