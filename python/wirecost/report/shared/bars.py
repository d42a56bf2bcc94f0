# SPDX-License-Identifier: Apache-2.0
"""How long the bars in a table's cells are."""

from __future__ import annotations

import math

from wirecost.report.shared.table import Amount, Table


def with_bars(table: Table) -> list[list[tuple[str, int | None]]]:
    """The table's rows, beside each cell the length of its bar in percent of the longest one.

    Scales are linear and begin at 0, so a length means what its number does, and small numbers
    beside large ones have none that can be seen. None: the cell has no bar, because its column has
    none (``Table.bars``), its number is negative or not finite, or all numbers are the same.
    """
    lengths: dict[tuple[int, int], int] = {}
    for group in table.bars:
        headings = {group} if isinstance(group, str) else set(group)
        # The first column has names, whatever its heading is.
        columns = [i for i, name in enumerate(table.headings) if i and name in headings]
        lengths |= _lengths(table.rows, columns)
    return [
        [(cell, lengths.get((row, column))) for column, cell in enumerate(cells)]
        for row, cells in enumerate(table.rows)
    ]


def _lengths(rows: list[list[str]], columns: list[int]) -> dict[tuple[int, int], int]:
    """By row and column; empty where there is nothing to compare."""
    values = {
        (row, column): value
        for row, cells in enumerate(rows)
        for column in columns
        if column < len(cells) and (value := _value(cells[column])) is not None
    }
    if len(set(values.values())) < 2:
        return {}
    most = max(values.values())
    return {place: round(100 * (value / most)) for place, value in values.items()}


def _value(cell: str) -> float | None:
    if not isinstance(cell, Amount):
        return None
    try:
        value = float(cell.value)
    except OverflowError:  # an integer of a file
        return None
    return value if math.isfinite(value) and value >= 0 else None
