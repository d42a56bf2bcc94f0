# SPDX-License-Identifier: Apache-2.0
"""Sizes and errors of columns: bytes of each field, and how far its values are off."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from wirecost.data.traces.messages import BAND
from wirecost.data.traces.wire import fields

if TYPE_CHECKING:
    from wirecost_osi._columns import Columns, Node

MOST_DISTINCT = 1 << 16
"""Distinct values that are counted; of more only that there are more is known."""


def payloads(node: Node, content: memoryview) -> dict[str, int]:
    """Return the bytes of each field by its dotted path, without tags, lengths and padding.

    They include all that belongs to a field: column, presence, offsets, scale and so on. A message
    has the bytes of its fields.
    """
    sizes: dict[str, int] = {}
    for number, value in fields(content):
        band, of = divmod(number, BAND)
        child = node.by_number.get(of)
        if child is None or band > 5:
            continue
        if child.is_message and band == 0 and isinstance(value, memoryview):
            sizes |= payloads(child, value)
        else:
            size = len(value) if isinstance(value, memoryview) else _scalar(child, band)
            path = _path(child)
            sizes[path] = sizes.get(path, 0) + size
    return sizes


def _path(node: Node) -> str:
    """Return a field's path; of a repeated text that of its texts, which ``--reduce`` takes."""
    return node.children[0].path if node.wraps else node.path


def _scalar(node: Node, band: int) -> int:
    """Return the bytes of a scale, a base or a constant."""
    if band in (3, 4):
        return 8
    return 1 if node.kind == "bool" else max(4, node.width)


def numbers(column: Any) -> npt.NDArray[Any] | None:
    """Return the values that elements have; None for texts."""
    if column.node.is_text or column.node.wraps:
        return None
    values: npt.NDArray[Any] = column.values
    if not column.node.repeated and column.present is not None:
        values = values[column.present]
    return values


def largest_error(column: Any, exact: Any) -> float:
    """Return the largest difference of two readings of a field.

    0 where all bits agree, and for texts.
    """
    got, expected = numbers(column), numbers(exact)
    if got is None or expected is None or got.dtype.kind != "f" or not got.size:
        return 0.0
    with np.errstate(invalid="ignore"):
        off = np.abs(got.astype(np.float64) - expected.astype(np.float64))
    # Infinities and NaN that stay what they are.
    off[(got == expected) | (np.isnan(got) & np.isnan(expected))] = 0
    return float(off.max())


@dataclass
class Statistics:
    """Number and range of a field's values, over all lists it was added from."""

    elements: int = 0
    """Number of elements of the list, or of messages around the field."""
    present: int = 0
    """Elements that have it; repeated fields that are not empty."""
    values: int = 0
    least: float | None = None
    greatest: float | None = None
    _distinct: set[Any] = field(default_factory=set)

    def add(self, column: Any) -> None:
        self.elements += len(column)
        if column.node.repeated:
            self.present += int(np.count_nonzero(np.diff(column.offsets)))
        elif column.present is None:
            self.present += len(column)
        else:
            self.present += int(np.count_nonzero(column.present))
        values = numbers(column)
        if values is None:
            texts = column.texts if column.node.wraps else column
            self.values += len(texts)
            self._tell_apart(list(texts))
            return
        self.values += len(values)
        # Bits, so that NaN counts once.
        self._tell_apart(np.unique(values.view(f"<u{values.dtype.itemsize}")).tolist())
        finite = values[np.isfinite(values)] if values.dtype.kind == "f" else values
        if len(finite):
            least, greatest = float(finite.min()), float(finite.max())
            self.least = least if self.least is None else min(self.least, least)
            self.greatest = greatest if self.greatest is None else max(self.greatest, greatest)

    @property
    def distinct(self) -> int:
        """At most ``MOST_DISTINCT``, which then means that or more."""
        return min(len(self._distinct), MOST_DISTINCT)

    def _tell_apart(self, values: list[Any]) -> None:
        if len(self._distinct) < MOST_DISTINCT:
            self._distinct.update(values[:MOST_DISTINCT])


def measured(kind: type[Columns[Any]], content: bytes) -> tuple[dict[str, int], dict[str, Any]]:
    """Return bytes and columns of each field by its dotted path."""
    columns = kind.read(content).columns()
    by_path = {_path(column.node): column for _, column in columns}
    return payloads(kind.NODE, memoryview(content)), by_path
